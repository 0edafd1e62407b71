package agents

import (
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// aider is Aider, which asks in a line that is typed into. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure.
var aider = agent{
	name: "aider",
	profile: Profile{
		About: "Aider asks in a line that is typed into, and Enter may send anything. nod tells what it asks and types " +
			"nothing.",
		Yes:        "`Yes` is for once, `Don't ask again` for good.",
		AnsweredBy: notFromHere,
	},
	program: proc.Program{Names: []string{"aider"}, Modules: []string{"aider"}},
	dialog:  (*screen.Layout).Typed,
	working: func(l *screen.Layout) bool { return l.Says(screen.StatusRows, "Waiting for ") },
	mark:    func(l *screen.Layout) bool { return l.Says(screen.MarkRows, "Aider v") },
}
