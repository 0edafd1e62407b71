package screen

import (
	"iter"
	"slices"
	"strings"
)

// Menus whose options are side by side.

// Abreast is the lowest row of options side by side for which fits holds, with two blanks or more between them:
// "❯ Approve   Deny", "Allow (a)   Deny (d)". A question may come before them in their row, and words about keys may follow.
func (l *Layout) Abreast(fits func(m *Menu) bool) (Menu, bool) {
	for i := range l.lowest(acrossRows) {
		if m, ok := l.gapped(i); ok && len(m.Entries) > 1 && fits(&m) {
			return m, true
		}
	}
	return Menu{}, false
}

// inRow reads line i as options side by side, one in each of parts: is says whether an option is there, and its key, or
// whether words about keys begin. A row with two cursors is no menu.
func (l *Layout) inRow(i int, knownBy string, parts iter.Seq2[int, int], is func(m *Menu, e *Entry, from, to int) part) (Menu, bool) {
	line := &l.Lines[i]
	m := Menu{First: i, Last: i, Marked: -1, MarkCol: line.Col, Across: true, knownBy: knownBy}
	for from, to := range parts {
		start, marked := skip(line.cells, from), -1
		if isCursor(line.at(start)) && to > start+2 {
			start, marked = skip(line.cells, start+1), len(m.Entries)
		}
		e := Entry{Option: Option{Label: strings.TrimSpace(line.label(start, to))}, First: i, Last: i, Col: start}
		p := is(&m, &e, start, to)
		if p == breaks || marked >= 0 && m.Marked >= 0 {
			return Menu{}, false
		}
		if m.Marked = max(m.Marked, marked); p == above {
			m.keys = line.text(start, len(line.cells))
			break
		}
		if p == begins {
			m.Entries = append(m.Entries, e)
		}
	}
	m.readScopes()
	return m, len(m.Entries) > 0
}

// gapped reads line i as options with gaps between them.
func (l *Layout) gapped(i int) (Menu, bool) {
	return l.inRow(i, "the gaps between its labels", l.Lines[i].pieces(), func(m *Menu, e *Entry, _, _ int) part {
		if question, first, asks := strings.Cut(e.Label, "? "); asks && len(m.Entries) == 0 {
			m.asks, e.Label, e.Col = question+"?", strings.TrimSpace(first), e.Col+width(question)+2
		}
		e.Label, e.Hints = splitHints(strings.Trim(e.Label, "[]<> "))
		if IsFooter(e.Label) || len(m.Entries) > 0 && keyWord(strings.ToLower(e.Label)) {
			return above
		}
		return begins
	})
}

// abreast is the lowest row of options side by side whose labels prove that it is a menu. Without a cursor, the marked one
// shows by its look.
func (l *Layout) abreast(of known) (Menu, bool) {
	m, ok := l.Abreast(func(m *Menu) bool {
		return len(m.Entries) > 1 && (of.menu(m) || of == nil && m.Marked >= 0 && Holds(l.keysBelow(m.Last), "←/→", "⇆"))
	})
	if !ok {
		return Menu{}, false
	}
	if lit, okB := l.buttonsIn(m.First); okB && lit.distinct() && len(lit.Entries) == len(m.Entries) {
		m.Entries, m.knownBy = lit.Entries, lit.knownBy
	}
	if m.Marked < 0 {
		l.markSingled(&m)
	}
	return m, true
}

// Buttons are the lowest buttons with a ground of their own, side by side or one below the other, each with the letter that
// chooses it underlined. A capture without colours has none.
func (l *Layout) Buttons() (Menu, bool) {
	m := Menu{Marked: -1}
	for i := len(l.Lines) - 1; i >= 0; i-- {
		row, ok := l.buttonsIn(i)
		switch {
		case ok && len(m.Entries) == 0:
			m = row
			m.Across, m.MarkCol = len(row.Entries) > 1, -1
		case ok && len(row.Entries) == 1 && !m.Across:
			m.First, m.Entries = i, append(row.Entries, m.Entries...)
		case len(m.Entries) > 0:
			return m, m.distinct()
		}
	}
	return m, m.distinct()
}

// buttonsIn are the buttons of one line. Each has a ground of its own and one key of one letter, printed or underlined.
func (l *Layout) buttonsIn(i int) (Menu, bool) {
	m, ok := l.gapped(i)
	m.knownBy = "the grounds of its buttons"
	line, before := &l.Lines[i], 0
	ground := func(at int) string { return line.Style(at).ground() }
	for k := range m.Entries {
		e := &m.Entries[k]
		for at := e.Col; at < e.Col+width(e.Label) && ground(e.Col) != ""; at++ {
			if line.Style(at).Underline {
				e.Hints = append(e.Hints, tmuxKey(strings.ToLower(string(line.at(at)))))
			}
		}
		own := k == 0
		for ; before < e.Col; before++ {
			own = own || ground(before) != ground(e.Col)
		}
		ok = ok && own && ground(e.Col) != "" && len(e.Hints) == 1 && len(e.Hints[0]) == 1
	}
	return m, ok
}

// Options side by side with a radio button before each, or each in angle brackets.

// slotted is the lowest row of such options: "● Yes / ○ No" (@clack/prompts 1.9.0), "<   Yes    > <    No    >" (prompt_toolkit 3.0).
func (l *Layout) slotted(of known) (Menu, bool) {
	for i := range l.lowest(acrossRows) {
		if m, ok := l.radiosIn(i); ok && of.menu(&m) {
			return m, true
		}
		if m, ok := l.enclosedIn(i, "<", ">", "the angle brackets of its buttons"); ok && of.menu(&m) {
			f, around := l.frameOf(i), l.groundAround(&m)
			lit := func(r stretch) bool { return r.start < f.Right && r.end > f.Left+1 && r.style.ground() != around }
			above := f == nil || l.LineFrom(f.Top+1, i, func(j int) bool { return slices.ContainsFunc(l.Lines[j].row.runs, lit) }) >= 0
			if !above && !slices.ContainsFunc(m.Entries, takesChosen) {
				l.markSingled(&m)
			}
			return m, true
		}
	}
	return Menu{}, false
}

// takesChosen reports whether a button names no answer of its own: in a list above it something may be chosen, which it takes, lit or not.
func takesChosen(e Entry) bool {
	words := wordsOf(e.Label)
	return len(words) == 1 && taking[words[0]]
}

var taking = set("ok okay confirm submit apply accept select done continue")

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

// enclosedIn reads line i as labels between such brackets, one behind the other, without a cursor.
func (l *Layout) enclosedIn(i int, opens, closes, knownBy string) (Menu, bool) {
	m, ok := l.inRow(i, knownBy, l.Lines[i].slots(opens), func(_ *Menu, e *Entry, _, _ int) part {
		label, closed := strings.CutSuffix(e.Label, closes)
		e.Label = strings.TrimSpace(strings.TrimPrefix(label, opens))
		if !closed || e.Label == "" || strings.ContainsAny(e.Label, opens+closes) {
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
