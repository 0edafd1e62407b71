package screen

import (
	"slices"

	"nod/internal/reason"
)

// Form is a dialog that a person described. It is recognised, however it is drawn, by its first row and its labels.
type Form struct {
	Shape
	Head   string            // its first row
	Labels []string          // of its options, in order
	Hints  map[string]string // the key that chooses a label at once, if the screen does not print one
	Below  []string          // rows below its options that are neither about keys nor about the agent
}

// Find recognises a form in any region of the screen; nil: it is not there.
func (l *Layout) Find(f *Form) *Dialog {
	return l.wherever(func(part *Layout) *Dialog { return part.formed(f) })
}

// Unplaced are the rows below the options of a form that are not about keys.
func (l *Layout) Unplaced(f *Form) []string {
	m, ok := l.options(f)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(l.Texts(m.Last+1, len(l.Lines)), IsFooter)
}

// formed recognises a form in the rows of this layout.
func (l *Layout) formed(f *Form) *Dialog {
	m, ok := l.options(f)
	if !ok {
		return nil
	}
	d, ok := l.Dialog(m, func(s string) bool { return slices.Contains(f.Below, s) }, true)
	if !ok || slices.ContainsFunc(l.Texts(m.Last+1, len(l.Lines)), takesAnswer) || l.inputBelow(m.Last) || d.isText() || !d.beginsWith(f.Head) {
		return nil
	}
	if d.findQuestion(); d.Question == "" {
		d.Question = f.Head
	}
	d.Shape = f.Shape
	d.Keys.Digits = d.Numbered && !d.Radio
	d.proveKeys()
	return d
}

// options finds the menu of a form: the lowest menu, if it has the form's labels.
func (l *Layout) options(f *Form) (Menu, bool) {
	m, ok := l.anyMenu(f.Labels)
	ok, m.knownBy = ok && m.Labelled(f.Labels...), "its labels"
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Check = ""; f.Hints[e.Label] != "" { // a sign before an answer is not a box to tick
			e.Hints = []string{f.Hints[e.Label]}
		}
	}
	return m, ok && !m.Typed // a letter alone proves nothing about where Enter goes
}

// beginsWith begins the dialog with its head, and reports whether that is above the options.
func (d *Dialog) beginsWith(head string) bool {
	titled := func(i int) bool { return d.Lines[i].Text == head }
	found := false
	switch f := d.Frame(); {
	case f != nil:
		first, _ := d.Head()
		d.twinAbove()
		found = first == head || f.Title == head
	case d.beginWithBar():
		first, _ := d.Head()
		found = first == head
	default:
		i := d.LineAbove(titled)
		if found = i >= d.Top; found {
			d.headAt(i)
			d.AnotherHead(titled)
		}
	}
	if found && !slices.ContainsFunc(d.Texts(d.Top, d.First-1), func(s string) bool { return s != head }) {
		d.Doubt(reason.OnlyHead)
	}
	return found
}
