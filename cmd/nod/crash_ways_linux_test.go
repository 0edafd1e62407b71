package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/actor"
)

// way is the life of a question. act is called repeatedly, whether nod is running or not: it does the next
// actions of the person and the agent, and reports whether all is over. check then returns what was wrong.
type way struct {
	name  string
	env   []string
	begin func(*crash)
	act   func(*crash) bool
	check func(*crash) error
}

func step(command string) actor.Step {
	return actor.Step{Instruction: "go on", Command: command, Doing: "Running a command", Why: "May I?", Done: "Done.", Think: 300 * time.Millisecond}
}

var ways = []*way{
	{
		name:  "question", // answered at the terminal
		begin: func(c *crash) { c.play(step("touch a.txt")) },
		act: func(c *crash) bool {
			if _, told := c.offer("touch a.txt"); told && c.once("key", time.Hour) {
				c.tmux.Type(c.pane, "1")
			}
			return c.was("ran", "touch a.txt") > 0
		},
		check: func(c *crash) error { return c.typed("touch a.txt:1") },
	},
	{
		name:  "answer", // one is approved with a tap, the next one, which appears at once, is denied with a reply
		begin: func(c *crash) { c.play(step("touch a.txt"), step("touch b.txt")) },
		act: func(c *crash) bool {
			c.tap("touch a.txt", "✅ Approve")
			if m, ok := c.offer("touch b.txt"); ok && c.once(fmt.Sprint("n to ", m.ID), patience) {
				c.ann.ReplyTo(m.ID, "n")
			}
			return c.was("denied", "touch b.txt") > 0
		},
		check: func(c *crash) error { return c.typed("touch a.txt:1 touch b.txt:4") },
	},
	{
		name:  "reminder",
		env:   []string{"NOD_CADENCE=0s,2s,5s,8s,11s,14s,17s,20s"},
		begin: func(c *crash) { c.play(step("touch a.txt")) },
		act: func(c *crash) bool {
			first := 0
			for _, m := range c.ann.Messages() {
				if m.From.IsBot && strings.Contains(m.Text, "touch a.txt") {
					first++
				}
			}
			if first > 1 {
				c.tap("touch a.txt", "✅ Approve")
			}
			return c.was("ran", "touch a.txt") > 0
		},
		check: func(c *crash) error { return c.typed("touch a.txt:1") },
	},
	{
		name:  "instruction",
		begin: func(c *crash) { c.play() },
		act: func(c *crash) bool {
			if c.wasKilled() && !c.said("nod is here") && c.up() && c.once("starts again", patience) { // an answer to a command is in no record
				c.ann.Start()
			}
			if c.said("nod is here") && c.once("sits down", time.Hour) { // an agent is idle only after it was still
				return false
			}
			if sat := c.did["sits down"]; sat.IsZero() || time.Since(sat) < time.Second {
				return false
			}
			all := c.ann.Messages()
			switch last := all[len(all)-1]; {
			case c.once("tell", time.Hour):
				c.ann.Say("/tell api write one")
			// For a moment tmux knows no folder of a program that has just started, and so nod no project.
			case slices.ContainsFunc([]string{"No agent runs", "No pane is called", "Say it again"}, func(why string) bool { return strings.Contains(last.Text, why) }) && c.once(fmt.Sprint("tell after ", last.ID), time.Hour):
				c.did["sits down"] = time.Now()
				delete(c.did, "tell")
			case strings.Contains(last.Text, "Nothing was typed") && last.Markup != nil:
				c.tap("Nothing was typed", last.Markup.Rows[0][0].Text)
			}
			c.tap("echo 'write one'", "✅ Approve")
			return c.was("ran", "echo 'write one'") > 0 || c.said("Perhaps not submitted")
		},
		check: func(c *crash) error {
			if n := c.was("told", "write one"); n > 1 || c.was("told", "")-n > 0 {
				return fmt.Errorf("the agent was told: %s", c.keys())
			}
			return nil
		},
	},
	{
		name: "checklist",
		begin: func(c *crash) {
			set := step("")
			set.Questions = []actor.Question{
				{Header: "Version", Text: "Which version is this release?", Choices: []actor.Choice{{Label: "1.4.1"}, {Label: "1.5.0"}}},
				{Header: "Channels", Text: "Where should it be announced?", Several: true, Choices: []actor.Choice{{Label: "Changelog"}, {Label: "Website"}}},
			}
			c.play(set)
		},
		act: func(c *crash) bool {
			c.tap("Which version", "2. 1.5.0")
			if m, ok := c.offer("Where should"); ok {
				button := "➡ Next"
				if _, unticked := m.Button("☐ Website"); unticked {
					button = "☐ Website"
				} else if _, ticked := m.Button("☑ Changelog"); ticked {
					button = "☑ Changelog"
				}
				c.tap("Where should", button)
			}
			c.tap("Review your answers", "1. Submit answers")
			return c.was("answered", "") > 0
		},
		check: func(c *crash) error {
			if c.was("answered", "Version: 1.5.0; Channels: Website") != 1 || c.was("answered", "") != 1 {
				return errors.New("the answers are others: " + c.keys())
			}
			return nil
		},
	},
	{
		name: "door", // answered through the agent's own hook; if nod dies meanwhile, by a key
		begin: func(c *crash) {
			c.write("drawn.ansi", "")
			c.write("event.json", `{"hook_event_name":"PermissionRequest","session_id":"s","version":"2.1.330","tool_name":"Bash","tool_input":{"command":"touch rig-bash-ran && rm -rf build"}}`)
			agent, err := exec.LookPath("claude")
			if err != nil {
				c.t.Fatal(err)
			}
			env := "env AI_AGENT=claude-code_2-1-330_harness PATH=" + os.Getenv("PATH") + " XDG_RUNTIME_DIR=" + c.dir + " NOD_SOCKET=" + c.socket() + " GORACE=" + quickExit
			c.pane = c.tmux.Pane("cd "+c.dir+" && exec "+env+" "+agent+" drawn.ansi nod hook claude", 80, 24)
		},
		act: func(c *crash) bool {
			if c.did["asked"].IsZero() {
				if c.up() && c.once("asked", time.Hour) {
					c.tmux.Type(c.pane, "r")
				}
				return false
			}
			if time.Since(c.did["asked"]) > 300*time.Millisecond && c.once("drawn", time.Hour) {
				screen, err := os.ReadFile("../../detect/agents/testdata/claude/2.1.329-bash-80x24.ansi")
				if err != nil {
					c.t.Fatal(err)
				}
				c.write("drawn.ansi", string(screen))
				c.tmux.Type(c.pane, "d")
			}
			if strings.Contains(c.read("said"), `"behavior":"allow"`) && c.read("key") == "" && c.once("gone", time.Hour) {
				c.write("drawn.ansi", "Done.\n")
				c.tmux.Type(c.pane, "d")
			}
			c.tap("touch rig-bash-ran", "✅ Approve")
			return c.read("key") != "" || !c.did["gone"].IsZero()
		},
		check: func(c *crash) error {
			allowed, key := strings.Count(c.read("said"), `"behavior"`), c.read("key")
			if allowed+len(key) != 1 || key != "" && key != "1" {
				return fmt.Errorf("its hook was told %q and the key was %q", c.read("said"), key)
			}
			return nil
		},
	},
	{
		name:  "program",
		begin: func(*crash) {},
		act: func(c *crash) bool {
			if c.program == nil {
				if c.up() {
					c.ask()
				}
				return false
			}
			select {
			case err := <-c.answer:
				if err != nil && c.printed.String() == "" && c.once("ask again", 500*time.Millisecond) {
					c.program = nil // nod was gone before it had the question
					return false
				}
				c.answer <- err
				return true
			default:
			}
			if m, ok := c.offer("Deploy?"); ok && c.once(fmt.Sprint("y to ", m.ID), patience) {
				c.ann.ReplyTo(m.ID, "y")
			}
			return false
		},
		check: func(c *crash) error {
			if err := <-c.answer; err != nil || c.printed.String() != "yes\n" {
				return fmt.Errorf("nod ask printed %q, %v", &c.printed, err)
			}
			return nil
		},
	},
}

// ask makes a program ask.
func (c *crash) ask() {
	c.printed.Reset()
	c.program = exec.Command("nod", "ask", "Deploy?", "--options", "yes,no")
	c.program.Env, c.program.Stdout, c.program.Stderr = c.env, &c.printed, c.log
	if err := c.program.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.answer = make(chan error, 1)
	go func(p *exec.Cmd, answer chan error) { answer <- p.Wait() }(c.program, c.answer)
}

// said reports whether nod sent this text to the person.
func (c *crash) said(text string) bool {
	for _, m := range c.ann.Messages() {
		if m.From.IsBot && strings.Contains(m.Text, text) {
			return true
		}
	}
	return false
}

func (c *crash) read(name string) string {
	text, err := os.ReadFile(c.path(name))
	if err != nil {
		return ""
	}
	return string(text)
}

func (c *crash) write(name, text string) {
	if err := os.WriteFile(c.path(name), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

func writeJSON(t *testing.T, path string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
