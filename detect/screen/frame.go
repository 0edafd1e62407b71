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

// findFrames finds the frames of the screen, from the bottom edge of each up along its left side, and makes what draws
// them blank; again for the frames inside them, whose corners may then be the first thing in their row.
func (l *Layout) findFrames() {
	for range 3 {
		for i := len(l.Lines) - 1; i >= 0; i-- {
			if f, ok := l.frameAbove(i); ok {
				l.erase(f)
			}
		}
	}
}

// frameAbove is the frame whose bottom edge is line i. Something may cover its upper part (copilot/1.0.102-longcmd-80x24).
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

// climb goes up from line i along the side in column left: to the line that is none of it, and whether a corner is there.
func (l *Layout) climb(i, left int) (top int, cornered bool) {
	for top = i - 1; top >= 0 && in(sides, l.Lines[top].row.at(left)); top-- {
	}
	return top, top >= 0 && in(topLefts, l.Lines[top].row.at(left))
}

// findBoxes finds the boxes of the screen, by their lower edges from the top: closed on all sides, but for the right side of rows that hold
// characters whose width programs do not agree on.
func (l *Layout) findBoxes() (found []Region) {
	for i := range l.Lines {
		for left, c := range l.Lines[i].row.cells {
			if c < 0x2500 || !in(bottomLefts, c) { // most cells hold no drawing
				continue
			}
			f := Region{Bottom: i, Left: left, Right: left + 1}
			for in(acrosses, l.Lines[i].row.at(f.Right)) {
				f.Right++
			}
			top, cornered := l.climb(i, left)
			if f.Top = top; cornered && top < i-1 && f.Right > left+4 && l.closes(&f) {
				found = append(found, f)
			}
		}
	}
	return found
}

// closes reports whether the right side of a box, and its corners there, are drawn.
func (l *Layout) closes(f *Region) bool {
	for j := f.Top; j <= f.Bottom; j++ {
		row := l.Lines[j].row
		switch c := row.at(f.Right); {
		case j == f.Top && !(in(topRights, c) && l.drawnAcross(f, j)), j == f.Bottom && !in(bottomRights, c):
			return false
		case f.Top < j && j < f.Bottom && !in(sides, c) && unsureWidth(row) == 0:
			return false
		}
	}
	return true
}

// topEdge reports whether line j is the upper edge of f, drawn to the frame's own right side: another frame's is none.
func (l *Layout) topEdge(j int, f Region) bool {
	cells := l.Lines[j].cells
	last := lastCell(cells) - 1
	if f.Right < len(cells) && in(topRights, cells[f.Right]) {
		last = f.Right
	}
	return in(topRights+"─━═│┃█║", cells[last]) && abs(last-f.Right) <= unsureWidth(l.Lines[j].row)
}

// bottomEdge reads the first thing in a row as the bottom edge of a frame: a corner, a line across, and a right corner, or
// what a scrollbar leaves of it (Qwen 0.24 draws frames that are open to the right).
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

// erase takes what draws f away from the lines, and remembers f.
func (l *Layout) erase(f Region) {
	if !f.Open {
		f.Title = strings.Trim(l.Lines[f.Top].text(f.Left, len(l.Lines[f.Top].cells)), " "+topLefts+topRights+"─━═╌┄│┃║")
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
		if i == f.Top || i == f.Bottom { // a title in it goes with it here: a dialog that has one says so
			line.Kind, line.cells = Edge, blanked(line.cells, f.Left, f.Right+1)
			continue
		}
		right, ok := f.rightSide(line.row, line.cells)
		if line.cells = blanked(line.cells, f.Left, f.Left+1); ok {
			line.cells[right] = ' '
		}
	}
}

// rightSide is the column in which a row has the right side of f. It is the frame's own column, unless characters stand in the row
// whose width programs do not agree on: then the side may be as many columns further on as there are of those.
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

// unsureWidth counts the characters of a row that one program draws one cell wide and another two, or none.
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

// frameOf is the outermost frame that line i belongs to; nil: none.
func (l *Layout) frameOf(i int) *Region {
	if id := l.Lines[i].frame; id > 0 {
		return &l.frames[id-1]
	}
	return nil
}

// unclosedAbove reports whether a frame that begins in the column of f's left side is above it and is not closed: then f may be drawn
// inside of it.
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

// twinAbove doubts where a dialog begins if above its frame another one with the same sides stands: it may be the dialog's upper part.
func (d *Dialog) twinAbove() {
	f := d.Frame()
	if f == nil {
		return
	}
	for _, g := range d.frames {
		if g.Bottom < f.Top && g.Left == f.Left && abs(g.Right-f.Right) <= 1 {
			d.Doubt(reason.SecondHead)
		}
	}
}

// Frames are the frames on the screen.
func (l *Layout) Frames() []Region { return l.frames }
