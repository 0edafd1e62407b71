package screen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Menus whose options are side by side, or print their keys.

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

// lettered is the lowest menu whose options print their keys in brackets: "[A]llow [D]eny" in one row, or a row each,
// "▶ [a] Trust this workspace". If two of them print the same key, there is none.
func (l *Layout) lettered() (Menu, bool) {
	for i := len(l.Lines) - 1; i >= 0; i-- {
		m, ok := l.keysInRow(i)
		if !ok {
			continue
		}
		if len(m.Entries) == 1 {
			m, _ = l.letteredUp(i)
		}
		if len(m.Entries) > 1 {
			return m, m.distinct()
		}
	}
	return Menu{}, false
}

// letteredUp reads the menu with one option a row whose last one begins in line i.
func (l *Layout) letteredUp(i int) (Menu, bool) {
	end := i
	for col := l.Lines[i].lead.past; end+1 < len(l.Lines) && l.explains(end+1, col); {
		end++
	}
	typed := false
	m, ok := l.column(end, false, "the keys in brackets", func(j int, m *Menu) (Entry, part) {
		row, _ := l.keysInRow(j)
		switch n := len(m.Entries); {
		case len(row.Entries) == 1:
			typed = typed || n == 0 && row.Typed
			return row.Entries[0], begins
		case n == 0, l.explains(j, m.Entries[n-1].Col):
			return Entry{}, within
		case j > 0 && l.Lines[j].Kind == Blank:
			if option, _ := l.keysInRow(j - 1); len(option.Entries) == 1 {
				return Entry{}, within
			}
		}
		return Entry{}, above
	})
	m.Typed = typed
	return m, ok
}

// explains reports whether line i explains an option above it that begins in column col, or is its wrapped rest.
func (l *Layout) explains(i, col int) bool {
	line := &l.Lines[i]
	return line.Kind == Words && line.Col > col && line.Col < col+explainIndent && !IsFooter(line.Text)
}

// keysInRow reads the options of one line that begins with a key in brackets. If the line ends in a colon or a question mark,
// the answer is typed into it.
func (l *Layout) keysInRow(i int) (Menu, bool) {
	line := &l.Lines[i]
	if line.Kind != Words || line.lead.hollow {
		return Menu{}, false
	}
	m, ok := l.inRow(i, "the keys in brackets", line.brackets(line.lead.past), func(m *Menu, e *Entry, from, to int) part {
		key, next, ok := bracketed(line.cells, from)
		if !ok {
			return breaks
		}
		e.Label = strings.TrimSpace(strings.Trim(line.label(next, to), " /|,·•"))
		if unicode.IsLetter(line.at(next)) {
			e.Label = key + e.Label
		}
		if trimmed := strings.TrimRight(e.Label, ":?> "); trimmed != e.Label && to == len(line.cells) {
			m.Typed = true
			if len(m.Entries) > 0 { // else it may be the label's own: "[y] Yes?"
				e.Label = trimmed
			}
		}
		if e.Label == "" || strings.HasSuffix(e.Label, "]") {
			return breaks
		}
		e.Hints, e.Cut = []string{key}, strings.Contains(e.Label, "…")
		return begins
	})
	if ok && line.lead.cursor {
		ok, m.Marked = m.Marked < 0, 0
	}
	return m, ok
}

// brackets are the stretches of a line that begin with a key in brackets, or with a cursor before one.
func (l *Line) brackets(at int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for c := l.cells; at < len(c); {
			key := at
			if isCursor(c[at]) {
				key = skip(c, at+1)
			}
			end := nextBracket(c, min(key+3, len(c)))
			if end < len(c) && end-3 > key+3 && isCursor(c[end-2]) && blankCell(c[end-1]) && blankCell(c[end-3]) {
				end -= 2
			}
			if !yield(at, end) {
				return
			}
			at = skip(c, end)
		}
	}
}

// nextBracket is the column where the next option of a row begins.
func nextBracket(c []rune, at int) int {
	for ; at < len(c); at++ {
		if _, _, ok := bracketed(c, at); ok && at > 0 && (c[at-1] == ' ' || c[at-1] == '/' || c[at-1] == '|') {
			return at
		}
	}
	return at
}

// keyRow is a row at the bottom in which each option follows its bare key: "y allow   n deny",
// "a allow • s allow session • d deny • esc cancel". Only keys of one character make options. One option must say yes once
// and one no.
func (l *Layout) keyRow() (Menu, bool) {
	for i, line := range l.lowest(FooterRows) {
		m := Menu{First: i, Last: i, Marked: -1, MarkCol: line.Col, Across: true, knownBy: "the keys before its labels"}
		for _, piece := range footerPieces(line.Text) {
			key, label, _ := strings.Cut(piece, " ")
			if label = strings.TrimSpace(label); len(key) == 1 && tmuxKey(key) != "" && label != "" && strings.Count(label, " ") <= 3 {
				m.Entries = append(m.Entries, Entry{Option: Option{Label: label}, Hints: []string{key}, First: i, Last: i, Col: line.Col})
			}
		}
		m.readScopes()
		if m.distinct() && m.Clear() {
			l.buttonsAbove(&m)
			return m, true
		}
	}
	return Menu{}, false
}

// buttonsAbove takes the labels of a row of buttons above a row of keys into the menu, if each means the same as the words
// about its key.
func (l *Layout) buttonsAbove(m *Menu) {
	at := l.AboveBlanks(m.First-1, 0)
	if at < 0 || l.Lines[at].Kind != Words {
		return
	}
	var labels []string
	row, _ := l.gapped(at)
	for _, e := range row.Entries {
		if label := strings.Trim(e.Label, "┃│ "); label != "" {
			labels = append(labels, label)
		}
	}
	alike := func(e Entry, label string) bool {
		s := scopeOf(label, "", false)
		return s != Other && (s == e.Scope || s != Once && s != No && e.Scope != Once && e.Scope != No)
	}
	if !slices.EqualFunc(m.Entries, labels, alike) {
		return
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		e.Label, e.Cut, e.First = labels[i], cutOff(labels[i]), at
	}
	m.First = at
}
