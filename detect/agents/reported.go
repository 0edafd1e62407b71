package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// These agents can't be run here: their dialogs are known from other projects' sources alone, so they are read by structure, with no
// key but those that a row prints and a proven highlight.
var (
	// amp is Amp.
	amp = reported("amp", "@sourcegraph/amp", reportedWork, "esc to cancel", "Esc to cancel")
	// droid is Factory's Droid.
	droid = reported("droid", "@factory/cli", screen.WorkRows, "Esc to stop", "ESC to stop")
)

// reportedWork are the rows in which such an agent says that it works. How much stands below them no capture tells, so few are looked at.
const reportedWork = 6

// reported is an agent read by structure, that is at work while one of the lowest rows says so.
func reported(name, npm string, rows int, works ...string) agent {
	return agent{
		name: name,
		profile: Profile{
			About: "It needs an account, and its dialogs are known from other projects' sources alone. It is read by structure: nod has no " +
				"key for it but those that a row prints, and Enter on a highlight that is proven.",
			Yes:        "Read from each label.",
			AnsweredBy: byKeys,
		},
		program:  proc.Program{Names: []string{name}, Packages: []string{npm}},
		dialog:   unknownDialog,
		composer: unknownComposer,
		working:  func(l *screen.Layout) bool { return l.Says(rows, works...) },
	}
}
