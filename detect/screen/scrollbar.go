package screen

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
