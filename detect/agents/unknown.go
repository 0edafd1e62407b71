package agents

import (
	"nod/detect/screen"
	"nod/internal/text/lazy"
)

// unknown is an agent that nobody has catalogued: its dialogs are whatever looks like one, its input box is drawn as most are.
func unknown(name string) *agent {
	return &agent{
		name: name, unseen: true, closed: true, dialog: (*screen.Layout).AnyDialog, composer: screen.AnyInput.In,
		signs: signs{working: shows(sign{within: screen.WorkRows, spins: true}, sign{within: screen.WorkRows, like: unknownStops})},
	}
}

// unknownStops is the offer to interrupt.
var unknownStops = lazy.MustCompile(`(?i)(?:esc|ctrl\+c) to (?:interrupt|stop)|esc interrupt`)
