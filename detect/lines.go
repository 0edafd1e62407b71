package detect

import (
	"strings"
	"unicode/utf8"
)

// kind says what a row is made of, once the frames around it are taken away.
type kind uint8

const (
	blank  kind = iota
	text        // words
	rule        // a line drawn across: ─────
	dashed      // a broken line across: ╌╌╌╌╌
	edge        // the top or bottom of a box
)

// line is one row of the screen without its frames. Columns count runes from the screen's left edge,
// frames included, so that they compare between rows inside and outside of a box.
type line struct {
	cells []rune // the row, frames replaced by blanks
	kind  kind
	col   int    // column of the first rune of text
	text  string // without blanks around it
	box   int    // the outermost box that the row belongs to, from 1; 0: none
	bar   bool   // a bar at the left was taken away
}

// box is one frame on the screen.
type box struct {
	top, bottom int    // rows of its edges; where it is open, top is the row above what is seen of it
	left        int    // column of its left side
	open        bool   // the top edge is not on the screen
	title       string // words that stand in its top edge
}

// view is a screen made ready to be read: frames found and taken away, columns kept.
type view struct {
	screen   Screen
	lines    []line // up to the last row that is not blank
	boxes    []box
	width    int // the widest row, in runes
	scrolled int // cell column of a scrollbar that was taken away; 0: none
}

func newView(s Screen) *view {
	v := &view{screen: s, lines: make([]line, s.end())}
	size := 0
	for i := range v.lines {
		size += utf8.RuneCountInString(s.Rows[i].Text)
	}
	cells := make([]rune, 0, size)
	for i := range v.lines {
		start := len(cells)
		for _, r := range s.Rows[i].Text {
			if r == '\u00a0' {
				r = ' '
			}
			cells = append(cells, r)
		}
		v.lines[i].cells = cells[start:len(cells):len(cells)]
		v.width = max(v.width, len(cells)-start)
	}
	v.dropScrollbar()
	v.unbox()
	drawn := 0 // the widest line drawn across: it fills its pane
	for i := range v.lines {
		l := &v.lines[i]
		l.settle()
		if l.kind == rule || l.kind == dashed || l.kind == edge {
			drawn = max(drawn, len(l.cells))
		}
	}
	if drawn < v.width {
		v.width = max(v.width, narrowest)
	}
	return v
}

// narrowest is the width that a pane is taken to have at least where nothing drawn tells it: short rows alone
// are no narrow pane, in which every row would look wrapped.
const narrowest = 48

// settle reads kind, text and column from the cells.
func (l *line) settle() {
	start, end := 0, len(l.cells)
	for start < end && l.cells[start] == ' ' {
		start++
	}
	for end > start && l.cells[end-1] == ' ' {
		end--
	}
	if end > start+1 && l.cells[start] == '╎' && l.cells[end-1] == '╎' {
		l.cells[start], l.cells[end-1] = ' ', ' ' // a frame without corners: Claude Code 2.0.10 around a diff
		l.settle()
		return
	}
	l.col, l.text = start, string(l.cells[start:end])
	switch {
	case l.kind == edge:
	case start == end, end == start+1 && (l.cells[start] == '▲' || l.cells[start] == '▼'):
		l.kind = blank
	default:
		l.kind = drawn(l.cells[start:end])
	}
}

// drawn tells a line drawn across from words.
func drawn(cells []rune) kind {
	if len(cells) < 3 {
		return text
	}
	switch first := cells[0]; first {
	case '─', '━', '═', '▔', '▁', '╌', '┄', '┈', '╍', '┅', '▀', '▄', '╹':
		for i, r := range cells[1:] {
			if r == first || first == '╹' && r == '▀' {
				continue
			}
			if first == '─' && i > 10 && cells[len(cells)-1] == '─' {
				return rule // with a name in it: "──── session ─"
			}
			return text
		}
		if first == '╌' || first == '┄' || first == '┈' || first == '╍' || first == '┅' {
			return dashed
		}
		return rule
	}
	return text
}

// unbox finds the boxes of the screen, from the bottom edge of each up along its left side, and
// replaces what draws them by blanks; again for the boxes inside them.
func (v *view) unbox() {
	for range 3 {
		found := false
		for i := len(v.lines) - 1; i >= 0; i-- {
			if b, ok := v.boxAbove(i); ok {
				found = true
				v.open(b)
			}
		}
		if !found {
			return
		}
	}
}

// boxAbove reports the box whose bottom edge is row i.
func (v *view) boxAbove(i int) (box, bool) {
	l := &v.lines[i]
	left, ok := corner(l.cells, "╰└┗╚", "╯┘┛╝")
	if !ok || l.kind == edge {
		return box{}, false
	}
	for j := i - 1; j >= 0; j-- {
		cells := v.lines[j].cells
		c := ' '
		if left < len(cells) {
			c = cells[left]
		}
		switch {
		case side(c):
		case strings.ContainsRune("╭┌┏╔", c):
			if j == i-1 {
				return box{}, false
			}
			return box{top: j, bottom: i, left: left}, true
		default:
			if i-j < 5 {
				return box{}, false
			}
			return box{top: j, bottom: i, left: left, open: true}, true // its upper part is behind another row
		}
	}
	if i == 0 {
		return box{}, false
	}
	return box{top: -1, bottom: i, left: left, open: true}, true
}

// corner reports the column of the left corner when the cells are one edge of a box: a corner, a
// line across, and mostly a right corner (Qwen draws boxes that are open to the right).
func corner(cells []rune, lefts, rights string) (int, bool) {
	left := 0
	for left < len(cells) && cells[left] == ' ' {
		left++
	}
	if left+2 >= len(cells) || !strings.ContainsRune(lefts, cells[left]) {
		return 0, false
	}
	across := 0
	for _, r := range cells[left+1:] {
		switch r {
		case '─', '━', '═', '╌', '┄':
			across++
		}
	}
	last := lastOf(cells)
	closed := strings.ContainsRune(rights, last) || strings.ContainsRune("│┃█║ ", last)
	return left, across >= 2 && (closed || last == '─')
}

func lastOf(cells []rune) rune {
	for i := len(cells) - 1; i >= 0; i-- {
		if cells[i] != ' ' {
			return cells[i]
		}
	}
	return ' '
}

func side(r rune) bool {
	switch r {
	case '│', '┃', '║', '├', '┤', '|', '╎', '╏', '┆', '┇', '┊', '┋', '╠', '╣', '┣', '┫', '╟', '╢':
		return true
	}
	return false
}

// open replaces what draws b by blanks and remembers the box.
func (v *view) open(b box) {
	if !b.open {
		b.title = strings.Trim(string(v.lines[b.top].cells[b.left:]), " ╭┌┏╔╮┐┓╗─━═╌┄│┃║")
	}
	v.boxes = append(v.boxes, b)
	id := len(v.boxes)
	first := max(b.top, 0)
	if b.open {
		first = b.top + 1
	}
	for i := first; i <= b.bottom; i++ {
		l := &v.lines[i]
		if l.box == 0 {
			l.box = id
		}
		if i == b.top && !b.open || i == b.bottom {
			l.kind = edge
			for c := b.left; c < len(l.cells); c++ {
				l.cells[c] = ' '
			}
			continue
		}
		l.cells[b.left] = ' '
		for c := len(l.cells) - 1; c > b.left; c-- {
			if l.cells[c] == ' ' {
				continue
			}
			if side(l.cells[c]) {
				l.cells[c] = ' '
			}
			break
		}
	}
}

// dropBar takes away the bar that OpenCode and its kin draw at the left of a panel.
func (v *view) dropBar() {
	for i := range v.lines {
		l := &v.lines[i]
		if l.kind == text && l.cells[l.col] == '┃' {
			l.cells[l.col] = ' '
			l.bar = true
			l.settle()
		}
	}
}

// dropColumn takes away everything from column col on: a side panel that shares the rows.
func (v *view) dropColumn(col int) {
	for i := range v.lines {
		l := &v.lines[i]
		if len(l.cells) > col {
			l.cells = l.cells[:col]
			l.settle()
		}
	}
}

// paragraph joins the texts of the lines from first to last with single blanks.
func (v *view) paragraph(first, last int) string {
	if first == last {
		return v.lines[first].text
	}
	var b strings.Builder
	for _, l := range v.lines[first : last+1] {
		if l.kind != text {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

// body writes the rows from first to last as they stand from column margin on, without the blank
// ones at both ends. Rows are never joined: what stood at a wrap can't be known.
func (v *view) body(first, last, margin int) []string {
	var rows []string
	for i := max(first, 0); i <= last && i < len(v.lines); i++ {
		l := &v.lines[i]
		switch l.kind {
		case edge, rule, dashed:
			continue
		case blank:
			rows = append(rows, "")
			continue
		}
		rows = append(rows, strings.Repeat(" ", max(l.col-margin, 0))+l.text)
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
