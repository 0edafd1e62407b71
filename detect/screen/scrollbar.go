package screen

// A scrollbar is at the right of rows that are a part of what there is.

// track reports whether r is how Qwen, Copilot and Crush draw a scrollbar, thumb or track.
func track(r rune) bool { return r == '│' || r == '┃' || r == '█' }

const (
	// narrowestBar is the last column in which no scrollbar is looked for: the row is a short one that ends in a bar.
	narrowestBar = 20
	// looseRows is how many rows that begin with no frame must end in the bar: one may be text.
	looseRows = 2
)

// dropScrollbar takes away a scrollbar in the screen's last column. It is one where rows end in it
// that begin with no side of a frame.
func (l *Layout) dropScrollbar() {
	across, corner := 0, -1
	var bars []int
	for i := range l.Lines {
		cells := l.Lines[i].cells
		n := len(cells)
		switch { // between two corners stands a frame's side, whatever its rows begin with (qwen/0.12.0-run-100x40)
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
		if cells := l.Lines[i].cells; len(cells) == across && !framed(cells[:across-1]) {
			loose++
		}
	}
	if loose < looseRows {
		return
	}
	l.scrolled = across - 1
	for _, i := range bars {
		cells := l.Lines[i].cells
		if n := len(cells); n == across && (!framed(cells[:n-1]) || frameRune(cells[max(lastCell(cells[:n-1])-1, 0)])) {
			l.Lines[i].cells = blanked(cells, n-1, n)
		}
	}
}

// unscrolled is where the cells of a row end, without the scrollbar that was taken away.
func (l *Layout) unscrolled(cells []rune) int {
	if l.scrolled > 0 && lastCell(cells) == l.scrolled+1 && track(cells[l.scrolled]) {
		return l.scrolled
	}
	return len(cells)
}

// withoutScrollbar is l without the scrollbar that a program draws in a column inside of its box, beside what does not fit: a thumb, and
// nothing but thumb or track in a run of rows.
func (l *Layout) withoutScrollbar(col int) *Layout {
	first, last, thumb := -1, -1, false
	for i := range l.Lines {
		c := l.Lines[i].at(col)
		if !track(c) {
			continue
		}
		if first < 0 {
			first = i
		} else if i != last+1 {
			return l
		}
		last, thumb = i, thumb || c != '│'
	}
	if first == last || !thumb {
		return l
	}
	bare := l.Without(func(i int, _ *Line) (from, to int) {
		if first <= i && i <= last {
			return col, col + 1
		}
		return 0, 0
	})
	bare.scrolled = col
	return bare
}

// framed reports whether a row begins as a row of a frame does.
func framed(cells []rune) bool {
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
