package agents

import (
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestReadingLeavesTheScreenAsItIs: what reads a layout writes nothing into it, so that no reading depends on which ran before.
func TestReadingLeavesTheScreenAsItIs(t *testing.T) {
	for _, l := range labels(t) {
		a := byName(l.Agent)
		s := screen.Parse(capture(t, strings.TrimSuffix(l.File, ".txt")+".ansi"))
		lay := a.lay(s)
		before := slices.Clone(lay.Lines)
		for i := range before {
			before[i].Text = lay.Lines[i].Between(0, lay.Lines[i].End()) // from its cells
		}
		a.dialog(lay)
		a.covered(lay)
		lay.StrangeDialog()
		lay.AnyDialog()
		if a.composer != nil {
			a.composer(lay)
		}
		for i := range before {
			was, is := &before[i], &lay.Lines[i]
			if was.Kind != is.Kind || was.Col != is.Col || was.Bar != is.Bar || was.Text != is.Between(0, is.End()) {
				t.Errorf("%s: line %d was %q and is %q", l.File, i, was.Text, is.Text)
			}
		}
	}
}
