package screen

import (
	"cmp"
	"strings"
)

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

// Panel is the panel around line i, from its bar on. How far it reaches to the right is not known.
func (l *Layout) Panel(i int) Region {
	var p Region
	p.Top, p.Bottom = l.run(i, 0, l.behindBar)
	for _, b := range l.bars {
		if b.Top <= i && i <= b.Bottom {
			p.Left = b.Left
		}
	}
	return p
}

// PanelTitled is the lowest panel above line i: its first line with words, if they are title, and its last line; else -1.
func (l *Layout) PanelTitled(i int, title string) (first, last int) {
	if i = l.LineBefore(i, l.behindBar); i < 0 {
		return -1, -1
	}
	if first = l.NextWords(l.Panel(i).Top, i+1); first > i || l.Lines[first].Text != title {
		return -1, -1
	}
	return first, i
}

// panelEnd is the heavy line that closes an input box which is a panel; -1: there is none.
func (l *Layout) panelEnd() int {
	return l.LineBefore(len(l.Lines), func(i int) bool { return l.Lines[i].Kind == Rule && l.Lines[i].First() == '╹' })
}

// A scrollbar at the right of some rows says that there are more of them.

// track reports whether Qwen, Copilot or Crush draw the thumb or the track of a scrollbar with r.
func track(r rune) bool { return r == '│' || r == '┃' || r == '█' }

const (
	// narrowestBar is the last column in which a bar is no scrollbar: it ends a short row.
	narrowestBar = 20
	// looseRows is how many rows outside of frames must end in the bar: a single one may be text.
	looseRows = 2
)

// dropScrollbar leaves out a scrollbar in the screen's last column. It is one if rows end in it that do not begin with the
// side of a frame.
func (l *Layout) dropScrollbar() {
	across, corner := 0, -1
	var bars []int
	for i := range l.Lines {
		cells := l.Lines[i].cells
		n := len(cells)
		switch { // between two corners it is a frame's side, whatever the rows begin with (qwen/0.12.0-run-100x40)
		case n > 0 && in(topRights, cells[n-1]):
			corner = n - 1
		case n == 0 || n != corner+1 || !track(cells[n-1]):
			corner = -1
		}
		if n > narrowestBar && track(cells[n-1]) && corner < 0 {
			bars = append(bars, i)
			across = max(across, n)
		}
	}
	loose := 0
	for _, i := range bars {
		if cells := l.Lines[i].cells; len(cells) == across && !beginsFrame(cells[:across-1]) {
			loose++
		}
	}
	if loose < looseRows {
		return
	}
	l.scrolled = across - 1
	for _, i := range bars {
		cells := l.Lines[i].cells
		if n := len(cells); n == across && (!beginsFrame(cells[:n-1]) || frameRune(cells[max(lastCell(cells[:n-1])-1, 0)])) {
			l.Lines[i].cells = blanked(cells, n-1, n)
		}
	}
}

// unscrolled is where the cells of a row end, without the scrollbar that is left out.
func (l *Layout) unscrolled(cells []rune) int {
	if l.scrolled > 0 && lastCell(cells) == l.scrolled+1 && track(cells[l.scrolled]) {
		return l.scrolled
	}
	return len(cells)
}

// withoutScrollbar is l without a scrollbar in column col, inside of a box: one run of rows with a thumb and nothing but
// thumb or track in that column.
func (l *Layout) withoutScrollbar(col int) *Layout {
	var rows []int
	thumb := false
	for i := range l.Lines {
		if c := l.Lines[i].at(col); track(c) {
			rows, thumb = append(rows, i), thumb || c != '│'
		}
	}
	n := len(rows)
	if n < 2 || rows[n-1]-rows[0] != n-1 || !thumb {
		return l
	}
	bare := l.Without(func(i int, _ *Line) (from, to int) {
		if rows[0] <= i && i <= rows[n-1] {
			return col, col + 1
		}
		return 0, 0
	})
	bare.scrolled = col
	return bare
}

// beginsFrame reports whether a row begins as a row of a frame does.
func beginsFrame(cells []rune) bool {
	for _, r := range cells {
		if r != ' ' {
			return frameRune(r)
		}
	}
	return false
}

func frameRune(r rune) bool {
	return r == '│' || r == '┃' || r == '║' || r >= '┌' && r <= '┛' || r >= '╒' && r <= '╰'
}

// underScrollbar reports whether a row may go on under the scrollbar. Qwen cuts the ends of rows that it wrapped before the
// scrollbar appeared, and draws them nowhere (qwen/0.24.4-tall-100x40). A row that ends in Qwen's own mark is whole.
func (d *Dialog) underScrollbar(r row) bool {
	const margin = 6 // columns that Qwen keeps free at the right of a row
	return d.Uncut != "" && d.scrolled > 0 && d.Lines[r.line].End() > d.scrolled-margin && !strings.HasSuffix(d.Lines[r.line].Text, d.Uncut)
}
