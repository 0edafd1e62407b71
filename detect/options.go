package detect

import (
	"strings"
	"unicode"
)

// row is one answer as it is drawn.
type row struct {
	Option
	number      int      // the printed number; 0: none
	hints       []string // tmux keys that the row itself prints, the plainest first
	check       string   // "[ ]", "[✔]": a box to tick; empty: none
	note        string   // words beside or under the label that explain it
	cut         bool     // the label does not stand there whole, or a second mark stands before it
	leaves      bool     // it leaves, where another row says no
	asks        bool     // it says no and asks for words, where another row says no alone
	first, last int      // lines of the view
	col         int      // column of the label
}

// block is a list of answers.
type block struct {
	rows        []row
	first, last int // lines of the view
	marked      int // the row with the cursor; -1: none is proven
	markCol     int // column of the cursor, or where it would stand
	numbered    bool
	across      bool // the answers stand side by side
	colour      bool // the cursor is a colour
}

// cursors are the glyphs that mark the chosen row.
const cursors = "❯›>→▶▸➤●◉⏵➜▷"

// hollow are the glyphs of rows that are not chosen, where a list draws both.
const hollow = "○◯◌"

func cursorRune(r rune) bool { return r > 0x20 && strings.ContainsRune(cursors, r) }

// numberedRow reads "❯ 1. Yes", "2) No", "3: Always", "› [ ] 3. Logging" at the start of a line.
func numberedRow(l *line) (r row, mark bool, left int, ok bool) {
	if l.kind != text {
		return row{}, false, 0, false
	}
	c, i := l.cells, l.col
	left = i
	if cursorRune(c[i]) || strings.ContainsRune(hollow, c[i]) {
		mark = cursorRune(c[i])
		i = skip(c, i+1)
	}
	check, i := checkBox(c, i)
	start := i
	for i < len(c) && i-start < 3 && c[i] >= '0' && c[i] <= '9' {
		r.number = r.number*10 + int(c[i]-'0')
		i++
	}
	if i == start || i-start > 2 || i+1 >= len(c) || c[i] != '.' && c[i] != ')' && !(c[i] == ':' && c[i+1] == ' ') {
		return row{}, false, 0, false
	}
	i = skip(c, i+1)
	if check == "" {
		check, i = checkBox(c, i)
	}
	if i >= len(c) || r.number == 0 {
		return row{}, false, 0, false
	}
	r.check, r.col, r.Label = check, i, strings.TrimRight(string(c[i:]), " ")
	return r, mark, left, r.Label != ""
}

// checkBox reads "[ ]" or "[✔]" and the blanks behind it.
func checkBox(c []rune, i int) (string, int) {
	if i+1 < len(c) && c[i+1] == ' ' && (c[i] == '•' || c[i] == '✓' || c[i] == '☐' || c[i] == '☑') {
		return string(c[i]), skip(c, i+1)
	}
	if i+2 < len(c) && c[i] == '[' && c[i+2] == ']' && !unicode.IsLetter(c[i+1]) && !unicode.IsDigit(c[i+1]) || i+2 < len(c) && c[i] == '[' && c[i+1] == 'x' && c[i+2] == ']' {
		return string(c[i : i+3]), skip(c, i+3)
	}
	return "", i
}

func skip(c []rune, i int) int {
	for i < len(c) && c[i] == ' ' {
		i++
	}
	return i
}

// lastNumbered finds the lowest list of the screen that counts 1, 2, 3, … without a gap.
func (v *view) lastNumbered() (block, bool) {
	for end := len(v.lines) - 1; end >= 0; end-- {
		if _, _, _, ok := numberedRow(&v.lines[end]); !ok {
			continue
		}
		b, ok := v.countUp(end)
		if ok {
			return b, true
		}
	}
	return block{}, false
}

// countUp reads the list whose last number stands in line end.
func (v *view) countUp(end int) (block, bool) {
	b := block{last: end, marked: -1, numbered: true, markCol: -1}
	want := 0
	for i := end; i >= 0; i-- {
		l := &v.lines[i]
		r, mark, left, ok := numberedRow(l)
		switch {
		case ok && (want == 0 || r.number == want):
			r.first, r.last = i, i
			b.rows = append(b.rows, r)
			if mark {
				if b.marked >= 0 {
					return block{}, false
				}
				b.marked, b.markCol = len(b.rows)-1, left
			}
			want = r.number - 1
			if want == 0 {
				b.first = i
				return v.finish(b), len(b.rows) > 1
			}
		case ok, l.kind == edge:
			return block{}, false
		case l.kind == blank && !v.spaced(i):
			return block{}, false
		case l.kind == text && len(b.rows) > 0 && b.rows[len(b.rows)-1].first-i > 8:
			return block{}, false
		}
	}
	return block{}, false
}

// spaced reports whether the lines around a blank line i may still be one list: one blank line at a time.
func (v *view) spaced(i int) bool { return i > 0 && v.lines[i-1].kind != blank }

// finish puts the rows of b, collected from below, in order and joins what belongs to each label.
func (v *view) finish(b block) block {
	for i, j := 0, len(b.rows)-1; i < j; i, j = i+1, j-1 {
		b.rows[i], b.rows[j] = b.rows[j], b.rows[i]
	}
	if b.marked >= 0 {
		b.marked = len(b.rows) - 1 - b.marked
	}
	left := b.markCol
	for k := range b.rows {
		r := &b.rows[k]
		if left < 0 {
			left = max(v.lines[r.first].col-2, 0)
		}
		end := v.after(b, k)
		v.joinLabel(r, end, left)
	}
	b.last = b.rows[len(b.rows)-1].last
	b.markCol = left
	return b
}

// after is the line behind the last one that may belong to row k of b.
func (v *view) after(b block, k int) int {
	if k+1 < len(b.rows) {
		return b.rows[k+1].first
	}
	return len(v.lines)
}

// joinLabel takes the lines under r's first one, up to end, into its label where they are the label's
// wrapped rest, and into its note where they explain it.
func (v *view) joinLabel(r *row, end, left int) {
	wrapping := true
	for i := r.first + 1; i < end; i++ {
		l := &v.lines[i]
		broken := v.broken(i, r)
		if l.kind != text || l.col <= left && !v.stray(l) && !broken || end == len(v.lines) && !broken && v.ends(i, r) {
			break
		}
		switch {
		case broken && l.col == 0 && v.lines[i-1].end() == v.width, v.stray(l):
			r.Label += l.text
		case broken, wrapping && v.wrapped(i):
			r.Label += " " + l.text
		default:
			wrapping = false
			r.note = strings.TrimSpace(r.note + " " + l.text)
		}
		r.last = i
	}
	r.finish()
	r.cut = r.cut || v.touchesEdge(r.last)
}

// touchesEdge reports whether line i ends in the last column of a pane whose width is known from a line
// drawn across it: more of the row may stand behind the edge.
func (v *view) touchesEdge(i int) bool {
	return v.lines[i].end() >= v.width && v.drawnAcross()
}

// drawnAcross reports whether a line is drawn across the whole pane: its width is known then.
func (v *view) drawnAcross() bool {
	for i := range v.lines {
		if l := &v.lines[i]; (l.kind == rule || l.kind == dashed || l.kind == edge) && len(l.cells) >= v.width {
			return true
		}
	}
	return false
}

// broken reports whether line i goes on with r, a text field whose row above fills its pane: Claude Code 2.0.54
// breaks it anywhere, also inside a word, and goes on at the left edge. A blank at the break may stand on either
// side of it.
func (v *view) broken(i int, r *row) bool {
	if v.lines[i].kind != text || v.lines[i].col > 1 || !v.drawnAcross() || scopeOf(r.Label, "", false) != Text {
		return false
	}
	return v.lines[i-1].kind == text && v.lines[i-1].end() >= v.width-1
}

// stray is a line with a single rune far to the right: Codex 0.61 breaks a key hint that does not fit
// into one rune a row.
func (v *view) stray(l *line) bool {
	return len(l.cells)-l.col == 1 && l.col > 30
}

// ends reports whether line i, under the last row r, no longer belongs to it.
func (v *view) ends(i int, r *row) bool {
	l := &v.lines[i]
	if v.stray(l) {
		return false
	}
	if isFooter(l.text) {
		return true
	}
	return l.col < r.col && !v.wrapped(i)
}

// paragraphEnd is the last line of the run of text lines that begins with line i.
func (v *view) paragraphEnd(i int) int {
	for i+1 < len(v.lines) && v.lines[i+1].kind == text {
		i++
	}
	return i
}

// wrapped reports whether line i goes on with the sentence of the line above it: its first word
// would not have fitted there.
func (v *view) wrapped(i int) bool {
	above, l := &v.lines[i-1], &v.lines[i]
	word, _, _ := strings.Cut(l.text, " ")
	return above.kind == text && cellsOf(above.cells[:above.end()])+1+cellsOf([]rune(word)) > v.width-8
}

// end is the column behind the last rune of text.
func (l *line) end() int {
	n := len(l.cells)
	for n > 0 && l.cells[n-1] == ' ' {
		n--
	}
	return n
}

// finish splits the label into its words, its key hints and what explains it.
func (r *row) finish() {
	label, note := splitGap(r.Label)
	if note != "" {
		r.Label = label
		r.note = strings.TrimSpace(note + " " + r.note)
	}
	r.Label, r.hints = splitHints(r.Label)
	if r.Label != "" && strings.ContainsRune(cursors+hollow, firstRune(r.Label)) {
		r.cut = true // a second mark: what Enter takes may be told by either
		return
	}
	r.cut = strings.Contains(r.Label, "…") || strings.ContainsAny(r.Label[max(len(r.Label)-1, 0):], ",+&-/:;(") || strings.Count(r.Label, "(") != strings.Count(r.Label, ")") || strings.HasSuffix(r.Label, "...") && len(r.Label) > 24
}

// splitGap cuts a label at the first gap of two blanks or more: what stands behind it is a second column.
func splitGap(s string) (string, string) {
	head, tail, ok := strings.Cut(s, "  ")
	if !ok {
		return s, ""
	}
	return head, strings.TrimSpace(tail)
}

// lastPointed finds the lowest list without numbers: a row with a cursor and its siblings, whose
// labels begin in the same column.
func (v *view) lastPointed() (block, bool) {
	for i := len(v.lines) - 1; i >= 0; i-- {
		if b, ok := v.pointedAt(i); ok {
			return b, true
		}
	}
	return block{}, false
}

// pointedAt reads the list whose cursor stands in line i.
func (v *view) pointedAt(i int) (block, bool) {
	l := &v.lines[i]
	if l.kind != text || !cursorRune(l.cells[l.col]) {
		return block{}, false
	}
	col := skip(l.cells, l.col+1)
	if col >= len(l.cells) || col == l.col+1 || col > l.col+4 {
		return block{}, false
	}
	first := i
	for first > 0 && v.sibling(first-1, l.col, col) {
		first--
	}
	last := i
	for last+1 < len(v.lines) && v.sibling(last+1, l.col, col) {
		last++
	}
	if first == last {
		return v.spacedAt(i, col)
	}
	b := block{first: first, last: last, marked: -1, markCol: l.col}
	for j := first; j <= last; j++ {
		s := &v.lines[j]
		start := skip(s.cells, s.col)
		if glyph := s.cells[start]; start == l.col && (cursorRune(glyph) || strings.ContainsRune(hollow, glyph)) {
			start = skip(s.cells, start+1)
		}
		n := len(b.rows)
		lower := n > 0 && j > first && v.wrapped(j) && start == col && j != i && (unicode.IsLower(s.cells[start]) || s.cells[start] == '(') && !unicode.IsLower(firstRune(b.rows[0].Label))
		switch {
		case n > 0 && v.outdented(j, l.col, col):
			b.rows[n-1].Label = beforeHint(b.rows[n-1].Label, s.text)
			b.rows[n-1].last = j
			continue
		case n > 0 && (start > col || lower):
			v.extend(&b.rows[n-1], j)
			continue
		}
		check, start := checkBox(s.cells, start)
		r := row{check: check, first: j, last: j, col: start, Option: Option{Label: strings.TrimRight(string(s.cells[start:]), " ")}}
		b.rows = append(b.rows, r)
		if j == i {
			b.marked = n
		}
	}
	for k := range b.rows {
		r := &b.rows[k]
		r.finish()
		r.cut = r.cut || v.touchesEdge(r.last)
	}
	return b, len(b.rows) > 1 && b.marked >= 0
}

// spacedAt reads the list whose cursor stands in line i and whose answers, with labels in column col, have one
// blank line between them. A row that neither agrees nor refuses ends it: it may be what is asked about.
func (v *view) spacedAt(i, col int) (block, bool) {
	b := block{first: i, last: i, marked: 0, markCol: v.lines[i].col}
	b.rows = append(b.rows, v.spacedRow(i, col))
	if r := &b.rows[0]; scopeOf(r.Label, r.note, r.cut) == Other {
		return block{}, false
	}
	for j := i - 2; j >= 0 && v.answerAt(j, b.markCol, col) && v.lines[j+1].kind == blank; j -= 2 {
		b.rows = append([]row{v.spacedRow(j, col)}, b.rows...)
		b.first, b.marked = j, b.marked+1
	}
	for j := i + 2; j < len(v.lines) && v.answerAt(j, b.markCol, col) && v.lines[j-1].kind == blank; j += 2 {
		b.rows = append(b.rows, v.spacedRow(j, col))
		b.last = j
	}
	return b, len(b.rows) > 1
}

func (v *view) spacedRow(i, col int) row {
	r := row{first: i, last: i, col: col, Option: Option{Label: strings.TrimRight(string(v.lines[i].cells[col:]), " ")}}
	r.finish()
	r.cut = r.cut || v.touchesEdge(i)
	return r
}

// answerAt reports whether line i is an answer of a list with its cursor in column mark and its labels in col.
func (v *view) answerAt(i, mark, col int) bool {
	if !v.sibling(i, mark, col) || len(v.lines[i].cells) <= col {
		return false
	}
	l := &v.lines[i]
	r := v.spacedRow(i, col)
	return (l.col == col || l.col == mark) && scopeOf(r.Label, r.note, r.cut) != Other
}

// extend takes line j into r: into its label where it is wrapped, else into its note.
func (v *view) extend(r *row, j int) {
	if v.wrapped(j) && r.note == "" {
		r.Label += " " + v.lines[j].text
	} else {
		r.note = strings.TrimSpace(r.note + " " + v.lines[j].text)
	}
	r.last = j
}

// sibling reports whether line i belongs to a list whose cursor stands in column mark and whose
// labels begin in column col.
func (v *view) sibling(i, mark, col int) bool {
	l := &v.lines[i]
	if l.kind != text || isFooter(l.text) {
		return false
	}
	if l.col == mark && strings.ContainsRune(hollow, l.cells[mark]) {
		return true
	}
	return l.col >= col && l.col < col+8 && !cursorRune(l.cells[l.col]) || v.outdented(i, mark, col)
}

// keep is the scope of a row whose dialog has been read as a whole.
func (r *row) keep() Scope {
	switch {
	case r.leaves:
		return Other
	case r.asks:
		return Text
	}
	return r.Scope
}
