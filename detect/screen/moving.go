package screen

import (
	"strings"

	"nod/internal/reason"
)

// Rows that move while a dialog waits: spinners, timers, dots. Such a row does not make it another dialog.

// spinners are the glyphs of spinners outside of Braille.
const spinners = "✻✽✶✳✢◐◓◑◒◴◷◶◵◜◝◞◟▰▱"

// spins reports whether a row begins with a spinner, or has dots and a length of time at its end: "Working... [0:12]". No command
// does.
func (l *Line) spins() bool {
	return l.Spinner() || in(spinners, l.First()) || strings.HasPrefix(l.Text, "(  ") || Holds(l.Text, "…", "...") && endsInTime(l.Text)
}

// moves reports whether a row spins or ends in a length of time.
func (l *Line) moves() bool {
	return l.spins() || l.Begins("·") || endsInTime(l.Text)
}

// endsInTime reports whether a row ends in a length of time: "Working 12s", "Running (1m 3s)", "Thinking... [1:03]".
func endsInTime(s string) bool {
	if strings.Contains(s, "   ") { // an editor's row, with a place in its file
		return false
	}
	return isTime(s[strings.LastIndexByte(s, ' ')+1:])
}

// isTime reports whether a word is a length of time: "12s", "(3m", "[1:03]".
func isTime(word string) bool {
	word = strings.Trim(word, "()[]·,")
	digits := func(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }
	if minutes, seconds, ok := strings.Cut(word, ":"); ok {
		return digits(minutes) && digits(seconds) && len(seconds) == 2 // a line and a column may have any number of them
	}
	number := strings.TrimRight(word, "smh")
	return number != word && digits(number)
}

// stilled is the part of a moving row that stays: its words, without signs, lengths of time and dots.
func stilled(s string) string {
	var words []string
	for _, word := range strings.Fields(s) {
		word = strings.TrimRight(word, ".…")
		if saysSomething(word) && !isTime(word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " ")
}

// still reduces each moving row of the dialog to the part that stays, and doubts it, since the rest is not compared. A question
// in such a row is the dialog's if there is no other.
func (d *Dialog) still() {
	for i := d.Top; i < d.First; i++ {
		line := &d.Lines[i]
		if line.Kind != Words || !line.spins() {
			continue
		}
		d.places[i].spins = true
		d.Doubt(reason.RowMoves)
		switch {
		case d.Question == "" && strings.Contains(line.Text, "?"):
			d.Asked, d.AskedEnd, d.Question = i, i, stilled(line.Text)
		case d.Asked <= i && i <= d.AskedEnd:
			d.Question = stilled(d.Question)
		}
	}
}
