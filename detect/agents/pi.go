package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// pi is Pi with its permission gate, an extension: Pi itself asks nothing. Captured from 0.32.3 to 1.6.0.
var pi = agent{
	name: "pi",
	profile: Profile{
		About: "Pi asks nothing by itself: its permission gate is an extension, which asks for dangerous commands. The " +
			"dialog has no frame, and the conversation stands right above it.",
		Yes: "`Yes` is for once; there is no other.",
	},
	program:  proc.Program{Names: []string{"pi"}, Packages: []string{"@earendil-works/pi-coding-agent", "@mariozechner/pi-coding-agent"}},
	environ:  []string{"PI_CODING_AGENT"}, // 0.73.1, dist/cli.js
	dialog:   dialogs(piAsks),
	voice:    screen.Voice{Col: 1, Bare: true, Stopped: "Operation aborted"},
	composer: screen.Input{Bare: 10}.In,
	signs: signs{
		cut:      cutOffUnder(sign{begins: []string{piTitle}}, sign{within: 1, begins: piStatus}), // pi/1.6.0-tall-100x40
		working:  shows(sign{within: screen.WorkRows, holds: []string{"Working..."}}),
		volatile: changes(sign{spins: true}, sign{begins: []string{"↑"}, holds: []string{"%/"}}),
		mark: shows(
			sign{within: screen.StatusRows, begins: []string{"↑"}, holds: []string{"%/"}},
			sign{within: screen.StatusRows, begins: []string{"↑↓ navigate  enter select  escape/ctrl+c cancel"}},
			sign{within: screen.StatusRows, holds: []string{"%/128k (auto)", "%/200k (auto)"}},
		),
		hint: shows(sign{begins: []string{piTitle}}),
	},
}

// piTitle heads the question about a command.
const piTitle = "⚠<U+FE0F> Dangerous command:"

// piStatus begins the status rows below a dialog: the folder, and what the session took.
var piStatus = []string{"↑", "/", "~"}

// piAsks: Enter takes the marked row, and Escape denies a command.
var piAsks = asking{
	menu: screen.Pointed, below: beginning(piStatus...), titles: []string{piTitle}, asks: []string{"Allow?"}, fits: piLive,
	shapes: []shape{
		{Shape: screen.Shape{Name: "tool_confirmation", State: screen.Permission, Keys: screen.Keys{Enter: true, Escape: true}}, fits: (*screen.Dialog).Clear},
		{Shape: screen.Shape{Name: "select", State: screen.Question, Keys: screen.Keys{Enter: true}}},
	},
}

// piLive reports whether the keys below a list are Pi's, and something is asked above it.
func piLive(d *screen.Dialog) bool {
	if !screen.Holds(d.Footer, "escape/ctrl+c cancel", "enter select  esc cancel") || d.Question == "" && !d.TakeHeading() {
		return false
	}
	d.AnotherHead(d.RuleAtEdge)
	return true
}
