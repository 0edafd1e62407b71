package agents

import (
	"slices"

	"nod/detect/screen"
)

// claudePlanAsks are the questions under a plan, claudePlanLabels how answers begin that only a plan has.
var (
	claudePlanAsks = []string{
		"Would you like to proceed?", "Claude has written up a plan and is ready to execute. Would you like to proceed?", "Exit plan mode?",
	}
	claudePlanLabels = []string{"No, keep planning", "Yes, manually approve edits", "Yes, and manually approve edits", "Tell Claude what to change"}
)

// claudePlan is the question whether a plan is carried out.
func claudePlan(d *screen.Dialog) bool {
	labelled := func(e screen.Entry) bool { return screen.Starts(e.Label, claudePlanLabels...) } // what a command says may be further on in a label
	if !d.Numbered || !slices.Contains(claudePlanAsks, d.Question) && !slices.ContainsFunc(d.Entries, labelled) {
		return false
	}
	claudePlanTop(d)
	return true
}

// claudePlanTop: the question may be under a line of its own, with the plan above it between two broken lines, under another line or,
// where that has scrolled away, under the upper broken one.
func claudePlanTop(d *screen.Dialog) {
	if d.Frame() != nil {
		return
	}
	broken, first := 0, 0
	for i := d.First - 1; i >= 0; i-- {
		switch line := &d.Lines[i]; {
		case line.Kind == screen.Dashed:
			broken, first = broken+1, i
			d.Place(screen.Drawing, i, i)
		case line.Kind == screen.Rule && (i < d.Top-1 || broken > 0):
			d.BeginAt(i + 1)
			return
		case line.Kind == screen.Rule:
			d.Place(screen.Drawing, i, i)
		}
	}
	d.BeginAt(-1)
	if broken > 1 {
		d.BeginAt(first + 1)
	}
}
