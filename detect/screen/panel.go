package screen

// BarredBox is the box around line i that a bar at its left and one at its right make, and l without the bar at its right. Its first
// and last rows hold nothing; it is open where the first one is not on the screen.
func (l *Layout) BarredBox(i int) (Region, *Layout, bool) {
	right := l.Lines[i].End() - 1
	closed := func(i int) bool {
		line := &l.Lines[i]
		return line.Bar && line.End()-1 == right && line.cells[right] == '┃'
	}
	if right <= l.Lines[i].Col || !closed(i) {
		return Region{}, nil, false
	}
	f := Region{Right: right}
	f.Top, f.Bottom = l.run(i, 0, closed)
	for f.Left = 0; f.Left < right && l.Lines[i].row.cells[f.Left] != '┃'; f.Left++ {
	}
	f.Open = f.Top == 0 || l.Lines[f.Top].Col != right
	return f, l.Without(func(j int, _ *Line) (from, to int) {
		if f.Top <= j && j <= f.Bottom {
			return right, right + 1
		}
		return 0, 0
	}), true
}

// BesidePanel is l without a side panel: one that a ground tells, else one that begins in column side; 0: there is no other.
func (l *Layout) BesidePanel(side int) *Layout {
	if l.ground > 0 {
		return l.before(l.ground, true)
	}
	if side > 0 {
		return l.before(side, false)
	}
	return l
}

// before is l up to column col: a side panel that shares its rows is behind that. Proven says that its ground tells it from
// everything else; without that, text there may be part of what is asked.
func (l *Layout) before(col int, proven bool) *Layout {
	main := l.Without(func(_ int, line *Line) (from, to int) { return col, len(line.cells) })
	main.beside, main.proven = col, proven
	return main
}

// sidePanel is the column from which on every row of the screen has one ground down to its end, another one than the blank cell before it:
// a side panel, which no text draws. 0: there is none.
func (l *Layout) sidePanel() int {
	col, ground := 0, ""
	for i := range l.screen.Rows {
		c, g := l.screen.Rows[i].endGround()
		if c == 0 || i > 0 && (c != col || g != ground) {
			return 0
		}
		col, ground = c, g
	}
	return col
}

// sideRule is the column of a line that is drawn down all rows of the screen, right of its middle, with a blank before it in each: what
// is behind it may be a side panel. 0: there is none.
func (l *Layout) sideRule() int {
	for col := l.width - 1; col > l.width/2 && len(l.Lines) > barRows; col-- {
		all := true
		for i := 0; all && i < len(l.Lines); i++ {
			cells := l.Lines[i].row.cells
			all = col < len(cells) && in(sides, cells[col]) && blankCell(cells[col-1])
		}
		if all {
			return col
		}
	}
	return 0
}

// endGround is the column in which the ground that a row ends with begins, behind a blank cell of another ground; 0: in none.
func (r *Row) endGround() (col int, ground string) {
	if len(r.runs) == 0 {
		return 0, ""
	}
	last := len(r.runs) - 1
	ground, col = r.runs[last].style.ground(), r.runs[last].start
	for last > 0 && r.runs[last-1].end == col && r.runs[last-1].style.ground() == ground {
		last--
		col = r.runs[last].start
	}
	if ground == "" || col == 0 || col <= len(r.cells) && !blankCell(r.cells[col-1]) {
		return 0, ""
	}
	return col, ground
}

// PanelEnd is the last line of the lowest panel; -1: none.
func (l *Layout) PanelEnd() int {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		if l.Lines[i].Bar {
			return i
		}
	}
	return -1
}

// PanelTop is the first line of the panel that line i belongs to.
func (l *Layout) PanelTop(i int) int {
	top, _ := l.run(i, 0, l.behindBar)
	return top
}

// PanelTitled is the line of the panel that line i belongs to which holds its first words, if they are title; -1 otherwise.
func (l *Layout) PanelTitled(i int, title string) int {
	if i < 0 {
		return -1
	}
	for at := l.PanelTop(i); at <= i; at++ {
		if l.Lines[at].Kind == Words {
			if l.Lines[at].Text == title {
				return at
			}
			return -1
		}
	}
	return -1
}

// MarkButton marks the one button whose ground differs from that of all the others. It reports whether one is proven.
func (d *Dialog) MarkButton() bool {
	if d.Marked, d.Colour = -1, false; len(d.Entries) > 2 {
		d.markLit(&d.Menu, func(s Style) Style { return Style{Bg: s.ground()} })
	}
	return d.Colour
}

// MarkNumber marks the entry whose number has a ground of its own. It reports whether one is proven.
func (d *Dialog) MarkNumber() bool {
	d.Marked = onlyOne(len(d.Entries), func(i int) bool {
		line := &d.Lines[d.Entries[i].First]
		here := line.Style(line.Col).ground()
		return here != "" && here != line.Style(max(line.Col-2, 0)).ground()
	})
	d.Colour = d.Marked >= 0
	return d.Colour
}
