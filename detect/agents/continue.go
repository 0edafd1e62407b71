package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// continueCLI is the Continue CLI, cn. Its dialogs were captured from 1.5.47.
var continueCLI = agent{
	name: "continue",
	profile: Profile{
		About: "Continue's CLI shows of a path its last part alone. A narrow pane breaks its labels in the middle.",
		Yes:   "`Continue + don't ask again` lasts for good.",
	},
	program:  proc.Program{Names: []string{"cn"}, Packages: []string{"@continuedev/cli"}},
	dialog:   dialogs(continueAsks),
	voice:    screen.Voice{Col: 2, Above: "●"},
	deadEnds: []deadEnd{said(`(Error: \d{3} [\w ]{1,80})`, reason.ModelUnreachable)}, // 1.5.47 draws an error in no colour
	composer: screen.Input{Framed: "●❯>", Hints: []string{"Ask anything, @ for", "▋Ask anything, @ for"}}.In,
	signs: signs{
		// continue/1.5.47-run-40x24, continue/1.5.47-question-100x9
		cut:      cutOffUnder(sign{begins: []string{"Would you like to continue?", "↑/↓ navigate, Enter select"}}, sign{within: 1, ends: "Continue CLI"}),
		working:  shows(sign{within: screen.WorkRows, holds: []string{"esc to interrupt"}}),
		volatile: changes(sign{spins: true}, sign{holds: []string{"esc to interrupt"}}),
		mark:     shows(sign{within: screen.MarkRows, holds: []string{"Continue CLI", "tell Continue what"}}),
	},
}

// continueAsks: Enter takes the marked row, Escape denies. Shift+Tab, which the second row prints, never is a key.
var continueAsks = asking{
	menu: screen.Pointed, framed: true,
	below: func(_ *screen.Layout, row string) bool { return screen.Holds(row, "Continue CLI") },
	shapes: []shape{
		{keys: []string{"Enter select"}, set: &screen.Questions{Keys: screen.Keys{Enter: true}}},
		{
			Shape: screen.Shape{
				Name: "tool_confirmation", State: screen.Permission, Keys: screen.Keys{Enter: true, Escape: true},
				Asks: []string{"Would you like to continue?"},
			},
			ask: []string{"Would you like to continue?"}, refusable: true, verbs: []verb{{head: "Edit(", verb: "edit"}, {head: "Write(", verb: "edit"}}, fix: continueCall,
		},
	},
}

// continueCall: the title holds the whole call unless it ends in dots; the preview of it below may be cut too. For a tool without
// a preview, Continue shows only how many arguments a call has, and the title then holds one of them at most, a path without its folder.
func continueCall(d *screen.Dialog) string {
	_, head := d.Head()
	end := min(d.ParagraphEnd(head), d.Asked-1)
	title := d.Paragraph(head, max(end, head))
	if !strings.HasSuffix(title, ")") || strings.HasSuffix(title, "...)") || screen.Holds(d.Paragraph(end+1, d.Asked-1), "⎿ Will call ") {
		d.DoubtOf("Continue", reason.OnlyBeginning)
	}
	d.Place(screen.Subject, head, d.Asked-1)
	return ""
}
