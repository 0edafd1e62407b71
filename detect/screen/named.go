package screen

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
)

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
