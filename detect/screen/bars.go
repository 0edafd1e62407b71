package screen

import (
	"slices"

	"nod/internal/reason"
)

// bars are the glyphs that draw a bar at the left of rows which belong together.
const bars = "┃│▌▍▎▏█▐║╎┆┊|"

// barRows is how many rows below each other make a bar: fewer are a mark of each row.
const barRows = 3

// withoutBarRuns is l without each bar that stands before three rows or more, in one column, and belongs to no frame. It reports
// whether there is one.
func (l *Layout) withoutBarRuns() (*Layout, bool) {
	found := make([]bool, len(l.Lines))
	for i := range l.Lines {
		if !l.barred(i) {
			continue
		}
		first, last := l.run(i, 0, func(j int) bool {
			return l.barred(j) && l.Lines[j].Col == l.Lines[i].Col && l.Lines[j].First() == l.Lines[i].First()
		})
		found[i] = last-first+1 >= barRows
	}
	if !slices.Contains(found, true) {
		return l, false
	}
	return l.withoutBars(found), true
}

// WithoutBars is l without the bar at the left of each panel: they all stand in the column of the lowest one, and what stands further
// right is text. A panel is how OpenCode and its forks draw what stands apart: a bar at the left, a ground of its own, no frame.
func (l *Layout) WithoutBars() *Layout {
	found, col := make([]bool, len(l.Lines)), -1
	for i := len(l.Lines) - 1; i >= 0; i-- {
		line := &l.Lines[i]
		if line.Kind == Words && line.First() == '┃' && (col < 0 || line.Col == col) {
			found[i], col = true, line.Col
		}
	}
	return l.withoutBars(found)
}

// withoutBars is l without the first character of these lines, which is a bar.
func (l *Layout) withoutBars(found []bool) *Layout {
	return l.Without(func(i int, line *Line) (from, to int) {
		if !found[i] {
			return 0, 0
		}
		line.Bar = true
		return line.Col, line.Col + 1
	})
}

// barred reports whether a row begins with a bar that is no side of a frame.
func (l *Layout) barred(i int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.frame == 0 && in(bars, line.First()) && blankCell(line.at(line.Col+1))
}

// beginWithBar makes the first row of the bar before the options the dialog's first one. It reports whether there is a bar. Text that
// stands right above it, or another bar above blank rows, may be the dialog's upper part.
func (d *Dialog) beginWithBar() bool {
	if !d.Lines[d.First].Bar {
		return false
	}
	top := d.PanelTop(d.First)
	d.BeginAt(top)
	above := top - 1
	for above >= 0 && d.Lines[above].Kind == Blank && !d.Lines[above].Bar {
		above--
	}
	switch {
	case top == 0:
		d.TopUnseen = true
	case above >= 0 && (above == top-1 || d.Lines[above].Bar || d.Lines[above].Kind != Words || in(bars, d.Lines[above].First())), d.barAbove(top):
		d.Doubt(reason.SecondHead) // another bar may be its own, broken by what it shows
	}
	d.FindQuestion()
	return true
}

// barAbove reports whether the bar before the options changes its colour below line top, or stands in that colour anywhere above it.
func (d *Dialog) barAbove(top int) bool {
	row := d.Lines[d.First].row
	col := skip(row.cells, 0)
	for i := range d.First {
		other := d.Lines[i].row
		barred := col < len(other.cells) && skip(other.cells, 0) == col && other.cells[col] == row.cells[col]
		same := barred && other.Style(col).Fg == row.Style(col).Fg
		if i < top && same || i >= top && !same {
			return true
		}
	}
	return false
}

// barBelow reports whether another run of rows with a bar stands below line last: an input box may be drawn so.
func (l *Layout) barBelow(last int) bool {
	_, end := l.run(last, 0, l.behindBar)
	return slices.ContainsFunc(l.Lines[end+1:], func(line Line) bool { return line.Bar })
}

// behindBar reports whether a bar was taken away before line i.
func (l *Layout) behindBar(i int) bool { return l.Lines[i].Bar }
