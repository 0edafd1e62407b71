package screen

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Entry is one option of a menu, as it is drawn.
type Entry struct {
	Option
	Number      int      // the printed number; 0: none
	Hints       []string // tmux keys that the entry prints, the plainest first
	Check       string   // a box to tick: "[ ]", "[✔]"; empty: none
	Gap         int      // the number of blanks behind its number
	Note        string   // words beside or under the label that explain it
	Cut         bool     // the label is cut off, or a second mark is before it
	Leaves      bool     // it cancels, and another entry says no
	Asks        bool     // it says no and asks for words, and another entry only says no
	Own         bool     // it takes words of one's own, whatever its label says
	First, Last int      // its lines
	Col         int      // column of the label

	numbered int // the column behind its number; 0: no number
}

// Menu is a run of options as they are drawn, one below the other or side by side.
type Menu struct {
	Entries     []Entry
	First, Last int // its lines
	Marked      int // the entry with the cursor; -1: none is proven
	MarkCol     int // the cursor's column, or the one where it would be
	Numbered    bool
	Across      bool   // the options stand side by side
	Colour      bool   // the cursor is a colour
	Radio       bool   // a radio button is before each option
	Typed       bool   // the answer is typed into a line and sent with Enter
	untyped     bool   // its answers have a drawing that nobody types
	knownBy     string // why this is a menu, for nod check --explain
	keys        string // the words about keys that follow options side by side
	asks        string // the question before them in their row
	hangs       bool   // the wrapped rest of a label may begin in the cursor's column
}

// Like says how the options of a menu begin. It may hold several ways: the lowest menu of any of them counts.
type Like uint8

// How the options of a menu begin.
const (
	Numbered  Like = 1 << iota // "1.", "2)", "3:", "4 (○)", counting up from 1
	Pointed                    // one with a cursor, and the labels of all in one column
	Lettered                   // a key in brackets: "[A]llow [D]eny", "▶ [a] Trust this workspace"
	Bracketed                  // a number in brackets, "[1] Red", counting up from 1
	Boxed                      // a box to tick; the rows that explain a label are further to the right
	hanging                    // the wrapped rest of a label may begin in the cursor's column
)

// Menu is the lowest menu whose options begin so.
func (l *Layout) Menu(like Like) (Menu, bool) { return l.menu(like, nil) }

func (l *Layout) menu(like Like, of known) (Menu, bool) {
	var lowest Menu
	ok := false
	if like&(Numbered|Bracketed) != 0 {
		lowest, ok = l.counted(like)
	}
	if like&Pointed != 0 {
		if m, okP := l.pointed(of); okP && !(ok && m.First <= lowest.Last) {
			lowest, ok = m, true
		}
	}
	if like&Boxed != 0 {
		if m, okB := l.boxed(); okB && !(ok && m.Last <= lowest.Last) {
			lowest, ok = m, true
		}
	}
	if like&Lettered != 0 {
		return l.lettered()
	}
	return lowest, ok
}

// anyMenu is the lowest menu, however its options are drawn. of are the labels that a person described; nil: none did.
func (l *Layout) anyMenu(of known) (Menu, bool) {
	m, ok := l.drawnMenu(of)
	m.dropSigns()
	for k := range m.Entries {
		m.Entries[k].Cut = m.Entries[k].Cut || l.goesOnBeyond(&m, k)
	}
	return m, ok
}

// goesOnBeyond reports whether the label of entry k may go on: in the row below it, or beyond the pane's edge.
func (l *Layout) goesOnBeyond(m *Menu, k int) bool {
	e := &m.Entries[k]
	switch {
	case !m.Across:
		if e.First == m.Last {
			return false
		}
		below := &l.Lines[e.First+1]
		like := func(other Entry) bool { return l.look(other) == below.Style(below.Col) }
		noted := e.Last > e.First && !slices.ContainsFunc(m.Entries, like) // in a look that no label has it explains this one
		return !noted && below.Col <= e.Col+labelIndent && l.restBelow(e)
	case cutOff(e.Label):
		return true
	}
	return k == len(m.Entries)-1 && m.keys == "" && (l.touchesEdge(m.Last) || l.wrapped(m.Last+1) && l.restBelow(e))
}

// restBelow reports whether the row below an entry may be the rest of its label: it begins as no sentence does, and with it the label
// would mean something else.
func (l *Layout) restBelow(e *Entry) bool {
	below := l.Lines[e.First+1].Text
	return inSentence(below) && !inSentence(e.Label) && !strings.Contains(e.Label, below) && scopeOf(e.Label+" "+below, "", false) != e.labelScope()
}

// dropSigns drops the boxes of a menu in which some options have none: the signs are no boxes to tick, "✓ Yes", "✗ No".
func (m *Menu) dropSigns() {
	if !slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Check == "" }) {
		return
	}
	for i := range m.Entries {
		if e := &m.Entries[i]; width(e.Check) == 1 {
			e.Check = ""
		}
	}
}

func (l *Layout) drawnMenu(of known) (Menu, bool) {
	m, ok := l.menu(Numbered|Pointed|hanging, of)
	if !ok || m.Marked < 0 {
		if arrow, okA := l.arrowed(of); okA && (!ok || arrow.Last >= m.Last) {
			if m, ok = arrow, true; m.printsKeys() {
				return m, ok
			}
		}
	}
	if keyed, okL := l.lettered(); okL && (!ok || keyed.Last > m.Last || keyed.Last == m.Last && !m.Numbered) {
		return keyed, true
	}
	if across, okA := l.abreast(of); okA && (!ok || across.Last > m.Last) {
		m, ok = across, true
	}
	if slots, okS := l.slotted(of); okS && (!ok || slots.Last >= m.Last) {
		return slots, true
	}
	if plain, okP := l.plain(of); okP && (!ok || m.Marked < 0 && !m.Numbered && !m.printsKeys() || plain.First > m.Last) {
		m, ok = plain, true
	}
	if boxes, okB := l.boxed(); okB && !ok && Holds(strings.ToLower(l.keysBelow(boxes.Last)), "space") {
		return boxes, true // a list of things to do has no key that ticks
	}
	if noted, okN := l.noted(of); okN && (!ok || noted.First <= m.Last) {
		return noted, true
	}
	if ok && m.Marked < 0 && !m.printsKeys() {
		l.markSingled(&m)
	}
	if keys, okK := l.keyRow(); okK && (!ok || m.Marked < 0 || keys.First < m.First) {
		return keys, true
	}
	return m, ok
}

// keysBelow is the nearest row of words below line i, if it is about keys; else empty.
func (l *Layout) keysBelow(i int) string {
	if below := l.NextWords(i+1, len(l.Lines)); below < len(l.Lines) && IsFooter(l.Lines[below].Text) {
		return l.Lines[below].Text
	}
	return ""
}

// Labelled reports whether the menu has exactly these labels.
func (m *Menu) Labelled(labels ...string) bool {
	return slices.EqualFunc(m.Entries, labels, func(e Entry, label string) bool { return e.Label == label })
}

// doubtLabels marks the labels as cut off, so that none is read as a yes or a no.
func (m *Menu) doubtLabels() {
	for i := range m.Entries {
		e := &m.Entries[i]
		e.Cut = e.Cut || e.labelScope() != Text
	}
}

// finish splits the label into its words, its key hints and its note.
func (e *Entry) finish() {
	if label, ok := betweenBrackets(e.Label); ok { // "< Yes      >" (urwid 2.1)
		e.Label = label
	}
	if label, note, _ := strings.Cut(e.Label, "  "); strings.TrimSpace(note) != "" { // a second column
		e.Label, e.Note = label, strings.TrimSpace(strings.TrimSpace(note)+" "+e.Note)
	}
	if e.Hints == nil {
		e.Label, e.Hints = splitHints(e.Label)
	}
	if marks(e.Label) || marks(e.Check) {
		e.Cut = true // a second mark: either may show what Enter takes
		return
	}
	e.Cut = cutOff(e.Label)
}

// marks reports whether s begins with a glyph that says which row of a list is chosen.
func marks(s string) bool { return isCursor(firstRune(s)) || in(hollow, firstRune(s)) }

// shortLabel is the greatest length, in bytes, of a label that may end in dots of its own, "Other..."; a longer one is cut off.
const shortLabel = 24

// cutOff reports whether a label ends as no whole label does, or holds the lines of a frame: a row of something else has run into it.
func cutOff(label string) bool {
	return strings.Contains(label, "…") || strings.ContainsFunc(label, drawsFrame) || strings.ContainsAny(label[max(len(label)-1, 0):], ",+&-/:;(") ||
		strings.Count(label, "(") != strings.Count(label, ")") || strings.HasSuffix(label, "...") && len(label) > shortLabel
}

// drawsFrame reports whether r is one of Unicode's box drawing characters.
func drawsFrame(r rune) bool { return r >= '─' && r <= '╿' }

// firstRune is the first character of s; 0 if s is empty.
func firstRune(s string) rune {
	for _, r := range s {
		return r
	}
	return 0
}

// lastRune is the last character of s, which must not be empty.
func lastRune(s string) rune {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// count is the number of entries with a scope.
func (m *Menu) count(s Scope) int {
	n := 0
	for _, e := range m.Entries {
		if e.Scope == s {
			n++
		}
	}
	return n
}

// only is the index of the single entry of scope s; -1 if there is none or more than one.
func (m *Menu) only(s Scope) int {
	return onlyOne(len(m.Entries), func(i int) bool { return m.Entries[i].Scope == s })
}

// printsKeys reports whether some entry prints the key that chooses it.
func (m *Menu) printsKeys() bool {
	return slices.ContainsFunc(m.Entries, func(e Entry) bool { return len(e.Hints) > 0 })
}

// Refusable reports whether some label says no.
func (m *Menu) Refusable() bool {
	return slices.ContainsFunc(m.Entries, func(e Entry) bool { s := e.labelScope(); return s == No || s == NoAlways })
}

// distinct reports whether there are several entries and each prints one key, all of them different.
func (m *Menu) distinct() bool {
	seen := map[string]bool{}
	for _, e := range m.Entries {
		if len(e.Hints) != 1 || seen[strings.ToLower(e.Hints[0])] {
			return false
		}
		seen[strings.ToLower(e.Hints[0])] = true
	}
	return len(m.Entries) > 1
}

// readScopes reads the scope of every entry from its label. If one option says no and another cancels, the cancelling one is
// neither yes nor no. If one says no and another says "no, and tell …", the second one asks for words.
func (m *Menu) readScopes() {
	for i := range m.Entries {
		e := &m.Entries[i]
		e.Scope, e.Leaves, e.Asks = e.labelScope(), false, false
	}
	for i := range m.Entries {
		if e := &m.Entries[i]; e.Scope == No && leaves(wordsOf(e.Label)) && m.count(No) > 1 {
			e.Leaves, e.Scope = true, Other
		}
	}
	for i := range m.Entries {
		e := &m.Entries[i]
		if e.Scope == No && m.count(No) > 1 && Holds(strings.ToLower(e.Label), "feedback", "tell ", "suggest", "instruct", "explain", "comment") {
			e.Asks, e.Scope = true, Text
		}
	}
}

// Clear reports whether exactly one entry says yes once and exactly one says no.
func (m *Menu) Clear() bool { return m.only(Once) >= 0 && m.only(No) >= 0 }

// agreeing is the one entry that says yes once or, if none does, the one whose label begins with a yes: "Confirm". -1: none, or several.
func (m *Menu) agreeing() int {
	if m.count(Once) > 0 {
		return m.only(Once)
	}
	return onlyOne(len(m.Entries), func(k int) bool { return m.Entries[k].Agrees() })
}

// dropUnclear drops the head of a menu without numbers, if the rest of it says yes and no.
func (m *Menu) dropUnclear() {
	if m.Numbered || m.Across || m.Marked < 0 {
		return
	}
	bare := *m
	bare.readScopes()
	if bare.dropHead(); known(nil).menu(&bare) {
		*m = bare
	}
}
