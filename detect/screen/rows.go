package screen

import (
	"slices"
	"strings"
)

// row is one row of the dialog as it is drawn, without the dialog's frame.
type row struct {
	line   int
	indent int    // blanks before the text, or before the agent's mark, inside of the frame
	text   string // with nothing hidden
	raw    string // as it is, blanks and marks before it too
	hides  bool   // a character that takes no cell is among it
	beside bool   // text beside it may belong to it
	role   Role
	run    int // of a Subject: which run of rows it belongs to
}

// rows are the dialog's rows from its top to its options that are not blank and no drawing of the agent's, and those above it that belong
// to it; and whether text stands beside one of all these lines that may belong to it.
func (d *Dialog) rows() (rows []row, beside bool) {
	if f := d.Frame(); f != nil && f.Title != "" && !slices.Contains(d.Titles, f.Title) {
		rows = append(rows, row{line: f.Top, text: f.Title, raw: f.Title})
	}
	enclosed := d.subjectFrame()
	for i := range d.First {
		role := d.places[i].role
		r, ok := d.rowAt(i, enclosed)
		if beside = beside || r.beside; ok && role != Drawing && (i >= d.Top || role != Unplaced) {
			rows = append(rows, r)
		}
	}
	return rows, beside
}

// rowAt reads line i inside of the dialog's own frames, of which one encloses its subject alone; false where nothing stands there.
func (d *Dialog) rowAt(i int, enclosed *Frame) (row, bool) {
	source := &d.screen.Rows[i]
	from, to, beside := 0, len(source.cells), false
	if d.scrolled > 0 && to == d.scrolled+1 && track(source.cells[d.scrolled]) {
		to--
	}
	if f := d.Frame(); f != nil && (f.Top < i || f.Top == i && !f.Open) && i <= f.Bottom {
		from, to, beside = f.within(source, to)
		if g := d.inner(f, i); g != nil {
			if i == g.Top || i == g.Bottom {
				return row{beside: beside}, false
			}
			from, to = g.Left+1, g.Right
		}
	} else if g := enclosed; g != nil && i <= g.Bottom && (g.Top < i || i == g.Top && !g.Open) {
		if i == g.Top || i == g.Bottom {
			return row{}, false
		}
		from, to = g.Left+1, g.Right
	} else if d.Lines[i].Bar {
		from = skip(source.cells, 0) + 1
	}
	if d.beside > 0 && to > d.beside { // a side panel shares its line; where nothing but words tells that there is one, they stay
		if beside = beside || !d.proven; d.proven {
			to = d.beside
		}
	}
	start := skip(source.cells[:to], from)
	r := row{line: i, beside: beside, indent: start - from, raw: strings.Repeat(" ", start-from) + rawText(source, start, to), hides: hides(source, start, to)}
	if p := d.places[i]; p.role != Repeat {
		start = min(start+width(p.mark), to)
	}
	r.text = strings.TrimRight(cellText(d.withoutGutter(source.cells[:to], start), source.marks, start, to, ownBlanks), " ")
	if d.places[i].spins {
		r.text = stilled(r.text)
		r.raw = r.text
	}
	return r, r.text != ""
}

// within are the columns of a row between the sides of f, and whether something stands beyond the right side: it may belong to it.
func (f *Frame) within(source *Row, to int) (from, end int, beside bool) {
	right, ok := f.rightSide(source, source.cells[:to])
	switch {
	case !ok:
		return f.Left + 1, to, false
	case lastCell(source.cells[:to]) > right+1:
		return f.Left + 1, to, true
	}
	return f.Left + 1, right, false
}

// inset is how far inside of a dialog's frame an agent draws the frame around its subject (Gemini, Copilot).
const inset = 2

// inner is the frame that the agent draws inside of its dialog's, around its subject, where line i belongs to one: whole, and
// in the columns of every such frame.
func (d *Dialog) inner(f *Frame, i int) *Frame {
	for n := range d.frames {
		g := &d.frames[n]
		if g.Left != f.Left+inset || g.Right != f.Right-inset || g.Title != "" || i < g.Top || i > g.Bottom || g.Open && !f.Open {
			continue
		}
		first := g.Top
		if g.Open {
			first++
		}
		for j := first; j <= g.Bottom; j++ {
			if !d.wholeAt(g, j) {
				return nil
			}
		}
		return g
	}
	return nil
}

// wholeAt reports whether row j is drawn as a row of g: its edges, or its sides where they belong, with nothing beside them.
func (d *Dialog) wholeAt(g *Frame, j int) bool {
	cells := d.screen.Rows[j].cells
	if g.Right+1 >= len(cells) { // at least a side of the dialog's own frame stands behind it
		return false
	}
	if j == g.Top || j == g.Bottom {
		return d.drawnAcross(g, j)
	}
	return in(sides, cells[g.Left]) && in(sides, cells[g.Right]) && blankCell(cells[g.Left-1]) && blankCell(cells[g.Right+1])
}

// drawnAcross reports whether row j is drawn from one side of g to the other, without a word in it.
func (d *Dialog) drawnAcross(g *Frame, j int) bool {
	cells := d.screen.Rows[j].cells
	return g.Right < len(cells) && !slices.ContainsFunc(cells[g.Left+1:g.Right], func(r rune) bool { return !in(acrosses, r) })
}

// rawText is what stands from column from to column to, as it is.
func rawText(r *Row, from, to int) string {
	return strings.TrimRight(cellText(r.cells, r.marks, from, to, asDrawn), " ")
}
