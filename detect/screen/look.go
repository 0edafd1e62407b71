package screen

import "slices"

// What only the looks of a row tell: which heading or which entry is the one that is chosen.
// Tabs reads the headings of a set of questions in line i: each begins with one of the boxes, and the one that stands is set
// off by its ground or a line under it. It gives how many there are, and which one stands, from 1; 0: another heading, or
// nothing proves it.
func (l *Layout) Tabs(i int, boxes string) (page, pages int) {
	line := &l.Lines[i]
	lits := 0
	lit := func(col int) bool { s := line.Style(col); return s.ground() != "" || s.Underline }
	for col := line.Col; col < line.End(); col++ {
		if lit(col) && (col == 0 || !lit(col-1)) {
			lits++
		}
		if !in(boxes, line.at(col)) || !blankCell(line.at(col-1)) || !blankCell(line.at(col+1)) {
			continue
		}
		pages++
		if lit(col + 2) { // the first character of its text
			page = pages
		}
	}
	if lits != 1 {
		page = 0
	}
	return page, pages
}

// LitTabs reads headings that stand apart in line i, the last of which is no question. The one that stands has a ground which
// the row around it has not.
func (l *Layout) LitTabs(i int) (page, pages int) {
	lit, n := l.LitHeadings(i)
	if lit == 0 || n < 2 {
		return 0, 0
	}
	if lit < n {
		page = lit
	}
	return page, n - 1
}

// LitHeadings is which of the headings that stand apart in line i has a ground which the row around it has not, and how many there
// are; 0: none, or more than one.
func (l *Layout) LitHeadings(i int) (lit, n int) {
	line := &l.Lines[i]
	for col := line.Col; col < line.End(); col = skip(line.cells, gapAt(line.cells, col)) {
		n++
		if line.Style(col).ground() == line.Style(col-2).ground() {
			continue
		}
		if lit > 0 {
			return 0, 0
		}
		lit = n
	}
	return lit, n
}

// LabelStyle is how the label of entry i looks.
func (d *Dialog) LabelStyle(i int) Style {
	e := &d.Entries[i]
	return d.Lines[e.First].Style(e.Col)
}

// markSingled marks the entry that its look alone marks, if one is proven to be.
func (l *Layout) markSingled(m *Menu) {
	m.Marked = l.singled(m)
	m.Colour = m.Marked >= 0
}

// singled is the entry that its look alone marks; -1 where none is proven. Of three or more it is the one with a ground that the others
// have not, of two the one in reversed colours, for a button may have a ground whether it is chosen or not. The others must look
// alike in every way: else one of them may be what is marked, and this one is drawn in a colour of its own.
func (l *Layout) singled(m *Menu) int {
	looks := make([]Style, len(m.Entries))
	for i, e := range m.Entries {
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
	if lit >= 0 && l.setOffAbove(m, looks[(lit+1)%len(looks)]) {
		return -1
	}
	return lit
}

// setOffAbove reports whether a row right above the list looks otherwise than its entries that are not marked: it may be the one
// that is, and none of those that were read as options.
func (l *Layout) setOffAbove(m *Menu, look Style) bool {
	for i := m.First - 1; i >= 0 && l.Lines[i].Kind == Words; i-- {
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
