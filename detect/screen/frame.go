package screen

import (
	"slices"
	"strings"

	"nod/internal/reason"
)

// The characters that draw frames.
const (
	topLefts, topRights       = "╭┌┏╔", "╮┐┓╗"
	bottomLefts, bottomRights = "╰└┗╚", "╯┘┛╝"
	sides                     = "│┃║├┤|╎╏┆┇┊┋╠╣┣┫╟╢"
	acrosses                  = "─━═╌┄"
)

func in(set string, r rune) bool { return r > ' ' && strings.ContainsRune(set, r) }

// findFrames finds the frames of the screen, each from its bottom edge up along its left side, and blanks their drawing. It
// does so three times: once an outer frame is blank, the corner of an inner one is the first thing in its row.
func (l *Layout) findFrames() {
	for range 3 {
		for i := len(l.Lines) - 1; i >= 0; i-- {
			if f, ok := l.frameAbove(i); ok {
				l.erase(f)
			}
		}
	}
}

// frameAbove is the frame whose bottom edge is line i. Its upper part may be covered (copilot/1.0.102-longcmd-80x24).
func (l *Layout) frameAbove(i int) (Region, bool) {
	left, right, ok := bottomEdge(l.Lines[i].cells)
	if !ok || l.Lines[i].Kind == Edge || i == 0 {
		return Region{}, false
	}
	f := Region{Bottom: i, Left: left, Right: right}
	var cornered bool
	f.Top, cornered = l.climb(i, left)
	f.Open = !cornered || !l.topEdge(f.Top, f)
	return f, f.Top < i-1
}

// climb goes up from line i along the side in column left. It returns the first line above that side, and whether a corner
// is there.
func (l *Layout) climb(i, left int) (top int, cornered bool) {
	for top = i - 1; top >= 0 && in(sides, l.Lines[top].row.at(left)); top-- {
	}
	return top, top >= 0 && in(topLefts, l.Lines[top].row.at(left))
}

// findBoxes finds the boxes of the screen, from the top by their lower edges. A box is closed on all sides; rows with
// characters of a disputed width may lack the right one. Its edges may hold words: a title, the keys.
func (l *Layout) findBoxes() (found []Region) {
	for i := range l.Lines {
		for left, c := range l.Lines[i].row.cells {
			if c < 0x2500 || !in(bottomLefts, c) { // fast: few cells hold a drawing
				continue
			}
			right, ok := edgeFrom(l.Lines[i].row.cells, left, bottomRights)
			if !ok {
				continue
			}
			f := Region{Bottom: i, Left: left, Right: right}
			top, cornered := l.climb(i, left)
			if f.Top = top; cornered && top < i-1 && f.Right > left+4 && l.closes(&f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// edgeFrom finds the corner at the right end of the edge of a box that begins in column left. A part of the edge is drawn across, whatever
// else is in it, and no other corner is between the two.
func edgeFrom(cells []rune, left int, corners string) (right int, ok bool) {
	across := false
	for c := left + 1; c < len(cells); c++ {
		switch r := cells[c]; {
		case in(corners, r):
			return c, across
		case in(acrosses, r):
			across = true
		case in(topLefts+topRights+bottomLefts+bottomRights, r):
			return 0, false
		}
	}
	return 0, false
}

// closes reports whether the right side of a box and its corners are drawn.
func (l *Layout) closes(f *Region) bool {
	if right, ok := edgeFrom(l.Lines[f.Top].row.cells, f.Left, topRights); !ok || right != f.Right {
		return false
	}
	for j := f.Top + 1; j < f.Bottom; j++ {
		if row := l.Lines[j].row; !in(sides, row.at(f.Right)) && unsureWidth(row) == 0 {
			return false
		}
	}
	return true
}

// topEdge reports whether line j is the upper edge of f: it ends at f's right side, and not at another frame's, which may have taken the
// whole line. A corner inside of it is that of a box that covers a part of f.
func (l *Layout) topEdge(j int, f Region) bool {
	cells := l.Lines[j].cells
	last := lastCell(cells) - 1
	if f.Right < len(cells) && in(topRights, cells[f.Right]) {
		last = f.Right
	}
	if last <= f.Left || slices.ContainsFunc(cells[f.Left+1:min(f.Right, last)], func(c rune) bool { return in(topLefts+topRights, c) }) {
		return false
	}
	return in(topRights+"─━═│┃█║", cells[last]) && abs(last-f.Right) <= unsureWidth(l.Lines[j].row)
}

// bottomEdge reads the beginning of a row as the bottom edge of a frame: a corner, a line across and a right corner, which
// a scrollbar may have replaced (Qwen 0.24 draws frames that are open to the right).
func bottomEdge(cells []rune) (left, right int, ok bool) {
	for left < len(cells) && cells[left] == ' ' {
		left++
	}
	if left >= len(cells) || !in(bottomLefts, cells[left]) {
		return 0, 0, false
	}
	across, right := 0, len(cells)-1
	for c := left + 1; c < len(cells); c++ {
		if in(acrosses, cells[c]) {
			across++
		}
		if in(bottomRights, cells[c]) {
			right = c
			break
		}
	}
	last := cells[lastCell(cells)-1]
	closed := in(bottomRights, cells[right]) || in("│┃█║", last) || last == '─'
	return left, right, across >= 2 && closed
}

// erase blanks the drawing of f in copies of the lines' cells, and adds f to the frames.
func (l *Layout) erase(f Region) {
	if !f.Open {
		f.Title = strings.TrimLeftFunc(inEdge(l.Lines[f.Top].text(f.Left, len(l.Lines[f.Top].cells))), func(r rune) bool { return r == ' ' || turns(r) })
	}
	l.frames = append(l.frames, f)
	id := len(l.frames)
	for i := max(f.Top, 0); i <= f.Bottom; i++ {
		if i == f.Top && f.Open {
			continue
		}
		line := &l.Lines[i]
		if line.frame == 0 {
			line.frame = id
		}
		if i == f.Top || i == f.Bottom { // with its title, which f keeps
			line.Kind, line.cells = Edge, blanked(line.cells, f.Left, f.Right+1)
			continue
		}
		right, ok := f.rightSide(line.row, line.cells)
		if line.cells = blanked(line.cells, f.Left, f.Left+1); ok {
			line.cells[right] = ' '
		}
	}
}

// inEdge are the words in a drawn edge.
func inEdge(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == ' ' || drawsFrame(r) })
}

// rightSide is the column of f's right side in one row. If the row holds characters of a disputed width, the side may be
// off by as many columns as there are of them.
func (f Region) rightSide(row *Row, cells []rune) (int, bool) {
	if f.Right < len(cells) && in(sides, cells[f.Right]) {
		return f.Right, true
	}
	last := lastCell(cells) - 1
	if last <= f.Left || !in(sides, cells[last]) {
		return 0, false
	}
	return last, abs(last-f.Right) <= unsureWidth(row)
}

// unsureWidth counts the characters of a row whose width programs do not agree on: no cell, one or two.
func unsureWidth(row *Row) int {
	n := len(row.marks)
	for _, r := range row.cells {
		if r == rightHalf || r >= 0x2190 && r < 0x2500 || r >= 0x25a0 && r < 0x2e80 {
			n++
		}
	}
	return n
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// frameOf is the outermost frame around line i; nil: none.
func (l *Layout) frameOf(i int) *Region {
	if id := l.Lines[i].frame; id > 0 {
		return &l.frames[id-1]
	}
	return nil
}

// unclosedAbove reports whether an unclosed frame with f's left side is above f: f may be drawn inside of it.
func (l *Layout) unclosedAbove(f *Region) bool {
	for j := range max(f.Top, 0) {
		closed := func(g Region) bool {
			_, ok := g.rightSide(l.Lines[g.Bottom-1].row, l.Lines[g.Bottom-1].row.cells)
			return ok && g.Left == f.Left && g.Top <= j && j <= g.Bottom && (!g.Open || g.Top < 0)
		}
		switch row := l.Lines[j].row; {
		case in(bottomLefts, row.at(f.Left)) && in("█▀▄", row.at(f.Left+1)): // a letter of a program's name, drawn large (qwen/0.12.0-run-100x40)
		case in(topLefts+sides+bottomLefts, row.at(f.Left)) && !slices.ContainsFunc(l.frames, closed):
			return true
		}
	}
	return false
}

// twinAbove doubts the head of a dialog if another frame with the same sides is above its own: that may be its upper part.
func (d *Dialog) twinAbove() {
	f := d.Frame()
	twin := func(g Region) bool { return g.Bottom < f.Top && g.Left == f.Left && abs(g.Right-f.Right) <= 1 }
	if f != nil && slices.ContainsFunc(d.frames, twin) {
		d.Doubt(reason.SecondHead)
	}
}

// Frames are the frames on the screen.
func (l *Layout) Frames() []Region { return l.frames }
