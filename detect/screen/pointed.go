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
	return l.spaced(i, mark, col, of)
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

// spaced reads the menu whose cursor is in line i and whose options, with labels in column col, have one blank line between
// them. A line that neither agrees nor refuses ends it, since it may be the subject, unless the row right below the options says
// how the cursor moves and what chooses.
func (l *Layout) spaced(i, mark, col int, of known) (Menu, bool) {
	first, last := l.run(i, 1, func(j int) bool { return l.optionAt(j, mark, col, of) })
	if m, ok := l.listed(i, first, last, mark, col); ok {
		e := &m.Entries[m.Marked] // if it asks for words it is an input box: "> Type your message"
		return m, of.option(e) && e.labelScope() != Text
	}
	first, last = l.blocks(i, col)
	if of != nil || !movesAndChooses(l.keysBelow(last)) {
		return Menu{}, false
	}
	return l.listed(i, first, last, mark, col)
}

// blocks is the run of lines around line i of which every paragraph but that of line i begins in column col and goes on further to
// the right. A question ends it.
func (l *Layout) blocks(i, col int) (first, last int) {
	goesOn := func(j int) bool { return j < len(l.Lines) && l.Lines[j].Kind == Words && l.Lines[j].Col > col }
	begins := func(j int) bool {
		return j >= 0 && j < len(l.Lines) && l.Lines[j].Kind == Words && l.Lines[j].Col == col && !l.Lines[j].lead.cursor &&
			!IsFooter(l.Lines[j].Text) && !strings.ContainsAny(l.Lines[j].Text, "?？")
	}
	for first = i; first > 1 && l.Lines[first-1].Kind == Blank; {
		above := first - 2
		for above > 0 && goesOn(above) {
			above--
		}
		if !begins(above) {
			break
		}
		first = above
	}
	for last = i; ; {
		for goesOn(last + 1) {
			last++
		}
		if last+2 >= len(l.Lines) || l.Lines[last+1].Kind != Blank || !begins(last+2) {
			return first, last
		}
		last += 2
	}
}

// optionAt reports whether line i is an option of a menu with its cursor in column mark and its labels in col.
func (l *Layout) optionAt(i, mark, col int, of known) bool {
	line := &l.Lines[i]
	if !l.sibling(i, mark, col) || len(line.cells) <= col || line.Col != col && line.Col != mark {
		return false
	}
	e := Entry{Last: i, Option: Option{Label: line.rest(col)}}
	l.finish(&e)
	return of.option(&e)
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

// noted is the lowest menu whose options have two rows each, a label and a note, with a blank row between them, and whose cursor is a bar
// before both rows of one (charm.land/bubbles, list). One label says yes once, and one no.
func (l *Layout) noted(of known) (Menu, bool) {
	at := slices.IndexFunc(l.bars, func(b Region) bool { return b.Bottom == b.Top+1 })
	if at < 0 || slices.ContainsFunc(l.bars[at+1:], func(b Region) bool { return b.Bottom == b.Top+1 }) {
		return Menu{}, false
	}
	bar := l.bars[at]
	drawn := l.withoutBars(func(b Region) bool { return b == bar })
	col := drawn.Lines[bar.Top].Col
	gap := func(i int) bool { return i < 0 || i >= len(l.Lines) || !l.words(i) }
	option := func(i int) bool { // both rows are in the column of the labels
		return gap(i-1) && gap(i+2) && !gap(i) && !gap(i+1) && drawn.Lines[i].Col == col && drawn.Lines[i+1].Col == col
	}
	last := bar.Top
	for option(last + 3) {
		last += 3
	}
	drawn.Lines[bar.Top].lead = lead{at: bar.Left, cursor: true, past: col, label: col}
	m, ok := drawn.column(last+1, false, "the bar before one of its options, which have two rows each", func(i int, _ *Menu) (Entry, part) {
		switch {
		case option(i):
			return Entry{First: i, Last: i, Col: col, Option: Option{Label: drawn.Lines[i].rest(col)}}, begins
		case option(i - 1), option(i - 2):
			return Entry{}, within
		}
		return Entry{}, above
	})
	m.readScopes()
	return m, ok && of.menu(&m)
}

// plain is the lowest menu whose rows begin in one column, with neither number nor cursor. Its labels must prove it: one says
// yes once and one no, or each has a box to tick, or they are the known ones. The marked one shows by its look.
func (l *Layout) plain(of known) (Menu, bool) {
	for i, line := range l.lowest(listRows) {
		if IsFooter(line.Text) || l.Lines[i].lead.cursor {
			continue
		}
		if m, ok := l.plainAt(i, of); ok {
			return m, true
		}
	}
	return Menu{}, false
}

// plainAt reads the menu whose last row is line i.
func (l *Layout) plainAt(last int, of known) (Menu, bool) {
	col := l.Lines[last].Col
	for at := max(l.ParagraphBegin(last), 1); at < last; at++ {
		col = min(col, l.Lines[at].Col)
	}
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
	return m, len(m.Entries) > 1 && (boxes || of.menu(&m))
}

// outcomes are signs that begin rows of a transcript, and labels that say yes or no.
const outcomes = "✓✗"

// plainRow reports whether line i can be a row of a menu whose labels begin in column col.
func (l *Layout) plainRow(i, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col >= col && line.Col < col+explainIndent && line.End()-line.Col <= longestLabel &&
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
