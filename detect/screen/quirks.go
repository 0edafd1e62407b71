package screen

import (
	"slices"
	"strings"
	"unicode"
)

// What real programs draw that no rule would guess. Each rule here says why it is there, and which recorded screen needs it.

// narrowest is the width that a pane is taken to have at least where nothing drawn tells it: short rows alone are no narrow
// pane, in which every row would look wrapped. A dialog shown by less would have the pager's own row as the rest of its footer.
const narrowest = 48

// brokenField reports whether line i goes on with e, a text field whose row above fills its pane: Claude Code 2.0.54 breaks it
// anywhere, also inside a word, and goes on at the left edge; a blank at the break may be on either side of it
// (claude/2.0.54-bash-50x30).
func (l *Layout) brokenField(i int, e *Entry) bool {
	if l.Lines[i].Kind != Words || l.Lines[i].Col > 1 || !l.knowsWidth() || e.labelScope() != Text {
		return false
	}
	return l.Lines[i-1].Kind == Words && l.Lines[i-1].End() >= l.width-1
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

// underScrollbar reports whether a row may go on under the scrollbar: Qwen cuts rows that it wrapped before the scrollbar appeared, so that
// what they lack stands nowhere (qwen/0.24.4-tall-100x40). A row that ends in Qwen's own mark is whole.
func (d *Dialog) underScrollbar(r row) bool {
	const margin = 6 // what Qwen keeps free at the right of a row
	return d.Uncut != "" && d.scrolled > 0 && d.Lines[r.line].End() > d.scrolled-margin && !strings.HasSuffix(d.Lines[r.line].Text, d.Uncut)
}

// withoutGutter writes the no-break spaces as blanks that this agent draws between the sign of a changed line and its text:
// so many, in every such row (copilot/1.0.102-edit-80x24). What is behind them stays as it is.
func (d *Dialog) withoutGutter(cells []rune, start int) []rune {
	if d.Gutter == 0 {
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

// hides reports whether a character that shows nothing, and is no blank of one cell, is between two columns of a row.
// Agents and terminals count its cells in ways of their own: Qwen Code 0.24.4 cuts as many characters off a row's end as it
// holds of these. The selector of an emoji is counted alike everywhere.
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
