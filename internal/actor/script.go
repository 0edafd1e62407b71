package actor

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"
)

// Script is what an agent does, one step after the other. Afterwards it is idle and takes
// instructions at its input box.
type Script struct {
	Agent string `json:"agent"` // claude, codex or opencode
	Dir   string `json:"dir"`   // where its commands run; absolute
	Log   string `json:"log"`   // a file that says, a JSON line each, which keys came and what ran; empty: none
	Steps []Step `json:"steps"`
}

// Step is one instruction to the agent and the command that it wants to run for it.
type Step struct {
	Instruction string `json:"instruction"` // what somebody typed before
	Command     string `json:"command"`     // runs in sh, if it is approved
	Doing       string `json:"doing"`       // "Removing the build folder"
	Why         string `json:"why"`         // "Remove the build folder"
	Done        string `json:"done"`        // what the agent says afterwards
	// Questions are put to the human in the place of the command.
	Questions []Question `json:"questions,omitempty"`

	When  string        `json:"when,omitempty"` // a file; the step begins once it exists, and until then the agent is idle
	Think time.Duration `json:"think"`          // before it asks, in nanoseconds
	// Swap is another command that takes the place of the first, in the same prompt, once the file
	// SwapWhen exists: as when a prompt is answered and the next one is there at once.
	Swap     string `json:"swap,omitempty"`
	SwapWhen string `json:"swap_when,omitempty"`
}

// Event is one line of a script's log.
type Event struct {
	At      time.Time `json:"at"`
	Kind    string    `json:"kind"` // "asks", "key", "ran", "denied", "answered", "swapped", "told"
	Command string    `json:"command,omitempty"`
	Key     string    `json:"key,omitempty"`    // of "key", also of one that did nothing
	Text    string    `json:"text,omitempty"`   // of "told", and all answers of "answered"
	Always  bool      `json:"always,omitempty"` // of "ran": the answer was more than once
	Error   string    `json:"error,omitempty"`  // of "ran"
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

// ReadLog reads a script's log; a log that nobody has written yet is empty.
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
			break // still being written
		}
		var e Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return nil, fmt.Errorf("read log %s: %w", name, err)
		}
		all = append(all, e)
	}
	return all, nil
}

// noteStep is what an agent does with an instruction that is in no script: it wants to write it
// down. The text is quoted, so it is never run.
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
