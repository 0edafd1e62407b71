package screen

// bars are the glyphs that draw a bar at the left of rows which belong together.
const bars = "┃│▌▍▎▏█▐║╎┆┊|"

// barRows is how many rows below each other make a bar: fewer are a mark of each row.
const barRows = 3

// DropBarRuns takes away each bar that stands before three rows or more, in one column, and belongs to no frame. It reports whether there
// is one.
func (l *Layout) DropBarRuns() bool {
	found := false
	for i := 0; i < len(l.Lines); {
		end := i
		for end < len(l.Lines) && l.barred(end) && l.Lines[end].Col == l.Lines[i].Col && l.Lines[end].First() == l.Lines[i].First() {
			end++
		}
		if end-i < barRows {
			i = max(end, i+1)
			continue
		}
		for ; i < end; i++ {
			line := &l.Lines[i]
			line.cells[line.Col] = ' '
			line.Bar = true
			line.settle()
		}
		found = true
	}
	return found
}

// barred reports whether a row begins with a bar that is no side of a frame.
func (l *Layout) barred(i int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.frame == 0 && in(bars, line.First()) && blankCell(line.at(line.Col+1))
}

// BeginWithBar makes the first row of the bar before the options the dialog's first one. It reports whether there is a bar. Text that
// stands right above it, or another bar above blank rows, may be the dialog's upper part.
func (d *Dialog) BeginWithBar() bool {
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
		d.Doubt(secondHead) // another bar may be its own, broken by what it shows
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

// BarBelow reports whether another run of rows with a bar stands below line last: an input box may be drawn so.
func (l *Layout) BarBelow(last int) bool {
	i := last + 1
	for i < len(l.Lines) && l.Lines[i].Bar {
		i++
	}
	for ; i < len(l.Lines); i++ {
		if l.Lines[i].Bar {
			return true
		}
	}
	return false
}
