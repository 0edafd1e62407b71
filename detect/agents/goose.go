package agents

import (
	"strings"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// goose is Goose, whose lists are drawn by cliclack. It can't be run here: its dialogs are known from other
// projects' sources alone, so they are read by structure, with no key but those that a row prints and a proven
// highlight.
var goose = agent{
	name: "goose",
	profile: Profile{
		About: "Goose draws its answers with cliclack, and is answered by moving the cursor. It comes from no npm " +
			"package: its dialogs are known from other projects' detectors.",
		Yes:        "`Always Allow` lasts for good.",
		AnsweredBy: byKeys,
	},
	program: proc.Program{Names: []string{"goose"}},
	dialog:  gooseDialog,
	composer: func(l *screen.Layout) *screen.Composer {
		for i, line := range l.Lowest(screen.FooterRows) {
			if draft, ok := strings.CutPrefix(line.Text, "( O)>"); ok {
				return &screen.Composer{Row: i, Draft: strings.TrimSpace(draft)}
			}
		}
		return nil
	},
	working: func(l *screen.Layout) bool { return l.Says(reportedWork, "(Ctrl+C to interrupt)") },
	mark: func(l *screen.Layout) bool {
		return l.Says(screen.MarkRows, "oose would like to call the above tool", "( O)>")
	},
}

const (
	// gooseGap is how many lines above the options the question stands at most: a bar may stand between them.
	gooseGap = 3
	// gooseCallRows are the rows above the question in which the call is shown, where no line tells where it begins.
	gooseCallRows = 40
)

// gooseDialog reads the list that cliclack draws: a bar at the left, and a corner with what the marked row does.
func gooseDialog(l *screen.Layout) *screen.Dialog {
	l = l.WithoutGutter()
	list, ok := l.Menu(screen.Pointed)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(list, nil)
	if !ok || d.Marked < 0 {
		return nil
	}
	d.BoundByGaps()
	at := d.LineAbove(func(i int) bool {
		return screen.Holds(d.Lines[i].Text, "would like to call the above tool", "Do you allow this tool call?")
	})
	if at < 0 || d.First-at > gooseGap {
		return nil
	}
	d.Ask(at, at)
	d.Question = strings.TrimSpace(strings.TrimLeft(d.Question, "◆◇ "))
	gooseCall(d, at)
	if e := &d.Entries[d.Marked]; strings.HasSuffix(e.Label, ")") {
		e.Label, e.Note, _ = strings.Cut(e.Label, " (") // cliclack explains the marked row, in brackets
	}
	d.ReadScopes()
	d.Name, d.State, d.Keys, d.Means = "tool_confirmation", screen.Permission, screen.Keys{Enter: true}, (*screen.Entry).Kept
	d.Doubt("What Goose draws of a call is known from its sources alone.")
	return d
}

// gooseCall moves the top of the dialog to the rows above line at that show the call.
func gooseCall(d *screen.Dialog, at int) {
	top := at
	for top > 0 && at-top < gooseCallRows && !strings.HasPrefix(d.Lines[top].Text, "───") && d.Lines[top].Kind != screen.Rule {
		top--
	}
	d.BeginAt(top)
}
