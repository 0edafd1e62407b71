package agents

import (
	"reflect"
	"slices"
	"testing"

	"nod/detect/screen"
)

// TestReadingLeavesTheScreenAsItIs: what reads a layout writes nothing into it, so that no reading depends on which ran before.
func TestReadingLeavesTheScreenAsItIs(t *testing.T) {
	t.Parallel()
	for _, l := range someOf(8, labels(t)) {
		a := byName(l.Agent)
		s := screen.Parse(capture(t, l.coloured()))
		lay := a.lay(s)
		before := slices.Clone(lay.Lines)
		for i := range before {
			before[i].Text = lay.Lines[i].Between(0, lay.Lines[i].End()) // from its cells
		}
		a.dialog(lay)
		for _, c := range a.overlay {
			if c.opened != nil {
				c.opened(lay)
			} else {
				c.by(lay)
			}
		}
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

// TestAPromptLeavesItsDialogAsItIs: scopes, keys and doubts are functions of what was read, so that a dialog asked twice says the same.
func TestAPromptLeavesItsDialogAsItIs(t *testing.T) {
	dialogs := 0
	for _, l := range labels(t) {
		a := byName(l.Agent)
		d := a.dialog(a.lay(screen.Parse(capture(t, l.coloured()))))
		if d == nil {
			continue
		}
		dialogs++
		before := slices.Clone(d.Entries)
		first, again := d.Prompt(l.Agent), d.Prompt(l.Agent)
		if !reflect.DeepEqual(before, slices.Clone(d.Entries)) {
			t.Errorf("%s: the options were %+v and are %+v", l.File, before, d.Entries)
		}
		if !reflect.DeepEqual(first, again) {
			t.Errorf("%s: asked again it says\n%+v\nand said\n%+v", l.File, again, first)
		}
	}
	if dialogs < 300 {
		t.Errorf("of %d dialogs: the test proves little", dialogs)
	}
}
