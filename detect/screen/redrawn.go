package screen

import (
	"slices"
	"strings"
	"unicode"

	"nod/internal/reason"
)

// Some programs draw in another way what most draw alike: boxes of plain characters, or other text in a column beside the dialog. Where no dialog
// is found on a screen, it is read again as most would have drawn it. Text can look like any of these: nod presses no key.

// redrawn recognises a dialog on such a screen. Beside other text one without a mark may be a table, which says yes and no, too.
func (l *Layout) redrawn() (d *Dialog) {
	lined := l.lined()
	if lined != l {
		d = lined.drawnDialog()
	}
	for part := range lined.columns {
		if beside := part.LiveDialog(); d == nil && beside != nil && beside.Marked >= 0 {
			d = beside
			d.Doubt(reason.TextBeside)
		}
	}
	return d
}

// lined is l with lines for the edges of its boxes of plain characters, "+---+" above or below a "|"; l itself: it has none.
func (l *Layout) lined() *Layout {
	drawn := Screen{Rows: slices.Clone(l.screen.Rows), Columns: l.screen.Columns}
	found := false
	for i := range l.Lines {
		line := &l.Lines[i]
		beside := func(j int) bool { return j >= 0 && j < len(l.Lines) && l.Lines[j].row.at(line.Col) == '|' }
		inner, ok := strings.CutPrefix(strings.TrimSuffix(line.Text, "+"), "+")
		if !ok || len(inner) != len(line.Text)-2 || strings.Contains(inner, "+") || !Starts(inner, "--", "==") { // corners in between make it a table
			continue
		}
		corners := []rune("├┤")
		switch {
		case !beside(i + 1):
			corners = []rune("└┘")
		case !beside(i - 1):
			corners = []rune("┌┐")
		}
		row := &drawn.Rows[i]
		row.cells = []rune(strings.NewReplacer("-", "─", "=", "─").Replace(string(row.cells)))
		row.cells[line.Col], row.cells[line.End()-1], found = corners[0], corners[1], true
	}
	if !found {
		return l
	}
	return Lay(drawn)
}

// The least number of blank columns between two columns of text, and of rows of different lengths in each: what is before each row of a listing
// ends in one column.
const (
	columnGap  = 2
	columnRows = 3
)

// columns yields l without the text at one side, and then at the other, of each gap that goes down all rows.
func (l *Layout) columns(yield func(*Layout) bool) {
	from := 1 // the first column of a gap
	for to := 1; to < l.width; to++ {
		if l.LineFrom(0, len(l.Lines), func(i int) bool { return !blankCell(l.Lines[i].row.at(to)) }) < 0 {
			continue
		}
		if to-from >= columnGap && l.ragged(0, from) && l.ragged(to, l.width) {
			rest := l.Without(func(int, *Line) (int, int) { return 0, to })
			if !yield(l.before(from, false)) || !yield(rest) {
				return
			}
		}
		from = to + 1
	}
}

// ragged reports whether there are words between two columns, in rows of different lengths.
func (l *Layout) ragged(from, to int) bool {
	ends := map[int]bool{}
	for i := range l.Lines {
		if text := rawText(l.Lines[i].row, from, min(to, len(l.Lines[i].row.cells))); strings.ContainsFunc(text, unicode.IsLetter) {
			ends[width(text)] = true
		}
	}
	return len(ends) >= columnRows
}
