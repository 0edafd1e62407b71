// Package record makes a test case of a screen: the capture with masked secrets, and a label with nod's
// reading, for a person to correct if nod is wrong.
package record

import (
	"cmp"
	"fmt"
	"strings"

	"nod/cmd/internal/control"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/ansi"
	"nod/internal/host/tmux"
	"nod/internal/text/redact"
)

// Case is one screen as a test case.
type Case struct {
	Name   string // of its files, without their extensions
	Screen string // with its colours
	Label  string // in JSON, one line
	Check  control.Check
}

// Of makes a case of a look at a pane. name begins with the agent's version: "2.1.330-bash". An empty agent
// is found from the pane, and an empty name is replaced by the state.
func Of(look tmux.Look, agent, name string) Case {
	agent = cmp.Or(agent, detect.AgentIn(look.Pane))
	text := redact.Coloured(look.Capture) + "\n"
	read := control.CheckOf(agents.Read(agent, screen.Parse(text)))
	plain := control.CheckOf(agents.Read(agent, screen.Parse(ansi.Harmless(text))))
	size := fmt.Sprintf("%dx%d", look.Pane.Width, look.Pane.Height)
	return Case{
		Name:   strings.Join([]string{fileWord(agent), fileWord(cmp.Or(name, string(read.State))), size}, "-"),
		Screen: text,
		Label:  labelOf(read, plain, agent, cmp.Or(name, "unknown-"+string(read.State)), size).String(),
		Check:  read,
	}
}

// fileWord makes a word usable as part of a file's name.
func fileWord(word string) string {
	if strings.Trim(word, ".") == "" {
		return "unknown"
	}
	return strings.Map(func(r rune) rune {
		if r == '/' || r <= ' ' {
			return '_'
		}
		return r
	}, word)
}
