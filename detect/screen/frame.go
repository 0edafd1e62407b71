package screen

import (
	"strings"

	"nod/internal/reason"
)

// Frame is one box drawn on the screen.
type Frame struct {
	Top, Bottom int  // lines of its edges; where it is open, Top is the line above what is seen of it
	Left, Right int  // columns of its sides; Right is the last column of the screen where nothing closes it
	Open        bool // its upper edge is not on the screen
	Title       string
}

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

// frameAbove is the frame whose bottom edge is line i.
func (l *Layout) frameAbove(i int) (Frame, bool) {
	left, right, ok := bottomEdge(l.Lines[i].cells)
	if !ok || l.Lines[i].Kind == Edge || i == 0 {
		return Frame{}, false
	}
	f := Frame{Top: -1, Bottom: i, Left: left, Right: right, Open: true}
	for j := i - 1; j >= 0; j-- {
		switch c := l.Lines[j].at(left); {
		case in(sides, c):
		case in(topLefts, c):
			f.Top, f.Open = j, !l.topEdge(j, f)
			return f, j < i-1
		default:
			f.Top = j // something covers its upper part (copilot/1.0.102-longcmd-80x24)
			return f, j < i-1
		}
	}
	return f, true
}

// topEdge reports whether line j is the upper edge of f, drawn to the frame's own right side: another frame's is none.
func (l *Layout) topEdge(j int, f Frame) bool {
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
func (l *Layout) erase(f Frame) {
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
func (f Frame) rightSide(row *Row, cells []rune) (int, bool) {
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
func (l *Layout) frameOf(i int) *Frame {
	if id := l.Lines[i].frame; id > 0 {
		return &l.frames[id-1]
	}
	return nil
}

// unclosedAbove reports whether a frame that begins in the column of f's left side is above it and is not closed: then f may be drawn
// inside of it.
func (l *Layout) unclosedAbove(f *Frame) bool {
	for j := f.Top - 1; j >= 0; j-- {
		row := &l.screen.Rows[j]
		if f.Left >= len(row.cells) {
			continue
		}
		switch c := row.cells[f.Left]; {
		case in(topLefts, c), in(sides, c):
			return true
		case in(bottomLefts, c):
			if f.Left+1 < len(row.cells) && in("█▀▄", row.cells[f.Left+1]) {
				continue // a letter of a program's name, drawn large (qwen/0.12.0-run-100x40)
			}
			g := l.closedBy(j, f.Left)
			if g == nil {
				return true
			}
			j = g.Top
		}
	}
	return false
}

// closedBy is the frame that line i closes, if its sides stand over the corners of that line up to its upper edge, or to the top of the
// screen.
func (l *Layout) closedBy(i, left int) *Frame {
	for n := range l.frames {
		g := &l.frames[n]
		if g.Bottom != i || g.Left != left || g.Open && g.Top >= 0 {
			continue
		}
		if _, ok := g.rightSide(&l.screen.Rows[i-1], l.screen.Rows[i-1].cells); ok {
			return g
		}
	}
	return nil
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
func (l *Layout) Frames() []Frame { return l.frames }
