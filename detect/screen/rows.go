package screen

import (
	"slices"
	"strings"
	"unicode"
)

// row is one row of the dialog, without the dialog's frame.
type row struct {
	line   int
	indent int    // blanks before the text, or before the agent's mark, inside of the frame
	text   string // invisible characters are shown
	raw    string // as drawn, with blanks and marks before the text
	hides  bool   // it holds a character that takes no cell
	beside bool   // text beside it may belong to it
	role   Role
	run    int // of a Subject: the run that it belongs to
}

// rows returns the rows from the dialog's top to its options, and rows further up that were placed, without blank rows and the
// agent's drawings. beside says that text beside one of these lines may belong to it.
func (d *Dialog) rows() (rows []row, beside bool) {
	if f := d.Frame(); f != nil && f.Title != "" && !slices.Contains(d.Titles, f.Title) {
		rows = append(rows, row{line: f.Top, text: f.Title, raw: f.Title})
	}
	enclosed := d.enclosures()
	for i := range d.First {
		role, _ := d.places[i].roleOf()
		r, ok := d.rowAt(i, enclosed)
		if beside = beside || r.beside; ok && role != Drawing && (i >= d.Top || role != Unplaced) {
			rows = append(rows, r)
		}
	}
	return rows, beside
}

// rowAt reads line i inside of the dialog's own frame and the frames around its subject; false: nothing is there.
func (d *Dialog) rowAt(i int, enclosed []Region) (row, bool) {
	source := &d.screen.Rows[i]
	from, to, beside := 0, d.unscrolled(source.cells), false
	f := d.Frame()
	framed := f != nil && (f.Top < i || f.Top == i && !f.Open) && i <= f.Bottom
	if framed {
		if d.partsFrame(f, i) {
			return row{}, false
		}
		from, to, beside = f.within(source, to)
	}
	to = d.unscrolled(source.cells[:to])
	within := slices.IndexFunc(enclosed, func(g Region) bool { return i <= g.Bottom && (g.Top < i || i == g.Top && !g.Open) })
	switch {
	case within >= 0 && (framed || f == nil):
		g := &enclosed[within]
		if i == g.Top || i == g.Bottom {
			return row{beside: beside}, false
		}
		from, to = g.Left+1, g.Right
	case !framed && d.Lines[i].Bar:
		from = skip(source.cells, 0) + 1
	}
	if d.beside > 0 && to > d.beside { // a side panel shares the line; if it is not proven to be one, its words stay
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

// within is the columns of a row between the sides of f. beside says that text beyond the right side may belong to the row.
func (f *Region) within(source *Row, to int) (from, end int, beside bool) {
	right, ok := f.rightSide(source, source.cells[:to])
	switch {
	case !ok:
		return f.Left + 1, to, false
	case lastCell(source.cells[:to]) > right+1:
		return f.Left + 1, to, true
	}
	return f.Left + 1, right, false
}

// inset is how many columns inside of a dialog's frame an agent draws the frame around its subject (Gemini, Copilot).
const inset = 2

// enclosures are the frames that the agent draws around the subject. They are inside of the dialog's own frame; if it has none
// and its shape says so, they are as wide as the pane, from below the head to above the question (claude/2.0.54-write-80x24).
func (d *Dialog) enclosures() []Region {
	f := d.Frame()
	_, head := d.Head()
	var found []Region
	for _, g := range d.frames {
		fits := false
		switch {
		case g.Title != "":
		case f != nil:
			fits = g.Left == f.Left+inset && g.Right == f.Right-inset && (f.Open || !g.Open)
		case d.Encloses && g.Left == 0 && g.Bottom == d.Asked-1:
			fits = g.Open == d.TopUnseen && (g.Open || g.Top == head+1)
		}
		if fits && d.whole(g, f != nil) {
			found = append(found, g)
		}
	}
	return found
}

// whole reports whether g is complete: no words in its edges, both sides of each row in their columns, and nothing beside it
// but a blank and the dialog's own frame, if there is one.
func (d *Dialog) whole(g Region, framed bool) bool {
	first := g.Top
	if g.Open {
		first++
	}
	for j := first; j <= g.Bottom; j++ {
		cells := d.screen.Rows[j].cells
		edge := j == g.Top || j == g.Bottom
		switch {
		case framed && g.Right+1 >= len(cells), !framed && lastCell(cells) != g.Right+1, edge && !d.drawnAcross(&g, j):
			return false
		case !edge && !(in(sides, cells[g.Left]) && in(sides, cells[g.Right])):
			return false
		case !edge && framed && !(blankCell(cells[g.Left-1]) && blankCell(cells[g.Right+1])):
			return false
		}
	}
	return true
}

// partsFrame reports whether row j is a line of f itself, drawn from one of its sides to the other, and nothing beside it: "├────┤".
func (l *Layout) partsFrame(f *Region, j int) bool {
	row := &l.screen.Rows[j]
	alone := len(row.marks) == 0 && skip(row.cells, 0) == f.Left && lastCell(row.cells) == f.Right+1
	return alone && in("├╠┣╟", row.at(f.Left)) && in("┤╣┫╢", row.at(f.Right)) && l.drawnAcross(f, j)
}

// drawnAcross reports whether row j is drawn from one side of g to the other, without a word in it.
func (l *Layout) drawnAcross(g *Region, j int) bool {
	cells := l.screen.Rows[j].cells
	return g.Right < len(cells) && !slices.ContainsFunc(cells[g.Left+1:g.Right], func(r rune) bool { return !in(acrosses, r) })
}

// rawText is a row's text from column from up to column to, as drawn.
func rawText(r *Row, from, to int) string {
	return strings.TrimRight(cellText(r.cells, r.marks, from, to, asDrawn), " ")
}

// withoutGutter turns Gutter no-break spaces into blanks: those that the agent draws between the sign of a changed line and its
// text (copilot/1.0.102-edit-80x24). Further ones belong to the text, and all of them where it is a command.
func (d *Dialog) withoutGutter(cells []rune, start int) []rune {
	if d.Gutter == 0 || d.Verb == "" && !d.TopUnseen {
		return cells
	}
	at := start
	for at < len(cells) && cells[at] >= '0' && cells[at] <= '9' {
		at++
	}
	if at == start || at+3 > len(cells) || cells[at] != ' ' || !in("+-", cells[at+1]) && cells[at+1] != ' ' || cells[at+2] != ' ' {
		return cells
	}
	plain := slices.Clone(cells)
	for c := at + 3; c < min(at+3+d.Gutter, len(plain)) && plain[c] == '\u00a0'; c++ {
		plain[c] = ' '
	}
	return plain
}

// hides reports whether an invisible character other than a blank of one cell is between two columns of a row. Agents and
// terminals count the cells of such a character in their own ways: Qwen Code 0.24.4 cuts one character off the row's end for
// each. All of them count the selector of an emoji alike.
func hides(r *Row, from, to int) bool {
	for _, m := range r.marks {
		emoji := m.rune == '\ufe0f' && m.col < len(r.cells) && unicode.Is(unicode.So, r.cells[m.col])
		if from <= m.col && m.col < to && invisible(m.rune) && !emoji {
			return true
		}
	}
	return slices.ContainsFunc(r.cells[from:to], func(c rune) bool {
		return invisible(c) && !unicode.Is(unicode.Zs, c) && c != '\u2800'
	})
}
