package screen

import (
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lead is everything before the label in a row of options, in the order in which programs draw it; each part may be missing:
//
//	[cursor] [box] [number. | [key] | (key)] [radio button | box] label
//
// Columns are the screen's.
type lead struct {
	at     int    // the first column; the cursor's, if there is one
	cursor bool   // a glyph marks the row as the chosen one
	hollow bool   // a glyph marks the row as not chosen
	past   int    // the column behind that glyph and its blanks
	box    string // a box to tick: "[ ]", "[✔]", "☐"; empty: none
	boxed  int    // the column behind a box that is before any number
	number int    // 0: none
	behind int    // the column behind the number
	gap    int    // the number of blanks behind the number
	key    string // the key in brackets, "[a]" or "(a)", or the letter before a radio button; empty: none
	button bool   // there is a radio button; cursor and hollow say whether it is the chosen one
	label  int    // the column in which the label begins
}

// cursors are the glyphs that mark the chosen entry.
const cursors = "❯›>→▶▸➤●◉⏵➜▷»"

// hollow are the glyphs of entries that are not chosen, in lists that draw both.
const hollow = "○◯◌"

// filled are the characters between the brackets of a chosen radio button, and empty those of the others.
const filled, empty = "●•◉*xXo", "○◯◌ "

// isCursor reports whether r is a glyph that marks the chosen entry of a list.
func isCursor(r rune) bool { return in(cursors, r) }

// readLeads reads the lead of each line that holds words.
func (l *Layout) readLeads() {
	before := l.radios
	l.radios = l.drawsRadios()
	for i := range l.Lines {
		if line := &l.Lines[i]; line.Kind == Words && (line.lead.at < 0 || l.radios != before) {
			line.lead = line.leadBehind("", l.radios)
		}
	}
}

// leadBehind reads the lead of a line. arrow is a cursor of plain characters that the line begins with; empty: none.
func (l *Line) leadBehind(arrow string, radios bool) lead {
	c := l.cells
	t := lead{at: l.Col, past: l.Col}
	switch first := c[t.at]; {
	case arrow != "":
		t.at += utf8.RuneCountInString(arrow) - 1
		t.cursor, t.past = true, skip(c, t.at+1)
	case isCursor(first) || in(hollow, first):
		t.cursor, t.hollow, t.past = isCursor(first), !isCursor(first), skip(c, t.at+1)
	}
	t.box, t.boxed = checkBox(c, t.past)
	t.label = t.boxed
	if radios && t.radio(c, t.past) {
		return t
	}
	if !t.numbered(c, t.boxed) {
		if key, next, ok := bracketed(c, t.boxed); ok {
			t.key, t.behind, t.label = key, next, skip(c, next)
		}
	}
	return t
}

// numbered reads a number in column at, "1.", "2)" or "3: ", and a box behind it.
func (t *lead) numbered(c []rune, at int) bool {
	i, n := at, 0
	for i < len(c) && i-at < 3 && c[i] >= '0' && c[i] <= '9' {
		n = n*10 + int(c[i]-'0')
		i++
	}
	if n == 0 || i-at > 2 || i+1 >= len(c) || c[i] != '.' && c[i] != ')' && !(c[i] == ':' && c[i+1] == ' ') {
		return false
	}
	t.number, t.behind = n, i
	t.label = skip(c, i+1)
	t.gap = t.label - i - 1
	if t.box == "" {
		t.box, t.label = checkBox(c, t.label)
	}
	return true
}

// radio reads a radio button in column at, or behind one letter or digit there: "(●) Yes", "2 (○) No".
func (t *lead) radio(c []rune, at int) bool {
	key, button, on, ok := radioAt(c, at)
	if !ok {
		return false
	}
	t.cursor, t.hollow, t.past, t.label = on, !on, skip(c, button+3), skip(c, button+3)
	t.button, t.box, t.boxed, t.behind = true, "", t.past, at+1
	switch {
	case key >= '1' && key <= '9':
		t.number = int(key - '0')
	case key > 0:
		t.key = string(key)
	}
	return true
}

// radioAt reads the radio button in column at, or behind one letter or digit there. It returns its key (0: none), its
// column, and whether it is the chosen one.
func radioAt(c []rune, at int) (key rune, button int, on, ok bool) {
	if at+1 < len(c) && blankCell(c[at+1]) && (c[at] >= '1' && c[at] <= '9' || c[at] >= 'a' && c[at] <= 'z') {
		key, at = c[at], skip(c, at+1)
	}
	if at+3 >= len(c) || c[at] != '(' || c[at+2] != ')' || !blankCell(c[at+3]) {
		return 0, 0, false, false
	}
	on = in(filled, c[at+1])
	return key, at, on, on || in(empty, c[at+1]) || c[at+1] == ' '
}

// drawsRadios reports whether rows begin with radio buttons: two rows at least, and at most one that is chosen.
func (l *Layout) drawsRadios() bool {
	rows, chosen := 0, 0
	for i := range l.Lines {
		line := &l.Lines[i]
		if _, _, on, ok := radioAt(line.cells, line.Col); ok {
			if rows++; on {
				chosen++
			}
		}
	}
	return rows > 1 && chosen < 2
}

// longestCursor is the greatest number of characters of a cursor.
const longestCursor = 5

// plainCursor is the cursor of plain characters at the beginning of a line: "->", ">>>", "──▶", a star or a bar; empty: none.
func plainCursor(line *Line) string {
	if line.Begins(bars) {
		return string(line.First())
	}
	c, _, words := strings.Cut(line.Text, " ")
	point := strings.TrimLeft(c, "-=~<"+acrosses)
	pointed := strings.Trim(point, ">") == "" || width(point) == 1 && isCursor(firstRune(point))
	if n := width(c); words && (c == "*" || n > 1 && n <= longestCursor && point != "" && pointed) {
		return c
	}
	return ""
}

// checkBox reads "[ ]" or "[✔]" in column i. It returns the box and the column behind it and its blanks.
func checkBox(c []rune, i int) (string, int) {
	if i+1 < len(c) && c[i+1] == ' ' && in("•✓☐☑◻◼□■◯◉", c[i]) {
		return string(c[i]), skip(c, i+1)
	}
	if i+2 < len(c) && c[i] == '[' && c[i+2] == ']' && (c[i+1] == 'x' || !unicode.IsLetter(c[i+1]) && !unicode.IsDigit(c[i+1])) {
		return string(c[i : i+3]), skip(c, i+3)
	}
	return "", i
}

// bracketed reads a key of one letter or digit in column at: "[a]" or "(a)".
func bracketed(c []rune, at int) (key string, next int, ok bool) {
	if at+2 >= len(c) {
		return "", at, false
	}
	open, shut := c[at], c[at+2]
	if !(open == '[' && shut == ']' || open == '(' && shut == ')') {
		return "", at, false
	}
	k := tmuxKey(string(c[at+1]))
	return k, at + 3, len(k) == 1
}

// label is the text from column from up to column to, with its no-break spaces.
func (l *Line) label(from, to int) string {
	return strings.TrimRight(cellText(l.cells, l.row.marks, from, to, ownBlanks), " ")
}

// rest is the label that begins in column from.
func (l *Line) rest(from int) string { return l.label(from, len(l.cells)) }

// skip is the first column from i on that is not blank.
func skip(c []rune, i int) int {
	for i < len(c) && blankCell(c[i]) {
		i++
	}
	return i
}

// gapAt is the column, from at on, where the next two blanks in a row begin.
func gapAt(cells []rune, at int) int {
	for ; at < len(cells); at++ {
		if cells[at] == ' ' && (at+1 == len(cells) || cells[at+1] == ' ') {
			return at
		}
	}
	return at
}

// pieces yields the stretches of a line that two blanks or more part: the first column of each and the column behind it.
func (l *Line) pieces() iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for at := l.Col; at < len(l.cells); {
			end := gapAt(l.cells, at)
			if !yield(at, end) {
				return
			}
			at = skip(l.cells, end)
		}
	}
}
