package screen

import (
	"slices"

	"nod/internal/reason"
)

// Form is a dialog that a person has described, whatever it is drawn with: the row that it begins with and its labels know it again.
type Form struct {
	Shape
	Head   string            // the row that it begins with
	Labels []string          // of its options, in order
	Hints  map[string]string // the key that chooses a label at once, where the screen does not show one
	Below  []string          // the rows under its options that say neither keys nor anything about the agent
}

// Find recognises a form wherever on the screen a dialog may stand; nil where it is not there.
func (l *Layout) Find(f *Form) *Dialog {
	return l.wherever(func(part *Layout) *Dialog { return part.formed(f) })
}

// Unplaced are the rows under the options of a form that do not say what keys do.
func (l *Layout) Unplaced(f *Form) []string {
	m, ok := l.options(f)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(l.Texts(m.Last+1, len(l.Lines)), IsFooter)
}

// formed recognises a form in the rows of the layout.
func (l *Layout) formed(f *Form) *Dialog {
	m, ok := l.options(f)
	if !ok {
		return nil
	}
	d, ok := l.DialogAbove(m, func(s string) bool { return slices.Contains(f.Below, s) })
	if !ok || slices.ContainsFunc(l.Texts(m.Last+1, len(l.Lines)), asksLetter) || l.InputBelow(m.Last) || d.isText() || !d.beginsWith(f.Head) {
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

// options finds the menu of a form: of all menus the lowest, if it has those labels.
func (l *Layout) options(f *Form) (Menu, bool) {
	m, ok := l.anyMenu(f.Labels)
	ok, m.knownBy = ok && m.Labelled(f.Labels...), "its labels"
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Check = ""; f.Hints[e.Label] != "" { // a sign before an answer is no box to tick
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
		if found = i >= max(d.Top, 0); found {
			d.headAt(i)
			d.AnotherHead(titled)
		}
	}
	if found && !slices.ContainsFunc(d.Texts(d.Top, d.First-1), func(s string) bool { return s != head }) {
		d.Doubt(reason.OnlyHead)
	}
	return found
}
