package message

import (
	"fmt"

	"nod/internal/text/elapsed"
)

// ofForm reports whether the nudge is a question of a form.
func (r Renderer) ofForm() bool { return r.Program() != nil && r.Program().Form }

// untilWhen says what happens to a program's question if nobody answers; empty: no program asks.
func (r Renderer) untilWhen() string {
	if r.Program() == nil {
		return ""
	}
	at := r.expiry()
	if r.ofForm() {
		return "It waits until " + at + "; then the form is at the terminal."
	}
	if r.Program().Door {
		return "It runs outside tmux: nod can't tell whether somebody is there. It waits until " + at + "."
	}
	if r.Program().Default == "" {
		return "It waits until " + at + "."
	}
	return fmt.Sprintf("If nobody answers until %s, the program takes “%s”.", at, r.byDefault())
}

// expiry returns when a program's question expires, as its messages write it.
func (r Renderer) expiry() string { return clock(r.Expires, r.Detected, r.Style.Zone) }

// lateAnswer says what happened to a program's question that nobody answered.
func (r Renderer) lateAnswer(at string) string {
	late := fmt.Sprintf("Time was up at %s: no answer came for %s.", at, elapsed.Short(r.Ended.Sub(r.Detected)))
	if r.Program().Default == "" {
		return late
	}
	return late + fmt.Sprintf(" The program took its default, “%s”.", r.byDefault())
}

func (r Renderer) byDefault() string {
	return Cut(OneLine(r.Style.Redact(r.Program().Default)), lineRoom)
}
