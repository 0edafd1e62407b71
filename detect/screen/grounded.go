package screen

import (
	"iter"
	"slices"
	"strings"
)

// A pop-up may have no frame: a ground of its own sets it apart from the text that it covers (mastracode 0.32.1).

// The least number of rows and columns of such a pop-up, with the blank ones around its words.
const (
	groundRows    = 4
	groundColumns = 20
)

// grounded finds the boxes that only their ground sets apart, from the top. All rows of one have a ground from its first column to its
// last, and none beside it. They are blank at all four sides.
func (l *Layout) grounded() (found []Region) {
	var open []Region
	for i := range l.Lines {
		var on []Region
		for left, right := range l.Lines[i].row.grounds() {
			r := Region{Top: i, Bottom: i, Left: left, Right: right}
			if at := slices.IndexFunc(open, func(o Region) bool { return o.Left == left && o.Right == right }); at >= 0 {
				r.Top = open[at].Top
			}
			on = append(on, r)
		}
		found, open = append(found, slices.DeleteFunc(open, func(o Region) bool {
			return slices.ContainsFunc(on, func(r Region) bool { return r.Top == o.Top && r.Left == o.Left })
		})...), on
	}
	found = append(found, open...)
	return slices.DeleteFunc(found, func(r Region) bool {
		return r.Bottom-r.Top+1 < groundRows || r.Right-r.Left+1 < groundColumns || r.Left == 0 || r.Right >= l.width-1 || !l.padded(r)
	})
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

// framedGround is l with a frame drawn around the lowest box that only its ground sets apart, and that box; l itself if there is none. The
// box cuts words beside it: one that does not may be a block of text.
func (l *Layout) framedGround() (*Layout, Region) {
	found := l.grounded()
	if len(found) == 0 {
		return l, Region{}
	}
	lowest := found[len(found)-1]
	drawn := l.screen.framed(lowest)
	if !drawn.cutsWords(lowest) {
		return l, Region{}
	}
	return Lay(drawn), lowest
}

// framed is the screen with a frame in the blank cells at the sides of a region: its ground is as good as one.
func (s Screen) framed(r Region) Screen {
	drawn := Screen{Rows: slices.Clone(s.Rows), Columns: s.Columns}
	for i := r.Top; i <= r.Bottom; i++ {
		row := &drawn.Rows[i]
		row.cells = slices.Grow(slices.Clone(row.cells), r.Right+1)
		for len(row.cells) <= r.Right {
			row.cells = append(row.cells, ' ')
		}
		first, last, between := '│', '│', ' '
		switch i {
		case r.Top:
			first, last, between = '╭', '╮', '─'
		case r.Bottom:
			first, last, between = '╰', '╯', '─'
		}
		row.cells[r.Left], row.cells[r.Right] = first, last
		for c := r.Left + 1; c < r.Right && between != ' '; c++ {
			row.cells[c] = between
		}
		row.Text = strings.TrimRight(rawText(row, 0, len(row.cells)), " ")
	}
	return drawn
}
