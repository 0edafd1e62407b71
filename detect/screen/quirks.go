package screen

import (
	"slices"
	"strings"
	"unicode"
)

// Drawings of real programs that no rule would guess. Each rule here says why it exists and which recorded screen needs it.

// narrowest is the least width that a pane is assumed to have if no line is drawn across it. In a narrower one every short row
// would look wrapped: of a dialog shown by less, the pager's own row would be the rest of the footer.
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

// hintAt is the byte at which the key hint at the end of s begins; -1: none.
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

// beforeHint inserts rest into label, before its key hint.
func beforeHint(label, rest string) string {
	at := hintAt(label)
	if at < 0 {
		return label + " " + rest
	}
	return strings.TrimRight(label[:at], " ") + " " + rest + " " + label[at:]
}

// underScrollbar reports whether a row may go on under the scrollbar. Qwen cuts the ends of rows that it wrapped before the
// scrollbar appeared, and draws them nowhere (qwen/0.24.4-tall-100x40). A row that ends in Qwen's own mark is whole.
func (d *Dialog) underScrollbar(r row) bool {
	const margin = 6 // columns that Qwen keeps free at the right of a row
	return d.Uncut != "" && d.scrolled > 0 && d.Lines[r.line].End() > d.scrolled-margin && !strings.HasSuffix(d.Lines[r.line].Text, d.Uncut)
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
