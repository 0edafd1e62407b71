package screen

import (
	"slices"
	"strings"
)

// Menus whose labels begin in one column, with a cursor before one of them or without.

// How far the parts of such a menu are from each other.
const (
	cursorGap     = 4  // columns behind its cursor in which a label begins at most
	labelIndent   = 4  // columns beyond its first row that the rest of a wrapped label may be indented
	explainIndent = 12 // columns beyond its label that an option's note may be indented
	longestLabel  = 70 // cells of a row without number and cursor: longer ones are sentences
)

// pointed is the lowest menu with a cursor: the entry with the cursor, and its siblings, whose labels begin in the same
// column. The wrapped rest of a label may begin left of that.
func (l *Layout) pointed(of known) (Menu, bool) {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		if l.Lines[i].Kind != Words {
			continue
		}
		t := l.Lines[i].lead
		if !t.cursor {
			continue
		}
		if mark := t.at; t.past < len(l.Lines[i].cells) && (blankCell(l.Lines[i].at(t.past-1)) || t.boxed > t.past) && t.past <= mark+cursorGap {
			if m, ok := l.around(i, mark, t.past, of); ok {
				return m, true
			}
		}
	}
	return Menu{}, false
}

// around reads the menu whose cursor is in line i, column mark, and whose labels begin in column col.
func (l *Layout) around(i, mark, col int, of known) (Menu, bool) {
	first, last := l.run(i, 0, func(j int) bool { return l.sibling(j, mark, col) })
	for first < i && l.goesOnLeft(first, mark, col) {
		first++
	}
	if m, ok := l.listed(i, first, last, mark, col); ok {
		return m, true
	}
	return l.spaced(i, col, of)
}

// run is the run of lines around line i for which is holds, with exactly so many blank lines between each two.
func (l *Layout) run(i, blanks int, is func(j int) bool) (first, last int) {
	on := func(at, step int) bool {
		for range blanks {
			if at += step; at < 0 || at >= len(l.Lines) || l.Lines[at].Kind != Blank {
				return false
			}
		}
		at += step
		return at >= 0 && at < len(l.Lines) && is(at)
	}
	for first = i; on(first, -1); first -= blanks + 1 {
	}
	for last = i; on(last, 1); last += blanks + 1 {
	}
	return first, last
}

// listed is the menu of the lines from first to last, with its cursor in line marked, column mark, and its labels in column
// col. A line that begins elsewhere belongs to the option above.
func (l *Layout) listed(marked, first, last, mark, col int) (Menu, bool) {
	return l.column(last, false, "its cursor and the column of its labels", func(j int, _ *Menu) (Entry, part) {
		line := &l.Lines[j]
		start := line.Col
		if line.lead.at == mark {
			start = line.lead.past
		}
		switch {
		case j < first:
			return Entry{}, above
		case line.Kind != Words, j != marked && j > first && (start > col || start < col && !line.lead.hollow):
			return Entry{}, within
		}
		check, start := checkBox(line.cells, start)
		return Entry{Check: check, First: j, Last: j, Col: start, Option: Option{Label: line.rest(start)}}, begins
	})
}

// sibling reports whether line i belongs to a menu whose cursor is in column mark and whose
// labels begin in column col.
func (l *Layout) sibling(i, mark, col int) bool {
	line := &l.Lines[i]
	if line.Kind != Words || IsFooter(line.Text) {
		return false
	}
	t := l.Lines[i].lead
	if line.Col == mark && t.hollow {
		return true
	}
	return line.Col >= col && line.Col <= col+labelIndent && !t.cursor || l.goesOnLeft(i, mark, col)
}

// goesOnLeft reports whether line i, which has no cursor and begins left of the labels, goes on with the line above it. A hint
// at the end of that line, behind a gap, does not end it (continue/1.5.47-bash-50x30, copilot/1.0.102-boxes+wrapped-80x24);
// one right behind the label does.
func (l *Layout) goesOnLeft(i, mark, col int) bool {
	line := &l.Lines[i]
	if line.Col < mark || line.Col >= col || line.lead.cursor || line.lead.hollow || !l.wrapped(i) {
		return false
	}
	above := l.Lines[i-1].Text
	hint := hintAt(above)
	return line.Kind == Words && (hint < 2 || above[hint-2] == ' ')
}

// spaced reads the menu whose options are paragraphs: the marked one begins in line i, and what goes on with an option is further to the
// right than the labels, in column col. A paragraph that neither agrees nor refuses may be the subject, or status. Where no two of them do,
// all are options if the row right below them says how the cursor moves and what chooses.
func (l *Layout) spaced(i, col int, of known) (Menu, bool) {
	m, ok := l.paragraphs(i, col, func(j int) bool { return l.Lines[j].Col > col })
	if !ok {
		return Menu{}, false
	}
	first, end := m.Marked, m.Marked+1
	for first > 0 && of.option(&m.Entries[first-1]) {
		first--
	}
	for end < len(m.Entries) && of.option(&m.Entries[end]) {
		end++
	}
	if end-first < 2 {
		return m, of == nil && movesAndChooses(l.keysBelow(m.Last))
	}
	e := &m.Entries[m.Marked] // if it asks for words it is an input box: "> Type your message"
	m.First, m.Last, m.Marked, m.Entries = m.Entries[first].First, m.Entries[end-1].Last, m.Marked-first, m.Entries[first:end]
	return m, of.option(e) && e.labelScope() != Text
}

// noted is the lowest menu whose cursor is a bar before both rows of one option, a label and a note (charm.land/bubbles, list). One label
// says yes once, and one no.
func (l *Layout) noted(of known) (Menu, bool) {
	at := onlyOne(len(l.bars), func(n int) bool { return l.bars[n].Bottom == l.bars[n].Top+1 })
	if at < 0 {
		return Menu{}, false
	}
	bar := l.bars[at]
	drawn := l.withoutBars(func(b Region) bool { return b == bar })
	line := &drawn.Lines[bar.Top]
	line.lead = lead{at: bar.Left, cursor: true, past: line.Col, label: line.Col}
	m, ok := drawn.paragraphs(bar.Top, line.Col, func(j int) bool { return drawn.Lines[j].Col == line.Col })
	m.readScopes()
	return m, ok && of.menu(&m)
}

// paragraphs reads the menu whose options are paragraphs with one blank row between them, and whose labels begin in column col. The marked
// one begins in line i. further says which rows go on with the option above them. A question ends the menu.
func (l *Layout) paragraphs(i, col int, further func(j int) bool) (Menu, bool) {
	goesOn := func(j int) bool { return j > 0 && j < len(l.Lines) && l.words(j) && l.words(j-1) && further(j) }
	opens := func(j int) bool {
		line := &l.Lines[j]
		return j == i || line.Kind == Words && !goesOn(j) && (line.Col == col || line.lead.hollow && line.lead.past == col) && !line.lead.cursor &&
			!IsFooter(line.Text) && !strings.ContainsAny(line.Text, questionMarks)
	}
	last := i
	for step := 1; step > 0; last += step {
		if step = 0; goesOn(last + 1) {
			step = 1
		} else if last+2 < len(l.Lines) && l.Lines[last+1].Kind == Blank && opens(last+2) {
			step = 2
		}
	}
	return l.column(last, false, "its cursor and the column of its labels", func(j int, _ *Menu) (Entry, part) {
		switch {
		case opens(j):
			check, start := checkBox(l.Lines[j].cells, col)
			return Entry{Check: check, First: j, Last: j, Col: start, Option: Option{Label: l.Lines[j].rest(start)}}, begins
		case goesOn(j), j > 0 && l.Lines[j].Kind == Blank && l.words(j-1):
			return Entry{}, within
		}
		return Entry{}, above
	})
}

// arrowed is the lowest menu whose cursor is of plain characters, "->", "=>", a star or a bar. Only one row near the bottom may begin
// so: several are bullets, or a panel.
func (l *Layout) arrowed(of known) (Menu, bool) {
	at := -1
	for i, line := range l.lowest(plainCursorRows) {
		if plainCursor(line) == "" {
			continue
		}
		if at >= 0 {
			return Menu{}, false
		}
		at = i
	}
	if at < 0 {
		return Menu{}, false
	}
	drawn := *l
	drawn.Lines = slices.Clone(l.Lines)
	drawn.Lines[at].lead = l.Lines[at].leadBehind(plainCursor(&l.Lines[at]), l.radios)
	m, ok := drawn.menu(Numbered|Pointed, of)
	if keyed, okL := drawn.lettered(); okL && keyed.Marked >= 0 && (!ok || keyed.Last >= m.Last) {
		m, ok = keyed, true
	}
	if ok && in(bars, l.Lines[at].First()) { // which begins rows of much else
		m.readScopes()
		ok = known(nil).menu(&m)
	}
	return m, ok && m.Marked >= 0
}

// plain is the lowest menu whose rows begin in one column, with neither number nor cursor. Its labels must prove it: one says
// yes once and one no, or each has a box to tick, or they are the known ones, or in a frame one agrees or refuses and the row below it says
// how the cursor moves and what chooses. The marked one shows by its look.
func (l *Layout) plain(of known) (Menu, bool) {
	for i, line := range l.lowest(listRows) {
		if IsFooter(line.Text) || l.Lines[i].lead.cursor {
			continue
		}
		for _, col := range []int{l.leftmost(i), l.Lines[i].Col} { // what is asked may be right above the options, and further to the left
			if m, ok := l.plainAt(i, col, of); ok {
				return m, true
			}
		}
	}
	return Menu{}, false
}

// leftmost is the least column in which a row of the run of words above line last begins that no frame wrapped.
func (l *Layout) leftmost(last int) int {
	col := l.Lines[last].Col
	for at := max(l.paragraphBegin(last), 1); at < last; at++ {
		if l.Lines[at].frame == 0 || !l.wrapped(at) {
			col = min(col, l.Lines[at].Col)
		}
	}
	return col
}

// plainAt reads the menu whose last row is line last and whose labels begin in column col.
func (l *Layout) plainAt(last, col int, of known) (Menu, bool) {
	first, end := l.run(last, 0, func(j int) bool { return l.plainRow(j, col) })
	if l.Lines[first].Col > col || of != nil && end > last { // a row below may be one more option
		return Menu{}, false
	}
	m, ok := l.listed(-1, first, last, -1, col)
	if !ok {
		return Menu{}, false
	}
	m.knownBy = "the column of its labels, of which one says yes and one no"
	m.readScopes()
	if of == nil {
		m.dropHead()
	}
	boxes := !slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Check == "" })
	speaks := slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Scope == No || e.Agrees() })
	keyed := of == nil && l.Lines[last].frame > 0 && speaks && movesAndChooses(l.keysBelow(last))
	return m, len(m.Entries) > 1 && (boxes || keyed || of.menu(&m))
}

// outcomes are signs that begin rows of a transcript, and labels that say yes or no.
const outcomes = "✓✗"

// plainRow reports whether line i can be a row of a menu whose labels begin in column col. In a frame a label may be long, and the rest of it
// may begin further to the left.
func (l *Layout) plainRow(i, col int) bool {
	line := &l.Lines[i]
	framed := line.frame > 0
	return line.Kind == Words && !line.asks() && (line.Col >= col || framed && l.wrapped(i)) && line.Col < col+explainIndent && (framed || line.End()-line.Col <= longestLabel) &&
		!IsFooter(line.Text) && !(beginsTranscript(line.First()) && !in(outcomes, line.First())) && !l.Lines[i].lead.cursor
}

// dropHead takes off the rows at the upper end of a menu, above the marked one, that say neither yes nor no: the subject may be
// right above the options, in their column.
func (m *Menu) dropHead() {
	n := 0
	for n < len(m.Entries) && n != m.Marked && m.Entries[n].Scope == Other && m.Entries[n].Check == "" {
		n++
	}
	if m.Entries = m.Entries[n:]; len(m.Entries) > 0 {
		m.First, m.Marked = m.Entries[0].First, max(m.Marked-n, -1)
	}
}
