package screen

import (
	"iter"
	"slices"
	"strings"
	"unicode"
)

// Keys that rows print, and menus whose options print their keys.

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

// splitHints takes the key hints off the end of a label, "Yes, proceed (y)", "Run (once) (y) (enter)". It returns the label
// without them and their tmux keys, letters first. Words that are no keys stay in the label.
func splitHints(label string) (string, []string) {
	var keys []string
	for {
		trimmed := strings.TrimRight(label, " ")
		at := strings.LastIndexByte(trimmed, '(')
		if at < 1 || !strings.HasSuffix(trimmed, ")") {
			break
		}
		found, ok := hintKeys(strings.ReplaceAll(trimmed[at+1:len(trimmed)-1], " ", " "))
		if !ok {
			break
		}
		keys = append(found, keys...)
		label = strings.TrimRight(trimmed[:at], " ")
	}
	return label, keys
}

// hintKeys reads the keys of a hint: "y", "esc", "esc or n", "shift+tab", "Esc to stop". The second result reports whether s
// is a hint at all; a hint about something else ("tab to edit") has no keys.
func hintKeys(s string) ([]string, bool) {
	joined := strings.ReplaceAll(s, " ", "")
	if key := tmuxKey(joined); key != "" {
		return []string{key}, true
	}
	if strings.HasPrefix(s, "type to ") {
		return nil, true // it may be typed into too (grok/1.0.41-bash-80x24)
	}
	words := strings.FieldsFunc(s, func(r rune) bool { return r == ' ' || r == ',' || r == '/' })
	var keys []string
	for i, w := range words {
		switch key := tmuxKey(w); {
		case key != "":
			keys = append(keys, key)
		case i == 1 && w == "to" && len(words) > 2 && strings.EqualFold(words[0], "esc"):
			return keys, true
		case i == 1 && w == "to" && len(words) > 2:
			return nil, true
		case w != "or":
			return nil, false
		}
	}
	slices.SortStableFunc(keys, func(a, b string) int { return min(len(a), 2) - min(len(b), 2) }) // letters first
	return keys, len(keys) > 0
}

// tmuxKey is tmux's name of a key that a screen names; empty if s names none.
func tmuxKey(s string) string {
	if len(s) == 1 && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= '0' && s[0] <= '9') {
		return s
	}
	low := strings.ToLower(s)
	for _, before := range []string{"ctrl+", "ctrl-", "^"} {
		if key, ok := strings.CutPrefix(low, before); ok && len(key) == 1 {
			return "C-" + key
		}
	}
	return tmuxNames[low]
}

var tmuxNames = map[string]string{
	"esc": "Escape", "escape": "Escape", "enter": "Enter", "return": "Enter", "⏎": "Enter", "↵": "Enter", "tab": "Tab", "shift+tab": "BTab", "shift-tab": "BTab", "space": "Space",
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
