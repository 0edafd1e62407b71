package screen

import (
	"slices"
	"strings"
)

// A list in any language, however it is drawn, waits for its answer if it is at the end of the screen, below a row that asks, and one of its
// rows is marked: by a cursor or another sign, or by its look. Below the row that asks is nothing but what may be answers:
//
//	Soll das ausgeführt werden?                ? Which branch? …
//	❯ Ja, einmal                               main                (underlined)
//	  Nein                                     dev

// waits recognises such a list, the question of a kit for prompts that wants words, or a picker. The person sees it, and nod presses none of
// its keys.
func (l *Layout) waits() *Dialog {
	m, asked := Menu{}, l.unansweredLine()
	words := asked >= 0
	if !words {
		m, asked = l.lastAnswers()
	}
	if !words && (asked < 0 || !l.oneList(&m, asked)) {
		if m, asked = l.filtered(); asked < 0 {
			return nil
		}
	}
	d := l.dialogOver(m, Beneath{End: m.Last})
	if words {
		d = l.unlisted(asked)
	}
	if d.begin(); d.Question == "" && !d.TakeHeading() {
		d.AskAs(strings.Trim(l.Lines[asked].Text, "─ "))
	}
	if l.inputBelow(asked) || d.isText() {
		return nil
	}
	return d.notice()
}

// unanswered reports whether a row that a question mark heads is a kit's question: it asks once more, ends in a colon, with a default in
// brackets behind it or not, or the mark has a look of its own.
func (l *Line) unanswered() bool {
	said, _, _ := strings.Cut(l.Text[1:], ": (")
	return strings.Contains(said, "?") || len(said) < len(l.Text)-1 || strings.HasSuffix(said, ":") || l.Style(l.Col) != l.Style(skip(l.cells, l.Col+1))
}

// unansweredLine is the line of a kit's question with which the screen ends, or below which it shows an empty line to write into, or fields
// that one sign begins (enquirer 2.4.1, form), and below those a few rows of status; -1: none.
func (l *Layout) unansweredLine() int {
	sign, status := ' ', false
	for i, line := range l.lowest(listRows) {
		alone := width(line.Text) == 1 && !saysSomething(line.Text)
		switch {
		case line.signed():
			if !line.unanswered() || sign == ' ' && status {
				return -1
			}
			return i
		case alone || line.beginsWithSign() && !beginsTranscript(line.First()):
			if sign != ' ' && sign != line.First() {
				return -1
			}
			sign = line.First()
		case sign == ' ' && IsFooter(line.Text):
		case sign != ' ' || !line.statusSign():
			return -1
		default:
			status = true
		}
	}
	return -1
}

// lastAnswers are the rows below the lowest one that asks, and the line of that one; none if one of them can't be an answer.
func (l *Layout) lastAnswers() (m Menu, asked int) {
	m = Menu{Marked: -1, knownBy: "the question above its rows, one of which is marked"}
	last, _ := l.LowestRow()
	for i := last; i >= 0 && len(m.Entries) < listRows; i-- {
		line := &l.Lines[i]
		e := Entry{First: i, Last: i, Col: line.Col, Option: Option{Label: strings.Trim(line.Text, aroundLabels)}}
		question, answer, _ := strings.Cut(line.Text, "? ")
		titled := func(f Region) bool { return f.Top == i && !f.Open && asksAtEnd(f.Title) }
		switch {
		case between(answer):
			e.Label = strings.Trim(answer, aroundLabels)
			m.Entries, m.asks = append(m.Entries, e), question+"?"
			return m.turned(), i
		case slices.ContainsFunc(l.frames, titled), line.asks() && !line.lead.cursor: // an input box may ask what to do
			return m.turned(), i
		case line.Kind != Words && (line.Kind != Rule || line.frame > 0 || len(m.Entries) == 0):
		case line.Kind == Rule, !between(line.Text) && l.noAnswer(line, len(m.Entries) > 0): // below a rule may be the status rows of an input box
			return Menu{}, -1
		case between(line.Text), !IsFooter(line.Text) && saysSomething(line.Text):
			m.Entries = append(m.Entries, e)
		}
	}
	return Menu{}, -1
}

// noAnswer reports whether a row is of something else than a list: it moves, was said or drawn by another, is the sign of an input box
// alone, or is about keys with other rows below it, which may be an input box.
func (l *Layout) noAnswer(line *Line, others bool) bool {
	said := saysSomething(line.Text)
	return line.moves() || offersToStop(line.Text) && !movesAndChooses(line.Text) || said && !line.lead.cursor && l.goesOnBelow(line) ||
		OfAnotherProgram(line.Text) || !said && width(line.Text) == 1 || others && IsFooter(line.Text)
}

// turned is a menu that was collected from its last row up.
func (m Menu) turned() Menu {
	slices.Reverse(m.Entries)
	if n := len(m.Entries); n > 0 {
		m.First, m.Last = m.Entries[0].First, m.Entries[n-1].Last
	}
	return m
}

// aroundLabels are signs at the sides of answers: of a table, of the one answer that a row shows, "‹ Yes ›", or that mark it.
const aroundLabels = "│┃║▌❯›<>▶▸‹◀◂←→⟨⟩ "

// between reports whether a row shows one answer between two signs: "← Yes →", "< Yes >" (urwid 2.1).
func between(s string) bool {
	s = strings.Trim(s, bars+" ")
	return saysSomething(s) && (in("‹◀◂←⟨", firstRune(s)) && in("›▶▸→⟩", lastRune(s)) || Starts(s, "< ") && strings.HasSuffix(s, " >"))
}

// oneList reports whether one of the rows is marked and the others are in its column, or explain it, in the frame of the row that asks.
func (l *Layout) oneList(m *Menu, asked int) bool {
	marked := l.markedRow(m)
	if marked < 0 {
		return false
	}
	row := &l.Lines[m.Entries[marked].First]
	col, barred := row.Col, in(bars, row.First())
	if barred || row.lead.cursor {
		col = skip(row.cells, col+1)
	}
	framed := row.frame == l.Lines[asked].frame || !row.lead.cursor // a draft in a box below the question may begin with a cursor
	return framed && !slices.ContainsFunc(m.Entries, func(e Entry) bool {
		line := &l.Lines[e.First]
		within := e.First == m.Entries[marked].First || barred && e.First == m.Entries[marked].First+1
		return line.frame != row.frame || !within && (e.Col < col || in(bars, line.First()))
	})
}

// markedRow is the one row that is between two signs, behind a cursor or a sign, or looks like no other; -1: none.
func (l *Layout) markedRow(m *Menu) int {
	n := len(m.Entries)
	if n == 1 {
		across, _ := l.gapped(m.First)
		grounds := map[string]int{}
		for _, e := range across.Entries {
			grounds[l.Lines[m.First].Style(e.Col).ground()]++
		}
		if m.asks != "" || between(l.Lines[m.First].Text) || len(grounds) > 1 {
			return 0
		}
		return -1
	}
	cursor := func(e Entry) bool { return l.Lines[e.First].lead.cursor }
	if slices.ContainsFunc(m.Entries, cursor) {
		at := onlyOne(n, func(k int) bool { return cursor(m.Entries[k]) })
		if at >= 0 && (at == 0 || m.Entries[at-1].First < m.Entries[at].First-1) && (at == n-1 || m.Entries[at+1].First > m.Entries[at].First+1) {
			return -1 // an input box is apart from the rows above it
		}
		return at
	}
	if led := l.ledRow(m); led >= 0 {
		return led
	}
	ground := func(s Style) Style { return Style{Bg: s.ground(), Underline: s.Underline} }
	if at := l.onlyLook(m, ground); at >= 0 && l.lookAt(m, at, ground) != (Style{}) {
		return at
	}
	at := l.onlyLook(m, func(s Style) Style { return s })
	if n < 3 || m.Last-m.First >= n || at >= 0 && l.Lines[m.Entries[at].First].hinted(l.Lines[m.Entries[at].First].End()-1) {
		return -1 // a row of another colour, apart from them, may be status
	}
	return at
}

// ledRow is the one row with a sign before it, whatever the sign is, or the first of two with a bar: the others begin where its words do.
// -1: none, or one may be wrapped.
func (l *Layout) ledRow(m *Menu) int {
	sign := func(e Entry) bool { return l.Lines[e.First].beginsWithSign() }
	at := slices.IndexFunc(m.Entries, sign)
	if at < 0 {
		return -1
	}
	row, end := &l.Lines[m.Entries[at].First], at+1
	if end < len(m.Entries) && in(bars, row.First()) && l.Lines[m.Entries[end].First].Begins(string(row.First())) {
		end++
	}
	col := skip(row.cells, row.Col+1)
	for k, e := range m.Entries {
		if (k < at || k >= end) && (e.Col != col || sign(e)) || k > 0 && l.wrapped(e.First) {
			return -1
		}
	}
	return at
}

// lookAt is the part of the look of row k, at its end, that of returns.
func (l *Layout) lookAt(m *Menu, k int, of func(Style) Style) Style {
	line := &l.Lines[m.Entries[k].First]
	return of(line.Style(line.End() - 1))
}

// onlyLook is the one row that looks unlike the others, which look alike, or is so among those that begin furthest to the left: the others
// may explain them. -1: none.
func (l *Layout) onlyLook(m *Menu, of func(Style) Style) int {
	left, at := l.width, -1
	for _, e := range m.Entries {
		left = min(left, e.Col)
	}
	for _, end := range []int{l.width, left} {
		looks := map[Style]int{}
		for k, e := range m.Entries {
			if e.Col <= end {
				looks[l.lookAt(m, k, of)]++
			}
		}
		if at < 0 && len(looks) == 2 {
			at = onlyOne(len(m.Entries), func(k int) bool { return m.Entries[k].Col <= end && looks[l.lookAt(m, k, of)] == 1 })
		}
	}
	return at
}
