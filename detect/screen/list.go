package screen

import (
	"strings"
	"unicode"
)

// Entry is one option as it is drawn.
type Entry struct {
	Option
	Number      int      // the printed number; 0: none
	Hints       []string // tmux keys that the entry itself prints, the plainest first
	Check       string   // "[ ]", "[✔]": a box to tick; empty: none
	Gap         int      // how many blanks stand between its number and what follows that
	Note        string   // words beside or under the label that explain it
	Cut         bool     // the label does not stand there whole, or a second mark stands before it
	Leaves      bool     // it leaves, where another entry says no
	Asks        bool     // it says no and asks for words, where another entry says no alone
	First, Last int      // its lines
	Col         int      // column of the label

	numbered int // column behind its number; 0: it has none
}

// List is the options of a dialog as they are drawn.
type List struct {
	Entries     []Entry
	First, Last int // its lines
	Marked      int // the entry with the cursor; -1: none is proven
	MarkCol     int // column of the cursor, or where it would stand
	Numbered    bool
	Across      bool   // the options stand side by side
	Colour      bool   // the cursor is a colour
	keys        string // what keys do, where that stands behind options side by side
}

// cursors are the glyphs that mark the chosen entry.
const cursors = "❯›>→▶▸➤●◉⏵➜▷"

// hollow are the glyphs of entries that are not chosen, where a list draws both.
const hollow = "○◯◌"

// isCursor reports whether r is a glyph that marks the chosen entry of a list.
func isCursor(r rune) bool { return in(cursors, r) }

// pastCursor is the column where the text of a line begins, behind the cursor where it has one.
func (l *Line) pastCursor() (at int, mark bool) {
	if !isCursor(l.cells[l.Col]) {
		return l.Col, false
	}
	return skip(l.cells, l.Col+1), true
}

// numberedEntry reads "❯ 1. Yes", "2) No", "3: Always", "› [ ] 3. Logging" at the start of a line.
func numberedEntry(l *Line) (e Entry, mark bool, left int, ok bool) {
	if l.Kind != Words {
		return Entry{}, false, 0, false
	}
	c, i := l.cells, l.Col
	left = i
	if isCursor(c[i]) || in(hollow, c[i]) {
		mark = isCursor(c[i])
		i = skip(c, i+1)
	}
	check, i := checkBox(c, i)
	start := i
	for i < len(c) && i-start < 3 && c[i] >= '0' && c[i] <= '9' {
		e.Number = e.Number*10 + int(c[i]-'0')
		i++
	}
	if i == start || i-start > 2 || i+1 >= len(c) || c[i] != '.' && c[i] != ')' && !(c[i] == ':' && c[i+1] == ' ') {
		return Entry{}, false, 0, false
	}
	e.numbered = i
	i = skip(c, i+1)
	e.Gap = i - e.numbered - 1
	if check == "" {
		check, i = checkBox(c, i)
	}
	if i >= len(c) || e.Number == 0 {
		return Entry{}, false, 0, false
	}
	e.Check, e.Col, e.Label = check, i, l.label(i, len(c))
	return e, mark, left, e.Label != ""
}

// label is the text from column from up to column to as a label keeps it: a no-break space is no blank in it.
func (l *Line) label(from, to int) string {
	return strings.TrimRight(cellText(l.cells, l.row.marks, from, to, false), " ")
}

// checkBox reads "[ ]" or "[✔]" and the blanks behind it.
func checkBox(c []rune, i int) (string, int) {
	if i+1 < len(c) && c[i+1] == ' ' && in("•✓☐☑", c[i]) {
		return string(c[i]), skip(c, i+1)
	}
	if i+2 < len(c) && c[i] == '[' && c[i+2] == ']' && (c[i+1] == 'x' || !unicode.IsLetter(c[i+1]) && !unicode.IsDigit(c[i+1])) {
		return string(c[i : i+3]), skip(c, i+3)
	}
	return "", i
}

// skip is the first column from i on that is not blank.
func skip(c []rune, i int) int {
	for i < len(c) && blankCell(c[i]) {
		i++
	}
	return i
}

// NumberedList finds the lowest list of the screen that counts 1, 2, 3, … without a gap.
func (l *Layout) NumberedList() (List, bool) {
	for end := len(l.Lines) - 1; end >= 0; end-- {
		if _, _, _, ok := numberedEntry(&l.Lines[end]); !ok {
			continue
		}
		if list, ok := l.countUp(end); ok {
			return list, true
		}
	}
	return List{}, false
}

// listSlack is how many columns the numbers and the labels of one list may differ in where they stand: a number may have two digits,
// and narrow panes squeeze a row (claude/2.1.149, copilot at 50 columns).
const listSlack = 2

// labelRows is how many lines an entry may take: no label, with what explains it, was seen to take more.
const labelRows = 8

// countUp reads the list whose last number stands in line end.
func (l *Layout) countUp(end int) (List, bool) {
	list := List{Last: end, Marked: -1, Numbered: true, MarkCol: -1}
	want, within := 0, false
	for i := end; i >= 0; i-- {
		line := &l.Lines[i]
		e, mark, left, ok := numberedEntry(line)
		aside := 0
		if n := len(list.Entries); ok && n > 0 {
			aside = e.numbered - list.Entries[n-1].numbered
		}
		switch {
		case aside > listSlack: // it belongs to the option above it
			within = true
		case aside < -listSlack: // what was read so far belongs to it
			return List{}, false
		case ok && (want == 0 || e.Number == want):
			e.First, e.Last = i, i
			list.Entries = append(list.Entries, e)
			if mark {
				if list.Marked >= 0 {
					return List{}, false
				}
				list.Marked, list.MarkCol = len(list.Entries)-1, left
			}
			want = e.Number - 1
			if want == 0 {
				list.First = i
				list = l.finish(list)
				if within || l.countsOn(end, list.Last) || list.drifts() || l.MarkedAbove(list.First) {
					list.DoubtLabels()
				}
				return list, len(list.Entries) > 1
			}
		case ok, line.Kind == Edge:
			return List{}, false
		case line.Kind == Blank && (i == 0 || l.Lines[i-1].Kind == Blank): // one blank line at a time
			return List{}, false
		case line.Kind == Words && len(list.Entries) > 0 && list.Entries[len(list.Entries)-1].First-i > labelRows:
			return List{}, false
		}
	}
	return List{}, false
}

// countsOn reports whether a row of the option that begins in line first, and ends in line last, is numbered as one too.
func (l *Layout) countsOn(first, last int) bool {
	for i := first + 1; i <= last; i++ {
		if _, _, _, ok := numberedEntry(&l.Lines[i]); ok {
			return true
		}
	}
	return false
}

// drifts reports whether a list has rows that begin in columns of their own: it may stand, in part, in the label of another list's
// option, which wraps and holds what a model says.
func (list *List) drifts() bool {
	first, last := list.Entries[0].Col, list.Entries[0].Col
	for i := range list.Entries {
		first, last = min(first, list.Entries[i].Col), max(last, list.Entries[i].Col)
	}
	return last-first > listSlack
}

// MarkedAbove reports whether a numbered option with a cursor stands in the run of words right above line first, so that a list that
// begins there may stand in the label of another one's option.
func (l *Layout) MarkedAbove(first int) bool {
	for i := first - 1; i >= 0 && l.Lines[i].Kind == Words; i-- {
		if l.Lines[i].MarkedNumber() {
			return true
		}
	}
	return false
}

// DoubtLabels leaves no entry that is read as a yes or a no.
func (list *List) DoubtLabels() {
	for i := range list.Entries {
		e := &list.Entries[i]
		e.Cut = e.Cut || e.labelScope() != Text
	}
}

// finish puts the entries of a list, collected from below, in order and joins what belongs to each label.
func (l *Layout) finish(list List) List {
	n := len(list.Entries)
	for i := range n / 2 {
		list.Entries[i], list.Entries[n-1-i] = list.Entries[n-1-i], list.Entries[i]
	}
	if list.Marked >= 0 {
		list.Marked = n - 1 - list.Marked
	}
	left := list.MarkCol
	for k := range list.Entries {
		e := &list.Entries[k]
		if left < 0 {
			left = max(l.Lines[e.First].Col-2, 0)
		}
		end := len(l.Lines)
		if k+1 < n {
			end = list.Entries[k+1].First
		}
		l.joinLabel(e, end, left)
	}
	list.Last, list.MarkCol = list.Entries[n-1].Last, left
	return list
}

// joinLabel takes the lines under e's first one, up to end, into its label where they are the label's
// wrapped rest, and into its note where they explain it.
func (l *Layout) joinLabel(e *Entry, end, left int) {
	wrapping, last := true, end == len(l.Lines)
	for i := e.First + 1; i < end; i++ {
		line := &l.Lines[i]
		broken := l.brokenField(i, e)
		if line.Kind != Words || !broken && (line.Col <= left || last && l.endsEntry(i, e)) {
			break
		}
		switch {
		case broken && line.Col == 0 && l.Lines[i-1].End() == l.width:
			e.Label += line.Text
		case broken, wrapping && l.wrapped(i):
			e.Label += " " + line.label(line.Col, len(line.cells))
		default:
			wrapping = false
			e.Note = strings.TrimSpace(e.Note + " " + line.Text)
		}
		e.Last = i
	}
	e.finish()
	e.Cut = e.Cut || l.touchesEdge(e.Last)
}

// touchesEdge reports whether line i ends in the last column of a pane whose width is known from a line
// drawn across it: more of the row may stand behind the edge.
func (l *Layout) touchesEdge(i int) bool { return l.Lines[i].End() >= l.width && l.knowsWidth() }

// knowsWidth reports whether a line is drawn across the whole pane, so that its width is known.
func (l *Layout) knowsWidth() bool {
	for i := range l.Lines {
		if line := &l.Lines[i]; line.drawn() && len(line.cells) >= l.width {
			return true
		}
	}
	return false
}

// endsEntry reports whether line i, under the last entry e, does not belong to it.
func (l *Layout) endsEntry(i int, e *Entry) bool {
	line := &l.Lines[i]
	return IsFooter(line.Text) || line.Col < e.Col && !l.wrapped(i)
}

// wrapSlack is how many columns of a row may stay empty although the next word would have fitted: agents wrap inside of
// frames and margins that the screen does not show.
const wrapSlack = 8

// wrapped reports whether line i goes on with the sentence of the line above it: its first word
// would not have fitted there.
func (l *Layout) wrapped(i int) bool {
	if i == 0 {
		return false
	}
	above, line := &l.Lines[i-1], &l.Lines[i]
	word, _, _ := strings.Cut(line.Text, " ")
	return above.Kind == Words && above.End()+1+width(word) > l.width-wrapSlack
}

// finish splits the label into its words, its key hints and what explains it.
func (e *Entry) finish() {
	label, note := splitGap(e.Label)
	if note != "" {
		e.Label = label
		e.Note = strings.TrimSpace(note + " " + e.Note)
	}
	e.Label, e.Hints = splitHints(e.Label)
	if r := FirstRune(e.Label); isCursor(r) || in(hollow, r) {
		e.Cut = true // a second mark: what Enter takes may be told by either
		return
	}
	e.Cut = cutOff(e.Label)
}

// shortLabel is how many bytes a label has at most whose dots are its own, "Other...": those of a longer one cut it off.
const shortLabel = 24

// cutOff reports whether a label ends as none that is whole does.
func cutOff(label string) bool {
	return strings.Contains(label, "…") || strings.ContainsAny(label[max(len(label)-1, 0):], ",+&-/:;(") ||
		strings.Count(label, "(") != strings.Count(label, ")") || strings.HasSuffix(label, "...") && len(label) > shortLabel
}

// splitGap cuts a label at the first gap of two blanks or more: what stands behind it is a second column.
func splitGap(s string) (string, string) {
	head, tail, ok := strings.Cut(s, "  ")
	if !ok {
		return s, ""
	}
	return head, strings.TrimSpace(tail)
}

// FirstRune is the first character of s; 0 where it has none.
func FirstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// LowestList is the lowest list of options on the screen, numbered or with a cursor.
func (l *Layout) LowestList() (List, bool) {
	n, okN := l.NumberedList()
	p, okP := l.PointedList()
	switch {
	case okN && okP && p.First <= n.Last:
		return n, true
	case okP:
		return p, true
	}
	return n, okN
}

// Count is how many entries have a scope.
func (list *List) Count(s Scope) int {
	n := 0
	for _, e := range list.Entries {
		if e.Scope == s {
			n++
		}
	}
	return n
}

// Only is the index of the one entry of scope s; -1 where there is none or more than one.
func (list *List) Only(s Scope) int {
	found := -1
	for i, e := range list.Entries {
		if e.Scope == s {
			if found >= 0 {
				return -1
			}
			found = i
		}
	}
	return found
}

// PrintsKeys reports whether an entry prints the key that chooses it.
func (list *List) PrintsKeys() bool {
	for _, e := range list.Entries {
		if len(e.Hints) > 0 {
			return true
		}
	}
	return false
}

// Refusable reports whether one of the labels says no.
func (list *List) Refusable() bool {
	for _, e := range list.Entries {
		if s := e.labelScope(); s == No || s == NoAlways {
			return true
		}
	}
	return false
}

// MarkedNumber reports whether a line is a numbered option with the cursor.
func (l *Line) MarkedNumber() bool {
	_, mark, _, ok := numberedEntry(l)
	return ok && mark
}
