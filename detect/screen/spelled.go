package screen

import (
	"slices"
	"strings"

	"nod/internal/reason"
)

// Spelled recognises answers that only their place proves to be live: they are the last words on the screen, side by side or a key and
// its answer a row. One says yes once, and one says no and does not only leave: "y - yes, n - no", "Press Enter to approve, Esc to
// reject", "✅ Approve   ❌ Reject". The person sees them, and nod presses none.
func (l *Layout) Spelled() *Dialog {
	for i := range l.lowest(acrossRows) {
		m := Menu{Entries: l.spelledIn(i), First: i, Last: i, Marked: -1, knownBy: "the answers that it spells"}
		for m.Across = len(m.Entries) != 1; !m.Across && m.First > 0; m.First-- {
			above := l.spelledIn(m.First - 1)
			if len(above) != 1 {
				break
			}
			m.Entries = append(above, m.Entries...)
		}
		m.readScopes()
		if no := m.only(No); m.only(Once) < 0 || no < 0 || leaves(wordsOf(m.Entries[no].Label)) { // "esc cancel" may leave a field
			continue
		}
		last := i
		for l.ornament(last + 1) {
			last++
		}
		below := l.beneath(last, nil)
		if below.Over || below.Unsure || l.InputBelow(i) {
			return nil
		}
		d := l.dialogOver(m, below)
		d.boundByGaps()
		if d.still(); d.Question == "" && !d.TakeHeading() {
			d.AskAs(l.Paragraph(m.First, i))
		}
		d.Name, d.State, d.Why = "spelled", Question, reason.KeysUnsure
		return d
	}
	return nil
}

// ornament reports whether line i holds signs alone, as the edges of buttons and what points at one, and no prompt of a program.
func (l *Layout) ornament(i int) bool {
	return i < len(l.Lines) && l.words(i) && !saysSomething(l.Lines[i].Text) && !OfAnotherProgram(l.Lines[i].Text)
}

// spelledIn are the answers of line i: each behind or before its key, or with gaps or strokes between them. Alone in its row one has a
// key. None: it holds other words.
func (l *Layout) spelledIn(i int) (found []Entry) {
	if !l.words(i) {
		return nil
	}
	keyed := 0
	for _, part := range spelledParts(strings.Trim(l.Lines[i].Text, "[]")) {
		key, label := spelledKey(part)
		if len(wordsOf(label)) == 0 {
			return nil
		}
		if key != "" {
			keyed++
		}
		found = append(found, Entry{Option: Option{Label: label}, First: i, Last: i, Col: l.Lines[i].Col})
	}
	if keyed != len(found) && (keyed > 0 || len(found) < 2 || found[0].labelScope() == Other) {
		return nil
	}
	return found
}

// spelledParts are the parts of a row that gaps, strokes, commas or an "or" part.
func spelledParts(s string) []string {
	for _, between := range []string{" or ", ", ", "; ", " / ", " • ", "·", "|", "│"} {
		s = strings.ReplaceAll(s, between, "  ")
	}
	return slices.DeleteFunc(strings.Split(s, "  "), func(part string) bool { return !saysSomething(part) })
}

// spelledKey splits a part of a row into its key, which has one character or a name, and its label; an empty key: it has none.
func spelledKey(part string) (key, label string) {
	isKey := func(word string) bool {
		return len(word) == 1 && (tmuxKey(word) != "" || word == "?") || keyWord(strings.ToLower(word))
	}
	bare := func(word string) string { return strings.Trim(word, "[]()<>:=-–—→'\"`") }
	words := strings.Fields(part)
	if last := words[len(words)-1]; last[0] == '[' && isKey(bare(last)) {
		return bare(last), strings.Join(words[:len(words)-1], " ")
	}
	if len(words) > 2 && isKey(bare(words[1])) && len(bare(words[0])) > 1 {
		words = words[1:] // "Press y to approve"
	}
	if len(words) < 2 || !isKey(bare(words[0])) {
		return "", strings.Trim(part, " ‹›«»<>")
	}
	key, words = bare(words[0]), words[1:]
	if len(words) > 1 && (bare(words[0]) == "" || words[0] == "to") {
		words = words[1:]
	}
	return key, strings.Join(words, " ")
}
