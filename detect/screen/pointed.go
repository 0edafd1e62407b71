package screen

import (
	"strings"
	"unicode"
)

// PointedList finds the lowest list without numbers: an entry with a cursor and its siblings, whose
// labels begin in the same column.
func (l *Layout) PointedList() (List, bool) {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		if list, ok := l.pointedAt(i); ok {
			return list, true
		}
	}
	return List{}, false
}

// cursorGap is how many columns behind its cursor a label begins at most.
const cursorGap = 4

// pointedAt reads the list whose cursor stands in line i.
func (l *Layout) pointedAt(i int) (List, bool) {
	line := &l.Lines[i]
	if line.Kind != Words || !isCursor(line.cells[line.Col]) {
		return List{}, false
	}
	col := skip(line.cells, line.Col+1)
	if col >= len(line.cells) || col == line.Col+1 || col > line.Col+cursorGap {
		return List{}, false
	}
	first, last := i, i
	for first > 0 && l.sibling(first-1, line.Col, col) {
		first--
	}
	for last+1 < len(l.Lines) && l.sibling(last+1, line.Col, col) {
		last++
	}
	if first == last {
		return l.spacedAt(i, col)
	}
	list := List{First: first, Last: last, Marked: -1, MarkCol: line.Col}
	for j := first; j <= last; j++ {
		l.pointedRow(&list, j, i, col)
	}
	for k := range list.Entries {
		e := &list.Entries[k]
		e.finish()
		e.Cut = e.Cut || l.touchesEdge(e.Last)
	}
	return list, len(list.Entries) > 1 && list.Marked >= 0
}

// OutdentedList finds the lowest list without numbers whose labels, where they are wrapped, go on left of where they began
// (copilot/1.0.102-boxes+wrapped-80x24).
func (l *Layout) OutdentedList() (List, bool) {
	i := len(l.Lines) - 1
	for i >= 0 && !(l.Lines[i].Kind == Words && isCursor(l.Lines[i].First())) {
		i--
	}
	if i < 0 {
		return List{}, false
	}
	mark := l.Lines[i].Col
	col := skip(l.Lines[i].cells, mark+1)
	if col == mark+1 || col > mark+cursorGap {
		return List{}, false
	}
	row := func(j int) bool { return j == i || l.sibling(j, mark, col) }
	first, last := i, i
	for j := i - 1; j >= 0 && (row(j) || l.goesOnLeft(j, mark, col)); j-- {
		if row(j) {
			first = j
		}
	}
	for last+1 < len(l.Lines) && (row(last+1) || l.goesOnLeft(last+1, mark, col)) {
		last++
	}
	list := List{First: first, Last: last, Marked: -1, MarkCol: mark}
	for j := first; j <= last; j++ {
		if n := len(list.Entries); n > 0 && !row(j) {
			e := &list.Entries[n-1]
			e.Label, e.Last = e.Label+" "+l.Lines[j].Text, j
			continue
		}
		l.pointedRow(&list, j, i, col)
	}
	for k := range list.Entries {
		list.Entries[k].finish()
	}
	return list, len(list.Entries) > 1 && list.Marked >= 0
}

// goesOnLeft reports whether line i, which has no cursor and begins between that and the labels, goes on with the line above it.
func (l *Layout) goesOnLeft(i, mark, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col >= mark && line.Col < col && !isCursor(line.First()) && l.wrapped(i)
}

// pointedRow adds line j to a list whose cursor stands in line marked and whose labels begin in column col.
func (l *Layout) pointedRow(list *List, j, marked, col int) {
	line := &l.Lines[j]
	start := line.Col
	if glyph := line.cells[start]; start == list.MarkCol && (isCursor(glyph) || in(hollow, glyph)) {
		start = skip(line.cells, start+1)
	}
	n := len(list.Entries)
	switch {
	case n > 0 && l.outdented(j, list.MarkCol, col):
		e := &list.Entries[n-1]
		e.Label, e.Last = beforeHint(e.Label, line.Text), j
		return
	case n > 0 && start > col:
		l.extend(&list.Entries[n-1], j)
		return
	}
	check, start := checkBox(line.cells, start)
	list.Entries = append(list.Entries, Entry{Check: check, First: j, Last: j, Col: start, Option: Option{Label: line.label(start, len(line.cells))}})
	if j == marked {
		list.Marked = n
	}
}

// spacedAt reads the list whose cursor stands in line i and whose options, with labels in column col, have one
// blank line between them. An entry that neither agrees nor refuses ends it: it may be what is asked about.
func (l *Layout) spacedAt(i, col int) (List, bool) {
	list := List{First: i, Last: i, Marked: 0, MarkCol: l.Lines[i].Col}
	list.Entries = append(list.Entries, l.spacedEntry(i, col))
	if s := list.Entries[0].labelScope(); s == Other || s == Text { // "> Type your message" is an input box
		return List{}, false
	}
	for j := i - 2; j >= 0 && l.optionAt(j, list.MarkCol, col) && l.Lines[j+1].Kind == Blank; j -= 2 {
		list.Entries = append([]Entry{l.spacedEntry(j, col)}, list.Entries...)
		list.First, list.Marked = j, list.Marked+1
	}
	for j := i + 2; j < len(l.Lines) && l.optionAt(j, list.MarkCol, col) && l.Lines[j-1].Kind == Blank; j += 2 {
		list.Entries = append(list.Entries, l.spacedEntry(j, col))
		list.Last = j
	}
	return list, len(list.Entries) > 1
}

func (l *Layout) spacedEntry(i, col int) Entry {
	line := &l.Lines[i]
	e := Entry{First: i, Last: i, Col: col, Option: Option{Label: line.label(col, len(line.cells))}}
	e.finish()
	e.Cut = e.Cut || l.touchesEdge(i)
	return e
}

// optionAt reports whether line i is an option of a list with its cursor in column mark and its labels in col.
func (l *Layout) optionAt(i, mark, col int) bool {
	line := &l.Lines[i]
	if !l.sibling(i, mark, col) || len(line.cells) <= col || line.Col != col && line.Col != mark {
		return false
	}
	e := l.spacedEntry(i, col)
	return e.labelScope() != Other
}

// extend takes line j into e: into its label where it is wrapped, else into its note.
func (l *Layout) extend(e *Entry, j int) {
	line := &l.Lines[j]
	if l.wrapped(j) && e.Note == "" {
		e.Label += " " + line.label(line.Col, len(line.cells))
	} else {
		e.Note = strings.TrimSpace(e.Note + " " + line.Text)
	}
	e.Last = j
}

// labelIndent is how far the rest of a wrapped label may be indented beyond its first row.
const labelIndent = 4

// sibling reports whether line i belongs to a list whose cursor stands in column mark and whose
// labels begin in column col.
func (l *Layout) sibling(i, mark, col int) bool {
	line := &l.Lines[i]
	if line.Kind != Words || IsFooter(line.Text) {
		return false
	}
	if line.Col == mark && in(hollow, line.cells[mark]) {
		return true
	}
	return line.Col >= col && line.Col <= col+labelIndent && !isCursor(line.cells[line.Col]) || l.outdented(i, mark, col)
}

// mostAcross is how many options stand side by side at most: more of them are words in columns.
const mostAcross = 6

// AcrossList finds a row of options side by side of which one says yes once and one says no: "❯ Approve   Deny", or
// "Allow (a)   Deny (d)". What keys do may stand in the same row, behind them. Without a cursor, their look tells which one is marked.
func (l *Layout) AcrossList() (List, bool) {
	for i, line := range l.Lowest(acrossRows) {
		list := List{First: i, Last: i, Marked: -1, MarkCol: line.Col, Across: true}
		for at := line.Col; at < len(line.cells); {
			end := gapAt(line.cells, at)
			start := at
			if isCursor(line.cells[at]) && end > at+2 {
				if list.Marked >= 0 {
					return List{}, false
				}
				list.Marked = len(list.Entries)
				start = skip(line.cells, at+1)
			}
			e := Entry{Option: Option{Label: strings.Trim(line.label(start, end), "[]<> ")}, First: i, Last: i, Col: start}
			e.Label, e.Hints = splitHints(e.Label)
			if IsFooter(e.Label) {
				list.keys = line.text(start, len(line.cells))
				break
			}
			if !strings.ContainsFunc(e.Label, unicode.IsLetter) {
				break
			}
			e.Scope = e.labelScope()
			list.Entries = append(list.Entries, e)
			at = skip(line.cells, end)
		}
		if len(list.Entries) < 2 || len(list.Entries) > mostAcross || list.Count(Once) != 1 || list.Count(No) < 1 {
			continue
		}
		if list.Marked < 0 {
			l.MarkSingled(&list)
		}
		return list, true
	}
	return List{}, false
}

// gapAt is where the next two blanks in a row begin, from column at on.
func gapAt(cells []rune, at int) int {
	for ; at < len(cells); at++ {
		if cells[at] == ' ' && (at+1 == len(cells) || cells[at+1] == ' ') {
			return at
		}
	}
	return at
}
