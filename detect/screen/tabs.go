package screen

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
