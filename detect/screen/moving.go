package screen

import (
	"slices"
	"strings"

	"nod/internal/host/ansi"
	"nod/internal/reason"
)

// Rows that move while a dialog waits: spinners, timers, dots. Such a row does not make it another dialog.

// spinners are the glyphs of spinners outside of Braille, growing those of bars that grow.
const spinners, growing = "✻✽✶✳✢◐◓◑◒◴◷◶◵◜◝◞◟▰▱", "█▓▒░"

// turns reports whether a spinner is drawn with r.
func turns(r rune) bool { return in(spinners, r) || r > 0x2800 && r < 0x2900 }

// spins reports whether a row begins with a spinner or a bar that grows, or has dots and a length of time at its end: "Working... [0:12]". No command
// does.
func (l *Line) spins() bool {
	return l.Kind == Words && turns(l.First()) || in(growing, l.First()) && in(growing, l.at(l.Col+1)) || strings.HasPrefix(l.Text, "(  ") || Holds(l.Text, "…", "...") && endsInTime(l.Text)
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
	if parts := strings.Split(word, ":"); len(parts) == 2 || len(parts) == 3 {
		clock := func(s string) bool { return digits(s) && len(s) == 2 } // a line and a column may have any number of digits
		return digits(parts[0]) && clock(parts[1]) && clock(parts[len(parts)-1])
	}
	number := strings.TrimRight(word, "smh")
	return number != word && digits(number)
}

// stilled is the part of a moving row that stays: its words, without signs, lengths of time and dots.
func stilled(s string) string {
	var words []string
	for _, word := range strings.Fields(s) {
		word = strings.TrimRight(word, ".…")
		if saysSomething(word) && !isTime(word) && !tellsPlace(word) {
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

// Ticked reports whether a capture differs from the one before only in rows that tick (Reading.Ticking of the one before): other
// digits, another sign before the words, other colours. It returns the new text of these rows. Nothing else that was read of the
// screen has changed then.
func Ticked(before, now string, ticking []int) (rows map[int]string, ok bool) {
	if before == now {
		return nil, true
	}
	if linesOfLetters(before) || linesOfLetters(now) {
		return nil, false
	}
	rows = map[int]string{}
	for i := 0; before != "" || now != ""; i++ {
		var was, is string
		var more, goesOn bool
		was, before, more = strings.Cut(before, "\n")
		is, now, goesOn = strings.Cut(now, "\n")
		switch {
		case more != goesOn:
			return nil, false
		case was == is:
		case !slices.Contains(ticking, i):
			return nil, false
		default:
			words, same := ticked(was, is)
			if !same {
				return nil, false
			}
			rows[i] = words
		}
	}
	return rows, true
}

// linesOfLetters reports whether a capture draws lines with letters: that goes on into the rows below.
func linesOfLetters(capture string) bool {
	return strings.ContainsAny(capture, "\x0e\x0f") || strings.Contains(capture, "\x1b(")
}

// ticked is the text of a row, and whether the row is the one before after a tick. A row under a frame may be read otherwise with another
// sign.
func ticked(before, now string) (text string, ok bool) {
	was, wasPlain := rowOf(before)
	is, isPlain := rowOf(now)
	if !wasPlain || !isPlain || was.now != is.now || strings.ContainsFunc(now, drawsFrame) || stoodStill(was.rows[0].Text) != stoodStill(is.rows[0].Text) {
		return "", false
	}
	// A row takes the look that it does not set from the last cell of the row above.
	whole := Style{Fg: "any", Bg: "any", Bold: true, Dim: true, Reverse: true, Underline: true}
	return is.rows[0].Text, lookAfter(whole, before) == lookAfter(whole, now)
}

// lookAfter is the look in which a row ends that begins in another.
func lookAfter(begins Style, row string) Style {
	p := parser{now: begins}
	for t := range ansi.Tokens(row) {
		if t.Kind == ansi.SGR {
			p.sgr(t.Args)
		}
	}
	return p.now
}

// rowOf parses one row. plain says that nothing in it looks like a chosen row.
func rowOf(row string) (p parser, plain bool) {
	plain = true
	for t := range ansi.Tokens(row) {
		p.take(t)
		plain = plain && !p.now.Reverse && p.now.Bg == "" && !p.now.Underline
	}
	p.endRow()
	return p, plain
}

// stoodStill is the part of a row that stays when it ticks. The sign before its words counts as turning only if dots say that
// something goes on.
func stoodStill(row string) string {
	first := strings.Contains(row, "…")
	return strings.Map(func(r rune) rune {
		begins := first && r != ' '
		first = first && !begins
		switch {
		case begins && (turns(r) || in("·*", r)):
			return '✻'
		case r >= '0' && r <= '9':
			return '0'
		}
		return r
	}, row)
}
