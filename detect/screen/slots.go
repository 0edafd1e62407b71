package screen

import (
	"iter"
	"strings"
)

// Options side by side with a radio button before each, or each in angle brackets.

// slotted is the lowest row of such options: "● Yes / ○ No" (@clack/prompts 1.9.0), "<   Yes    > <    No    >" (prompt_toolkit 3.0).
func (l *Layout) slotted(of known) (Menu, bool) {
	for i, line := range l.lowest(acrossRows) {
		if m, ok := l.radiosIn(i); ok && of.menu(&m) {
			return m, true
		}
		if m, ok := l.angledIn(i); ok && of.menu(&m) {
			return m, true
		}
		if line.lead.cursor {
			break // another menu's row
		}
	}
	return Menu{}, false
}

// radiosIn reads line i as options with a radio button before each. Exactly one is the chosen one.
func (l *Layout) radiosIn(i int) (Menu, bool) {
	off := 0
	m, ok := l.inRow(i, "the radio buttons in its row", l.Lines[i].slots(cursors+hollow), func(_ *Menu, e *Entry, from, to int) part {
		if line := &l.Lines[i]; in(hollow, line.at(from)) {
			off++
			e.Col = skip(line.cells, from+1)
			e.Label = line.label(e.Col, to)
		}
		e.Label = strings.TrimRight(e.Label, " /|")
		return begins
	})
	return m, ok && m.Marked >= 0 && len(m.Entries) > 1 && off == len(m.Entries)-1
}

// angledIn reads line i as buttons in angle brackets. None counts as marked: the light may be in a list above them.
func (l *Layout) angledIn(i int) (Menu, bool) {
	m, ok := l.inRow(i, "the angle brackets of its buttons", l.Lines[i].slots("<"), func(_ *Menu, e *Entry, _, _ int) part {
		label, closed := strings.CutSuffix(e.Label, ">")
		e.Label = strings.TrimSpace(strings.TrimPrefix(label, "<"))
		if !closed || e.Label == "" || strings.ContainsAny(e.Label, "<>") {
			return breaks
		}
		return begins
	})
	return m, ok && m.Marked < 0 && len(m.Entries) > 1
}

// slots yields the stretches of a line that begin with one of the signs behind a blank or a button; none if the line does not begin so.
func (l *Line) slots(signs string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		if !in(signs, l.First()) {
			return
		}
		for at := l.Col; at < len(l.cells); {
			end := at + 1
			for end < len(l.cells) && !(in(signs, l.cells[end]) && (blankCell(l.cells[end-1]) || l.cells[end-1] == '>')) {
				end++
			}
			if !yield(at, end) {
				return
			}
			at = end
		}
	}
}
