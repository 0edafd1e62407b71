package screen

import "cmp"

// BarredBox is the box around line i, which is between two bars, and l without the right one and what is below it. The first and last rows
// of the box are empty; if the first is not on the screen, the box is open.
func (l *Layout) BarredBox(i int) (Region, *Layout) {
	right := l.Lines[i].End() - 1
	f := Region{Left: skip(l.Lines[i].row.cells, 0), Right: right}
	f.Top, f.Bottom = l.run(i, 0, func(i int) bool {
		line := &l.Lines[i]
		return line.Bar && line.End()-1 == right && line.cells[right] == '┃'
	})
	f.Open = f.Top == 0 || l.Lines[f.Top].Col != right
	return f, l.Above(f.Bottom + 1).Without(func(j int, _ *Line) (from, to int) {
		if j < f.Top {
			return 0, 0
		}
		return right, right + 1
	})
}

// BesidePanel is l without its side panel: the one with a ground of its own, else the one from column side on; 0: none.
func (l *Layout) BesidePanel(side int) *Layout {
	if l.ground > 0 {
		return l.before(l.ground, true)
	}
	if side > 0 {
		return l.before(side, false)
	}
	return l
}

// before is l up to column col, where a side panel begins. Proven says that the panel has a ground of its own; otherwise the
// text in it may be part of the question.
func (l *Layout) before(col int, proven bool) *Layout {
	main := l.Without(func(_ int, line *Line) (from, to int) { return col, len(line.cells) })
	main.beside, main.proven = col, proven
	return main
}

// sidePanel is the first column of a side panel; 0: none. From there on all rows have one ground, and the cell before it is
// blank and has another. No text can draw that.
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

// sideRule is the column of a line down all rows of the screen, right of the middle, with a blank before it in each row: a
// side panel may be behind it. 0: none.
func (l *Layout) sideRule() int {
	for col := l.width - 1; col > l.width/2 && len(l.Lines) > barRows; col-- {
		if l.lineUp(len(l.Lines)-1, col) == len(l.Lines) {
			return col
		}
	}
	return 0
}

// lineUp is how many rows, from line last up, a line runs in column col with a blank before it.
func (l *Layout) lineUp(last, col int) int {
	return last - l.LineBefore(last+1, func(i int) bool {
		cells := l.Lines[i].row.cells
		return col >= len(cells) || !in(sides, cells[col]) || !blankCell(cells[col-1])
	})
}

// besideLine reports whether a line runs down at the right of the options and of rows above them, but not down the whole screen: what is
// behind it, as in a panel, is read with the dialog.
func (d *Dialog) besideLine() bool {
	for col := cmp.Or(d.beside, d.width) - 1; col > d.width/2 && d.Frame() == nil; col-- {
		if d.lineUp(d.Last, col) > max(barRows, d.Last-d.First) {
			return true
		}
	}
	return false
}

// endGround is the last ground of a row and the column in which it begins, behind a blank cell of another ground; 0: none.
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

// PanelTop is the first line of the panel around line i.
func (l *Layout) PanelTop(i int) int {
	top, _ := l.run(i, 0, l.behindBar)
	return top
}

// PanelTitled is the lowest panel above line i: its first line with words, if they are title, and its last line; else -1.
func (l *Layout) PanelTitled(i int, title string) (first, last int) {
	if i = l.LineBefore(i, l.behindBar); i < 0 {
		return -1, -1
	}
	if first = l.NextWords(l.PanelTop(i), i+1); first > i || l.Lines[first].Text != title {
		return -1, -1
	}
	return first, i
}

// PanelEnd is the heavy line that closes an input box which is a panel; -1: there is none.
func (l *Layout) PanelEnd() int {
	return l.LineBefore(len(l.Lines), func(i int) bool { return l.Lines[i].Kind == Rule && l.Lines[i].First() == '╹' })
}

// MarkButton marks the one button whose ground differs from all the others'. It reports whether there is one.
func (d *Dialog) MarkButton() bool {
	if d.Marked, d.Colour = -1, false; len(d.Entries) > 2 {
		d.markLit(&d.Menu, func(s Style) Style { return Style{Bg: s.ground()} })
	}
	return d.Colour
}

// MarkNumber marks the one entry whose number has a ground of its own. It reports whether there is one.
func (d *Dialog) MarkNumber() bool {
	d.Marked = onlyOne(len(d.Entries), func(i int) bool {
		line := &d.Lines[d.Entries[i].First]
		here := line.Style(line.Col).ground()
		return here != "" && here != line.Style(max(line.Col-2, 0)).ground()
	})
	d.Colour = d.Marked >= 0
	return d.Colour
}
