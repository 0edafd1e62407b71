package screen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// A pop-up is a box over the screen's text, which goes on beside and below it (crush/main-37f36e93-bash-80x24).

// PopUp is the screen reduced to the lowest pop-up whose first row begins with title, without its scrollbar; nil: none. A
// pop-up is in the middle of the pane or fills it, at the bottom or above rows that live accepts. A box inside of a box is
// text in it.
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

// over reports whether a program may have drawn the box there over its own screen.
func (l *Layout) over(f Region, live func(*Layout) bool) bool {
	bottom, columns := f.Bottom == len(l.Lines)-1, l.screen.Columns
	if columns > 0 && abs(f.Left-(columns-1-f.Right)) > 1 {
		return bottom && f.Top == 0 && f.Left == 0
	}
	return bottom || live(l)
}

// barInset is how many columns left of a box's right side its scrollbar is.
const barInset = 2

// popups yields the boxes for which lies holds, lowest first, each with the screen reduced to it. Text beside a row of the
// box is left out only if both sides of the box are in their columns there.
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

// liesOver reports whether a box covers other text of the screen: it cuts through words, or is in the middle of the pane. A
// quoted box does neither: it fills its rows alone, or has the same mark before each. The rows below the box must end as a
// program's screen does, without a shell's prompt or a message; with an input box only below one that cuts through words.
func (l *Layout) liesOver(f Region) bool {
	if f.Bottom-f.Top < 3 {
		return false
	}
	cuts := l.screen.cutsWords(f)
	return cuts && l.inputBelow(f.Bottom) || (cuts || l.screen.centred(f)) && !l.belowBox(f).Over
}

// belowBox describes the lowest row of the screen below a box.
func (l *Layout) belowBox(f Region) Beneath {
	lowest, _ := l.LowestRow()
	return l.beneath(max(lowest-1, f.Bottom), nil)
}

// below is the screen with blanks down to row i.
func (s Screen) below(i int) Screen {
	return Screen{Rows: append(make([]Row, i+1), s.Rows[i+1:]...), Columns: s.Columns}
}

// inside is the screen with blanks outside of f.
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

// dropHatching blanks the strokes that fill the row of a title. Their number depends on the width of the pane.
func dropHatching(cells []rune) {
	c := len(cells) - 1
	for c > 0 && cells[c] != '╱' && (cells[c] == ' ' || in(sides, cells[c])) {
		c--
	}
	for ; c > 0 && cells[c] == '╱'; c-- {
		cells[c] = ' '
	}
}

// cutsWords reports whether words touch a side of b, and differ from row to row.
func (s Screen) cutsWords(b Region) bool {
	cut := false
	before := map[string]bool{}
	for i := b.Top; i <= b.Bottom; i++ {
		cells := s.Rows[i].cells
		text := string(cells[:b.Left])
		before[strings.TrimSpace(text)] = true
		ends := b.Left > 0 && (unicode.IsLetter(cells[b.Left-1]) || unicode.IsDigit(cells[b.Left-1]))
		if ends && strings.ContainsFunc(text, unicode.IsLetter) || b.Right+1 < len(cells) && !blankCell(cells[b.Right+1]) {
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

// A pop-up may have no frame: a ground of its own sets it apart from the text that it covers (mastracode 0.32.1).

// The least number of rows and columns of such a pop-up, with the blank ones around its words.
const (
	groundRows    = 4
	groundColumns = 20
)

// groundBox is the lowest box that only its ground sets apart; ok is false: there is none. All its rows have a ground from its first column to
// its last, and none beside it. They are blank at all four sides.
func (l *Layout) groundBox() (box Region, ok bool) {
	var above []Region // the stretches of the row above, each with those right above it
	for i := range l.Lines {
		var here []Region
		for left, right := range l.Lines[i].row.grounds() {
			r := Region{Top: i, Bottom: i, Left: left, Right: right}
			if at := slices.IndexFunc(above, func(o Region) bool { return o.Left == left && o.Right == right }); at >= 0 {
				r.Top = above[at].Top
			}
			here = append(here, r)
			if i-r.Top+1 >= groundRows && right-left+1 >= groundColumns && left > 0 && right < l.width-1 && l.padded(r) {
				box, ok = r, true
			}
		}
		above = here
	}
	return box, ok
}

// grounds yields, of each stretch of a row with grounds, the first and last column of each of these grounds.
func (r *Row) grounds() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for first := 0; first < len(r.runs); first++ {
			g, last := r.runs[first].style.ground(), first
			for n := first + 1; n < len(r.runs) && r.runs[n].start == r.runs[n-1].end && r.runs[n].style.ground() != ""; n++ {
				if r.runs[n].style.ground() == g {
					last = n
				}
			}
			begins := first == 0 || r.runs[first-1].end < r.runs[first].start || r.runs[first-1].style.ground() != g
			if g != "" && begins && !yield(r.runs[first].start, r.runs[last].end-1) {
				return
			}
		}
	}
}

// padded reports whether the cells at the four sides of a region are blank.
func (l *Layout) padded(r Region) bool {
	for i := r.Top; i <= r.Bottom; i++ {
		for c := r.Left; c <= r.Right; c++ {
			side := i == r.Top || i == r.Bottom || c == r.Left || c == r.Right
			if side && !blankCell(l.Lines[i].row.at(c)) {
				return false
			}
		}
	}
	return true
}

// framedGround is l with a frame drawn around such a box, and the box; l itself if there is none. The box cuts words beside it: one that does
// not may be a block of text.
func (l *Layout) framedGround() (*Layout, Region) {
	if box, ok := l.groundBox(); ok {
		if drawn := l.screen.framed(box); drawn.cutsWords(box) {
			return Lay(drawn), box
		}
	}
	return l, Region{}
}

// framed is the screen with a frame in the blank cells at the sides of a region: its ground is as good as one.
func (s Screen) framed(r Region) Screen {
	drawn := Screen{Rows: slices.Clone(s.Rows), Columns: s.Columns}
	for i := r.Top; i <= r.Bottom; i++ {
		sides := []rune("│ │")
		switch i {
		case r.Top:
			sides = []rune("╭─╮")
		case r.Bottom:
			sides = []rune("╰─╯")
		}
		row := &drawn.Rows[i]
		cells := slices.Clone(row.cells)
		for len(cells) <= r.Right {
			cells = append(cells, ' ')
		}
		for c := r.Left + 1; c < r.Right && sides[1] != ' '; c++ {
			cells[c] = sides[1]
		}
		cells[r.Left], cells[r.Right], row.cells = sides[0], sides[2], cells
		row.Text = rawText(row, 0, len(cells))
	}
	return drawn
}
