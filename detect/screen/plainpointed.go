package screen

import (
	"slices"
	"strings"
)

// PlainPointedList is the lowest list whose cursor is drawn with plain characters, "->", "=>" or a star. Only one row
// near the bottom may begin so: several are bullets.
func (l *Layout) PlainPointedList() (List, bool) {
	at := -1
	for i, line := range l.Lowest(plainCursorRows) {
		if plainCursor(line) == 0 {
			continue
		}
		if at >= 0 {
			return List{}, false
		}
		at = i
	}
	if at < 0 {
		return List{}, false
	}
	line := &l.Lines[at]
	was := *line
	was.cells = slices.Clone(line.cells)
	n := plainCursor(line)
	for c := line.Col; c < line.Col+n; c++ {
		line.cells[c] = ' '
	}
	line.cells[was.Col+n-1] = '❯'
	line.settle()
	if list, ok := l.LowestList(); ok && list.Marked >= 0 {
		return list, true
	}
	*line = was
	return List{}, false
}

// plainCursor is how many cells a cursor drawn with plain characters takes at the beginning of a line; 0: there is none.
func plainCursor(line *Line) int {
	if line.Kind != Words {
		return 0
	}
	for _, c := range []string{"->", "=>", "==>", "-->", ">>", "*"} {
		if strings.HasPrefix(line.Text, c+" ") {
			return len(c)
		}
	}
	return 0
}
