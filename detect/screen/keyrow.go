package screen

import "strings"

// KeyRowList finds a row at the bottom that is all options, each behind its key without brackets: "y allow   n deny",
// "a allow • s allow session • d deny • esc cancel". Keys that are no single character are not taken for
// options, and one of the options must say yes once and one no.
func (l *Layout) KeyRowList() (List, bool) {
	for i, line := range l.Lowest(FooterRows) {
		if !IsFooter("esc cancel  " + line.Text) {
			return List{}, false
		}
		list := List{First: i, Last: i, Marked: -1, MarkCol: line.Col, Across: true}
		for piece := range FooterPieces(line.Text) {
			key, label, ok := strings.Cut(piece, " ")
			label = strings.TrimSpace(label)
			if !ok || len(key) != 1 || tmuxKey(key) == "" || strings.Count(label, " ") > 3 {
				continue
			}
			e := Entry{Option: Option{Label: label}, Hints: []string{key}, First: i, Last: i, Col: line.Col}
			e.Scope = e.labelScope()
			list.Entries = append(list.Entries, e)
		}
		if len(list.Entries) > 1 && distinct(list.Entries) && list.Only(Once) >= 0 && list.Only(No) >= 0 {
			l.buttonsAbove(&list)
			return list, true
		}
	}
	return List{}, false
}

// buttonsAbove takes the row of buttons that a row of keys explains into the list: their labels, where each says the
// same as what its key is said to do.
func (l *Layout) buttonsAbove(list *List) {
	at := l.AboveBlanks(list.First-1, 0)
	if at < 0 || l.Lines[at].Kind != Words {
		return
	}
	line := &l.Lines[at]
	var labels []string
	for c := line.Col; c < len(line.cells); {
		end := gapAt(line.cells, c)
		if label := strings.Trim(line.label(c, end), "[]<>┃│ "); label != "" {
			labels = append(labels, label)
		}
		c = skip(line.cells, end)
	}
	if len(labels) != len(list.Entries) {
		return
	}
	for i := range list.Entries {
		s := scopeOf(labels[i], "", false)
		if e := &list.Entries[i]; s == Other || s != e.Scope && (s == Once || s == No || e.Scope == Once || e.Scope == No) {
			return
		}
	}
	for i := range list.Entries {
		e := &list.Entries[i]
		e.Label, e.Cut, e.First = labels[i], cutOff(labels[i]), at
		e.Scope = e.labelScope()
	}
	list.First = at
}
