package agents

import (
	"strings"

	"nod/detect/screen"
)

// readUnknown reads the screen of an agent that nobody has catalogued, by structure alone.
func readUnknown(name string, s screen.Screen) screen.Reading {
	l := screen.Lay(s)
	anonymous := agent{name: name}
	r := screen.Reading{Agent: name, State: screen.Silent, Text: anonymous.text(l, s)}
	if d := l.AnyDialog(); d != nil {
		r.Why = append(r.Why, "the agent is not catalogued: read by structure alone")
		return r.Asking(d)
	}
	if c := screen.AnyInput.In(l); c != nil {
		r.Composer, r.State = c, screen.Idle
		r.Why = append(r.Why, "a live input box")
	}
	if unknownWorking(l) {
		r.State = screen.Working
		r.Why = append(r.Why, "the screen says that the agent is at work")
	}
	if r.State == screen.Silent {
		r.Why = append(r.Why, "nothing known is on the screen")
	}
	return r
}

// unknownWorking: a spinner's glyph, or the offer to interrupt.
func unknownWorking(l *screen.Layout) bool {
	for _, line := range l.Lowest(screen.WorkRows) {
		if line.Spinner() || screen.Holds(strings.ToLower(line.Text), "esc to interrupt", "ctrl+c to interrupt", "ctrl+c to stop", "esc to stop", "esc interrupt") {
			return true
		}
	}
	return false
}
