package detect

import "strings"

// outdented reports whether line i goes on with an answer of the list whose cursor stands in column mark and
// whose labels begin in column col, although it begins in the cursor's column. Continue sets a label and its
// key hint side by side, each wrapped for itself: what is left of the label begins where the cursor would
// stand, and the hint stays behind at the end of the first row.
func (v *view) outdented(i, mark, col int) bool {
	if !v.under(i, mark) {
		return false
	}
	head := i - 1
	for head > 0 && v.under(head, mark) {
		head--
	}
	above := &v.lines[head]
	if above.kind != text || above.col != mark && above.col != col || len(above.cells) <= col {
		return false
	}
	hint := hintAt(string(above.cells))
	if hint < 0 {
		return false
	}
	column := cellsOf([]rune(string(above.cells)[:hint]))
	end := cellsOf([]rune(strings.TrimRight(string(above.cells)[:hint], " ")))
	if column-end < 2 {
		return false // the hint follows its label: there the label ends
	}
	for j := head + 1; j <= i; j++ {
		l := &v.lines[j]
		word, _, _ := strings.Cut(l.text, " ")
		if end+1+cellsOf([]rune(word)) < column-hintGap || cellsOf(l.cells[:l.end()]) >= column {
			return false
		}
		end = cellsOf(l.cells[:l.end()])
	}
	return true
}

// hintGap is how many cells of the hint's own box may stand between the place for a label and the hint.
const hintGap = 3

// under reports whether line i may be the rest of an answer, in the cursor's column.
func (v *view) under(i, mark int) bool {
	l := &v.lines[i]
	return i > 0 && l.kind == text && l.col == mark && !cursorRune(l.cells[l.col]) && !strings.ContainsRune(hollow, l.cells[l.col]) && !isFooter(l.text)
}

// hintAt is where the key hint at the end of s begins, in bytes; -1 where there is none.
func hintAt(s string) int {
	at := strings.LastIndexByte(s, '(')
	if at < 1 {
		return -1
	}
	if _, hints := splitHints(s[:at] + strings.TrimRight(s[at:], " ")); len(hints) == 0 {
		return -1
	}
	return at
}

// beforeHint puts rest behind the words of label, before its key hint.
func beforeHint(label, rest string) string {
	at := hintAt(label)
	if at < 0 {
		return label + " " + rest
	}
	return strings.TrimRight(label[:at], " ") + " " + rest + " " + label[at:]
}
