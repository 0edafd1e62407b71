package screen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// A pop-up is a box that is drawn over the screen's text, which goes on beside it and below (crush/main-37f36e93-bash-80x24).

// PopUp is the screen with nothing left on it but the lowest box whose first row begins with title, without its scrollbar; nil where there
// is none. It is in the middle of the pane, or fills it, at the bottom or above rows that live accepts: what the program draws there
// meanwhile. A box inside of a box is a text in it.
func (l *Layout) PopUp(title string, live func(*Layout) bool) *Layout {
	titled := func(f Region) bool {
		within := slices.ContainsFunc(l.boxes, func(g Region) bool {
			return g.Top < f.Top && f.Bottom < g.Bottom && g.Left < f.Left && f.Right < g.Right
		})
		return !within && strings.HasPrefix(strings.TrimLeft(rawText(&l.screen.Rows[f.Top+1], f.Left+1, f.Right), " "), title)
	}
	for f, popup := range l.popups(func(f Region) bool { return titled(f) && l.over(f, live) }) {
		return popup.withoutScrollbar(f.Right - barInset)
	}
	return nil
}

// over reports whether a box is where a program draws one over its own screen.
func (l *Layout) over(f Region, live func(*Layout) bool) bool {
	bottom, columns := f.Bottom == len(l.Lines)-1, l.screen.Columns
	if columns > 0 && abs(f.Left-(columns-1-f.Right)) > 1 {
		return bottom && f.Top == 0 && f.Left == 0
	}
	return bottom || live(l)
}

// barInset is how many columns left of the right side of a box its scrollbar stands.
const barInset = 2

// popups are the boxes for which lies holds, lowest first, each with the screen with nothing left on it but the box. What is beside a
// row of a box is left out only where both of its sides are in their columns.
func (l *Layout) popups(lies func(Region) bool) iter.Seq2[Region, *Layout] {
	return func(yield func(Region, *Layout) bool) {
		for _, f := range slices.Backward(l.boxes) {
			if !lies(f) {
				continue
			}
			popup := Lay(l.screen.inside(f))
			popup.covered = l.unclosedAbove(&f)
			if !yield(f, popup) {
				return
			}
		}
	}
}

// liesOver reports whether a box lies over the other text of a screen. A quoted box fills its rows alone, or has the same mark before
// each of them; what lies over text cuts through words of it, or is in the middle of the pane. Rows below a box are what it does not
// cover, and end as the screen of a program does: with no shell's prompt, and nothing that was said.
func (l *Layout) liesOver(f Region) bool {
	return f.Bottom-f.Top > 2 && (l.screen.cutsWords(f) || l.screen.centred(f)) && !l.belowBox(f).Over
}

// belowBox is what is in the lowest row of the screen, below a box.
func (l *Layout) belowBox(f Region) Beneath {
	lowest, _ := l.LowestRow()
	return l.beneath(max(lowest-1, f.Bottom), nil)
}

// inside is the screen with blanks wherever f does not stand.
func (s Screen) inside(f Region) Screen {
	boxed := Screen{Rows: make([]Row, len(s.Rows)), Columns: s.Columns}
	for i := f.Top; i <= f.Bottom; i++ {
		row := s.Rows[i]
		end := len(row.cells)
		if f.Right < end && (in(sides, row.cells[f.Right]) || in(topRights+bottomRights, row.cells[f.Right])) {
			end = f.Right + 1
		}
		cells := slices.Clone(row.cells[:end])
		for c := range f.Left {
			cells[c] = ' '
		}
		if i == f.Top+1 {
			dropHatching(cells)
		}
		marks := slices.DeleteFunc(slices.Clone(row.marks), func(m mark) bool { return m.col < f.Left || m.col >= end })
		boxed.Rows[i] = Row{cells: cells, marks: marks, runs: row.runs}
		boxed.Rows[i].Text = rawText(&boxed.Rows[i], 0, end)
	}
	return boxed
}

// dropHatching takes away the strokes that fill a title's row, from the last of them to the left; in a pane of another width there
// are others.
func dropHatching(cells []rune) {
	c := len(cells) - 1
	for c > 0 && cells[c] != '╱' && (cells[c] == ' ' || in(sides, cells[c])) {
		c--
	}
	for ; c > 0 && cells[c] == '╱'; c-- {
		cells[c] = ' '
	}
}

// cutsWords reports whether words end right at a side of b, and not the same ones in each of its rows.
func (s Screen) cutsWords(b Region) bool {
	cut := false
	before := map[string]bool{}
	for i := b.Top; i <= b.Bottom; i++ {
		cells := s.Rows[i].cells
		before[strings.TrimSpace(string(cells[:b.Left]))] = true
		if b.Left > 0 && unicode.IsLetter(cells[b.Left-1]) || b.Right+1 < len(cells) && !blankCell(cells[b.Right+1]) {
			cut = true
		}
	}
	return cut && len(before) > 1
}

// centred reports whether b is in the middle of the pane, with room at both sides.
func (s Screen) centred(b Region) bool {
	width := s.Columns
	for i := range s.Rows {
		width = max(width, len(s.Rows[i].cells))
	}
	const room = 4
	return b.Left >= room && abs(b.Left-(width-1-b.Right)) <= 1
}
