package screen

import (
	"cmp"
	"errors"
	"slices"
	"strconv"

	"nod/internal/reason"
)

// Shape is one kind of an agent's dialogs, as its file describes it: values that are the same on every screen.
type Shape struct {
	Name       string // without the agent's name: "tool_confirmation"
	State      State
	Verb       string      // what to do with the subject: "edit", "fetch", …; empty: run it
	Keys       Keys        // the keys that answer
	Ask        string      // the question, if no sentence on the screen is it
	Titles     []string    // fixed words that head this agent's dialogs
	Asks       []string    // the sentences that the agent asks; % is a part that is also in the subject
	Why        reason.Kind // why there is no yes, if the options do not show it
	SessionYes bool        // the yes for this session counts as the yes, which the dialog lacks
	Boxed      bool        // the boxes are the agent's own: no label of a model's can be where they are
	NoField    bool        // it has no text field, wherever the mark is: the keys that it prints prove that
	Encloses   bool        // a frame may be around the subject, and none is around the dialog
	Scrolls    reason.Why  // the doubt if a scrollbar is beside its rows; zero: no doubt
	Uncut      string      // ends a whole row, if the agent cuts rows beside a scrollbar; empty: it cuts none
	Gutter     int         // the number of no-break spaces between the sign of a changed line and its text
	// Means is the scope of an option whose label seems to say another one. It may widen a scope only if a person said what the
	// label means; else it narrows.
	Means func(e *Entry) Scope
}

// Is gives d its shape. d keeps the agent's fixed words if the shape has none.
func (d *Dialog) Is(s Shape) {
	if s.Titles == nil {
		s.Titles = d.Titles
	}
	if s.Asks == nil {
		s.Asks = d.Asks
	}
	if s.Ask != "" && !d.said {
		d.Question = s.Ask
	}
	d.Shape = s
}

// Set is a question's text field, and its place in a set of questions.
type Set struct {
	InSet            // without Ends
	TextField bool   // a text field of the dialog has the focus
	Room      int    // as Prompt.Room
	Words     string // the words in the text field
	More      bool   // more options may be below those that are seen
	EndsSet   bool   // leading on from this page sends the answers to all questions
	Submits   int    // on the page that reviews the answers: the entry that sends them, from 1; 0: none
}

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

// Labels that a person described who knows the dialog.

// known are the labels of a menu that a person described; nil: nobody did, and its words have to prove it.
type known []string

// option reports whether an entry is an option of the menu.
func (k known) option(e *Entry) bool {
	if k == nil {
		return e.labelScope() != Other
	}
	return slices.Contains(k, e.Label)
}

// menu reports whether rows without cursor, number and box are the menu's options. Without a description, one must say yes
// once and one no.
func (k known) menu(m *Menu) bool {
	if k == nil {
		return m.only(Once) >= 0 && m.count(No) > 0
	}
	return m.Labelled(k...)
}

// Labels are the labels of these lines, each read as an option.
func (l *Layout) Labels(lines []int) []string {
	var labels []string
	for _, i := range lines {
		e := l.anyOption(i)
		labels = append(labels, e.Label)
	}
	return labels
}

// anyOption reads line i as an option behind a cursor, a number, or a key in brackets.
func (l *Layout) anyOption(i int) Entry {
	e, t, ok := l.numbered(i, Numbered)
	if !ok {
		if row, ok := l.keysInRow(i); ok && len(row.Entries) == 1 {
			return row.Entries[0]
		}
		e = Entry{First: i, Last: i, Col: t.past, Option: Option{Label: l.Lines[i].rest(t.past)}}
	}
	e.finish()
	return e
}

// CanMean returns why a person can't declare that a label has a scope: the label's own words say otherwise.
func CanMean(label string, scope Scope) error {
	words := wordsOf(label)
	says := scopeOf(label, "", cutOff(label))
	wide := widens(words)
	switch {
	case len(words) == 0:
		return errors.New("it has no words")
	case cutOff(label):
		return errors.New("it is cut off, so what it says to its end is not known")
	case says == Text:
		return errors.New("it asks for words")
	case scope == Once && (says == No || says == NoAlways):
		return errors.New("its words say no")
	case scope == Once && (says == Always || says == Session || says == Mode || wide != ""):
		return errors.New("its words say that it lasts (" + string(cmp.Or(wide, says)) + ")")
	case scope == No && (says == NoAlways || lasting(words)):
		return errors.New("its words say no for good")
	case scope == No && (says == Once || says == Always || says == Session || says == Mode):
		return errors.New("its words say yes")
	}
	return nil
}

// CanBeKey returns why a person can't declare that a key chooses an option of that scope.
func CanBeKey(key string, scope Scope) error {
	_, err := strconv.Atoi(key)
	switch {
	case key == "Enter" || key == "Tab" || key == "Space":
		return errors.New(key + " takes what is marked, whatever that is")
	case key == "Escape" && scope != No:
		return errors.New("the key leaves a dialog: it can only mean no")
	case key == "Escape", len(key) == 1 && tmuxKey(key) == key, len(key) == 1 && err == nil:
		return nil
	}
	return errors.New("a key is one letter or digit, or Escape for no")
}
