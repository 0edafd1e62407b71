package screen

import (
	"errors"
	"strconv"
	"strings"
)

// How a list is found whose labels are known, whatever else it is drawn with.

// named is the lowest menu whose labels are these, in their order: below each other or side by side.
func (l *Layout) named(labels []string) (Menu, bool) {
	for i := len(l.Lines) - 1; i >= 0 && len(labels) > 1; i-- {
		if l.Lines[i].Kind != Words {
			continue
		}
		m, ok := l.namedAcross(i, labels)
		if !ok {
			m, ok = l.namedFrom(i, labels)
		}
		if !ok {
			continue
		}
		if m.Marked < 0 {
			l.markSingled(&m)
		}
		return m, true
	}
	return Menu{}, false
}

// namedFrom reads the menu that begins in line i and has a label in each row, or in several that a wrap has broken.
func (l *Layout) namedFrom(i int, labels []string) (Menu, bool) {
	m := Menu{First: i, Marked: -1, MarkCol: l.Lines[i].Col, Numbered: true, knownBy: "its labels"}
	for k, want := range labels {
		for k > 0 && i < len(l.Lines) && i <= m.Last+explainedRows && l.between(i, m.Entries[k-1].Col) {
			i++
		}
		e, marked, ok := l.optionNamed(i, want)
		if !ok || marked && m.Marked >= 0 {
			return Menu{}, false
		}
		if marked {
			m.Marked = k
		}
		m.Numbered = m.Numbered && e.Number == k+1
		m.Entries = append(m.Entries, e)
		m.Last, i = e.Last, e.Last+1
	}
	first := &m.Entries[0]
	if above := first.First - 1; above >= 0 && l.Lines[above].Kind == Words && l.Lines[above].Col == first.Col {
		return Menu{}, false // it may be one more option
	}
	return m, true
}

// explainedRows is how many rows may stand between two labels.
const explainedRows = 3

// between reports whether line i may stand between two options whose labels begin in column col: a blank row, or what explains the
// option above. Any other row may be one more option.
func (l *Layout) between(i, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Blank || line.Kind == Words && line.Col > col
}

// optionNamed reads the option of that label which begins in line i.
func (l *Layout) optionNamed(i int, want string) (e Entry, marked, ok bool) {
	if i >= len(l.Lines) || l.Lines[i].Kind != Words {
		return Entry{}, false, false
	}
	e, marked = l.anyOption(i)
	for e.Label != want && strings.HasPrefix(want, e.Label+" ") && e.Last+1 < len(l.Lines) && l.Lines[e.Last+1].Kind == Words {
		e.Last++
		e.Label += " " + l.Lines[e.Last].Text
	}
	return e, marked, e.Label == want
}

// anyOption reads line i as an option, with what stands before its label: a cursor, a number, a key in brackets.
func (l *Layout) anyOption(i int) (e Entry, marked bool) {
	e, t, ok := l.numbered(i, Numbered)
	if !ok {
		if entries, marked, _ := l.keysInRow(i); len(entries) == 1 {
			return entries[0], marked == 0
		}
		e = Entry{First: i, Last: i, Col: t.past, Option: Option{Label: l.Lines[i].rest(t.past)}}
	}
	e.finish()
	return e, t.cursor
}

// namedAcross reads the menu whose options stand side by side in line i.
func (l *Layout) namedAcross(i int, labels []string) (Menu, bool) {
	if entries, _, typed := l.keysInRow(i); len(entries) == len(labels) {
		m := Menu{First: i, Last: i, Marked: -1, MarkCol: l.Lines[i].Col, Across: true, Entries: entries, Typed: typed, knownBy: "its labels"}
		return m, m.Labelled(labels...)
	}
	m, ok := l.inRow(i)
	return m, ok && m.Labelled(labels...)
}

// Labels are the labels that the lines of these numbers show, each read as an option.
func (l *Layout) Labels(lines []int) []string {
	var labels []string
	for _, i := range lines {
		e, _ := l.anyOption(i)
		labels = append(labels, e.Label)
	}
	return labels
}

// CanMean reports why a label can't be said to be of a scope by somebody who knows its dialog: its own words say another thing.
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
		return errors.New("its words say that it lasts (" + string(lasts(says, wide)) + ")")
	case scope == No && (says == NoAlways || lasting(words)):
		return errors.New("its words say no for good")
	case scope == No && (says == Once || says == Always || says == Session || says == Mode):
		return errors.New("its words say yes")
	}
	return nil
}

// lasts is the scope that says how long a yes lasts.
func lasts(says, wide Scope) Scope {
	if wide != "" {
		return wide
	}
	return says
}

// CanBeKey reports why a key can't choose an option of that scope in a dialog that somebody teaches.
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
