package detect

import "github.com/mattn/go-runewidth"

// cells counts terminal cells the same way whatever the locale of the process is.
var cellCount = &runewidth.Condition{}

// cellsOf is how many cells the runes take on a terminal.
func cellsOf(runes []rune) int {
	n := 0
	for _, r := range runes {
		switch {
		case r < 0x300:
			n++
		case r >= 0x2500 && r < 0x25a0: // line drawing and blocks, most of what is not ASCII
			n++
		default:
			n += cellCount.RuneWidth(r)
		}
	}
	return n
}

// track reports whether r is how Qwen and Copilot draw a scrollbar, thumb or track.
func track(r rune) bool { return r == '│' || r == '┃' || r == '█' }

// dropScrollbar takes away a scrollbar in the screen's last column. It is one where rows end in it
// that begin with no side of a box.
func (v *view) dropScrollbar() {
	across := 0
	bars := make([]int, 0, len(v.lines))
	for i := range v.lines {
		cells := v.lines[i].cells
		if n := len(cells); n > 20 && track(cells[n-1]) {
			bars = append(bars, i)
		}
	}
	if len(bars) < 2 {
		return
	}
	for _, i := range bars {
		across = max(across, cellsOf(v.lines[i].cells))
	}
	loose := 0
	for _, i := range bars {
		if cells := v.lines[i].cells; !boxed(cells[:len(cells)-1]) && cellsOf(cells) == across {
			loose++
		}
	}
	if loose < 2 {
		return
	}
	v.scrolled = across - 1
	for _, i := range bars {
		cells := v.lines[i].cells
		n := len(cells)
		if cellsOf(cells) == across && (!boxed(cells[:n-1]) || endsBoxed(cells[:n-1])) {
			cells[n-1] = ' '
		}
	}
}

// boxed reports whether the row begins as a row of a box does.
func boxed(cells []rune) bool {
	for _, r := range cells {
		if r != ' ' {
			return frameRune(r)
		}
	}
	return false
}

// endsBoxed reports whether the row ends as a row of a box does.
func endsBoxed(cells []rune) bool { return frameRune(lastOf(cells)) }

func frameRune(r rune) bool {
	return r == '│' || r == '┃' || r == '║' || r >= '┌' && r <= '┛' || r >= '╒' && r <= '╰'
}
