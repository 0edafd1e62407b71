package actor

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Script is the sequence of an agent's steps. After the last one the agent is idle and takes instructions in
// its input box.
type Script struct {
	Agent string `json:"agent"` // claude, codex or opencode
	Dir   string `json:"dir"`   // where its commands run; absolute
	Log   string `json:"log"`   // a file for the keys and commands, one JSON line each; may be empty
	Steps []Step `json:"steps"`
}

// Step is one instruction to the agent and the command that it wants to run for it.
type Step struct {
	Instruction string `json:"instruction"` // what somebody typed before
	Command     string `json:"command"`     // runs in sh, if it is approved
	Doing       string `json:"doing"`       // "Removing the build folder"
	Why         string `json:"why"`         // "Remove the build folder"
	Done        string `json:"done"`        // the agent's words afterwards
	// Questions are asked instead of running the command.
	Questions []Question `json:"questions,omitempty"`

	When  string        `json:"when,omitempty"` // a file; the agent is idle until it exists, then the step begins
	Think time.Duration `json:"think"`          // time before it asks, in nanoseconds
	// Swap is a command that replaces the first one in the same prompt once the file SwapWhen exists, as if a
	// prompt was answered and the next one appeared at once.
	Swap     string `json:"swap,omitempty"`
	SwapWhen string `json:"swap_when,omitempty"`
}

// Event is one line of a script's log.
type Event struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // "asks", "key", "ran", "denied", "answered", "swapped", "told"
	Command string    `json:"command,omitempty"`
	Key     string    `json:"key,omitempty"`    // for "key", even if it had no effect
	Text    string    `json:"text,omitempty"`   // for "told", and all answers for "answered"
	Always  bool      `json:"always,omitempty"` // for "ran": the answer allowed more than once
	Error   string    `json:"error,omitempty"`  // for "ran"
}

// ReadScript reads a script from a file.
func ReadScript(name string) (Script, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return Script{}, fmt.Errorf("read script: %w", err)
	}
	var s Script
	if err := json.Unmarshal(data, &s); err != nil {
		return Script{}, fmt.Errorf("read script %s: %w", name, err)
	}
	if _, ok := programs[s.Agent]; !ok {
		return Script{}, fmt.Errorf("read script %s: %q has no recorded screens: claude, codex and opencode have some", name, s.Agent)
	}
	for _, step := range s.Steps {
		if len(step.Questions) > 0 && s.Agent != "claude" {
			return Script{}, fmt.Errorf("read script %s: %s has no recorded questions: claude alone has some", name, s.Agent)
		}
	}
	return s, nil
}

// ReadLog reads a script's log. A missing log is empty.
func ReadLog(name string) ([]Event, error) {
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read log: %w", err)
	}
	var all []Event
	for line := range strings.Lines(string(data)) {
		if !strings.HasSuffix(line, "\n") {
			break // an incomplete line is still being written
		}
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("read log %s: %w", name, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// noteStep is the reaction to an instruction outside the script: the agent wants to write it to a file. The
// text is quoted, so it is never executed.
func noteStep(text string) Step {
	return Step{
		Instruction: strings.ReplaceAll(text, "\n", " "),
		Command:     "echo '" + strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "'", `'\''`) + "' >> notes.txt",
		Doing:       "Writing it down",
		Why:         "Write the instruction into notes.txt",
		Done:        "Noted.",
		Think:       1500 * time.Millisecond,
	}
}
