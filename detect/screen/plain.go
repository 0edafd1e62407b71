package screen

import "slices"

// PlainList is the lowest list whose rows begin in one column with neither number nor cursor, if their labels show that it is one: one
// says yes once and one says no, or each has a box to tick. Which one is marked, its look tells.
func (l *Layout) PlainList() (List, bool) {
	for i, line := range l.Lowest(listRows) {
		if IsFooter(line.Text) || isCursor(line.First()) {
			continue
		}
		if list, ok := l.plainAt(i); ok {
			return list, true
		}
	}
	return List{}, false
}

// longestLabel is how many cells a row of a list without numbers and cursors may take: longer ones are sentences.
const longestLabel = 70

// plainAt reads the list whose last row is line i.
func (l *Layout) plainAt(last int) (List, bool) {
	col := l.Lines[last].Col
	for at := last; at > 0 && l.Lines[at].Kind == Words; at-- {
		col = min(col, l.Lines[at].Col)
	}
	first := last
	for first > 0 && l.plainRow(first-1, col) {
		first--
	}
	list := List{First: first, Last: last, Marked: -1, MarkCol: max(col-2, 0)}
	checks := 0
	for i := first; i <= last; i++ {
		line := &l.Lines[i]
		n := len(list.Entries)
		check, start := checkBox(line.cells, line.Col)
		switch {
		case line.Col > col && n > 0:
			l.extend(&list.Entries[n-1], i)
			continue
		case line.Col > col:
			return List{}, false
		case check != "":
			checks++
		}
		list.Entries = append(list.Entries, Entry{Check: check, First: i, Last: i, Col: start, Option: Option{Label: line.label(start, len(line.cells))}})
	}
	for k := range list.Entries {
		e := &list.Entries[k]
		e.finish()
		e.Cut = e.Cut || l.touchesEdge(e.Last)
		e.Scope = e.labelScope()
	}
	list.dropHead()
	n := len(list.Entries)
	return list, n > 1 && (checks >= n && n == checks || list.Only(Once) >= 0 && list.Count(No) > 0)
}

// plainRow reports whether line i can be a row of a list whose labels begin in column col.
func (l *Layout) plainRow(i, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col >= col && line.Col < col+explainIndent && line.End()-line.Col <= longestLabel &&
		!IsFooter(line.Text) && !beginsTranscript(line.First()) && !isCursor(line.First())
}

// dropHead takes rows off the upper end of a list that say neither yes nor no: what is asked about may stand right above the
// options, in the same column.
func (list *List) dropHead() {
	n := 0
	for n < len(list.Entries) && list.Entries[n].Scope == Other && list.Entries[n].Check == "" {
		n++
	}
	if list.Entries = list.Entries[n:]; len(list.Entries) > 0 {
		list.First = list.Entries[0].First
	}
}

// MarkSingled marks the entry that its look alone marks, if one is proven to be.
func (l *Layout) MarkSingled(list *List) {
	list.Marked = l.singled(list)
	list.Colour = list.Marked >= 0
}

// singled is the entry that its look alone marks; -1 where none is proven. Of three or more it is the one with a ground that the others
// have not, of two the one in reversed colours, for a button may have a ground whether it is chosen or not. The others must look
// alike in every way: else one of them may be what is marked, and this one is drawn in a colour of its own.
func (l *Layout) singled(list *List) int {
	looks := make([]Style, len(list.Entries))
	for i, e := range list.Entries {
		line := &l.Lines[e.First]
		end := e.Col + width(e.Label) - 1
		if e.Last != e.First {
			end = e.Col
		}
		looks[i] = line.Style(end)
		if line.Style(e.Col).ground() != looks[i].ground() {
			return -1
		}
	}
	lit := -1
	for i := range looks {
		others := slices.Delete(slices.Clone(looks), i, i+1)
		alike := len(others) > 0 && !slices.ContainsFunc(others, func(s Style) bool { return s != others[0] || s.ground() == looks[i].ground() })
		if !alike || looks[i].ground() == "" || len(others) == 1 && looks[i].ground() != "reverse" {
			continue
		}
		if lit >= 0 {
			return -1
		}
		lit = i
	}
	if lit >= 0 && l.setOffAbove(list, looks[(lit+1)%len(looks)]) {
		return -1
	}
	return lit
}

// setOffAbove reports whether a row right above the list looks otherwise than its entries that are not marked: it may be the one
// that is, and none of those that were read as options.
func (l *Layout) setOffAbove(list *List, look Style) bool {
	for i := list.First - 1; i >= 0 && l.Lines[i].Kind == Words; i-- {
		if line := &l.Lines[i]; line.Style(line.Col) != look {
			return true
		}
	}
	return false
}

// Varied reports whether the entries do not all look alike: text that was quoted or pasted looks the same throughout.
func (d *Dialog) Varied() bool {
	look := func(e Entry) Style { return d.Lines[e.First].Style(e.Col) }
	return slices.ContainsFunc(d.Entries, func(e Entry) bool { return look(e) != look(d.Entries[0]) })
}

// SetOff reports whether the marked entry looks otherwise than all the others do.
func (d *Dialog) SetOff() bool {
	if d.Marked < 0 {
		return false
	}
	look := func(e *Entry) Style { return d.Lines[e.First].Style(e.Col) }
	marked := look(&d.Entries[d.Marked])
	for i := range d.Entries {
		if i != d.Marked && look(&d.Entries[i]) == marked {
			return false
		}
	}
	return true
}
