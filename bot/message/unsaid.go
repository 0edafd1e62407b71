package message

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/visible"
)

// maxFooter is how many rows below the last option are taken for a dialog's footer, such as its key hints.
const maxFooter = 3

// unsaid are the screen's rows without what the message says besides: the rules of frames, the subject, the options that are
// buttons or listed, and the footer below the last option. Options and subject are known by standing there as they were
// read: where they do not, their rows stay.
func (r Renderer) unsaid() []string {
	rows, from := r.withoutOptions(r.tail)
	rows = r.withoutSubject(rows, from)
	var out []string
	for _, row := range rows {
		if row = openLeft(row); !ruledOff(row) {
			out = append(out, row)
		}
	}
	return forPhone(trimBlank(out))
}

// withoutSubject takes the rows that are the subject out of those before the row from: as one piece, or what stands first
// in it and what the agent says of it, which a screen may draw above. Where neither is found there, the question goes where
// that stands in the subject's place.
func (r Renderer) withoutSubject(rows []string, from int) []string {
	if left, ok := r.without(rows, from, r.Prompt.Subject); ok {
		return left
	}
	left, ok := r.without(rows, from, r.Prompt.Leading())
	if question := r.Prompt.Question; !ok && strings.HasSuffix(visible.Unspaced(r.lead), visible.Unspaced(r.Style.Redact(question))) {
		left, ok = r.without(rows, from, question)
	}
	if !ok {
		left = withoutEnd(rows, min(from, len(rows)), r.Style.Redact(r.Prompt.Subject))
	}
	left, _ = r.without(left, from-len(rows)+len(left), r.aside)
	return left
}

// without takes the last rows before the row from that together are the text; ok is false where none are, and rows as
// they were.
func (r Renderer) without(rows []string, from int, text string) (left []string, ok bool) {
	text, end := r.Style.Redact(text), min(from, len(rows))
	if visible.Unspaced(text) == "" {
		return rows, false
	}
	for first := end - 1; first >= 0; first-- {
		before, rest, ok := r.beginsIn(rows[first], text)
		at := first + 1
		for ok && at < end && rest != "" {
			if !ruledOff(rows[at]) {
				rest, ok = strings.CutPrefix(rest, visible.Unspaced(bare(rows[at])))
			}
			at++
		}
		if ok && rest == "" {
			return slices.Concat(rows[:first], before, rows[at:]), true
		}
	}
	return rows, false
}

// withoutEnd takes the rows that a text ends with off the top: its beginning has no room on the screen, or left it. What is too
// long for the message stays.
func withoutEnd(rows []string, end int, text string) []string {
	want := visible.Unspaced(text)
	if utf8.RuneCountInString(text) > openRoom {
		return rows
	}
	for at := end; at > 0; at-- {
		var shown strings.Builder
		for _, row := range rows[:at] {
			if !ruledOff(row) {
				shown.WriteString(visible.Unspaced(bare(row)))
			}
		}
		if shown.Len() > 0 && strings.HasSuffix(want, shown.String()) {
			return rows[at:]
		}
	}
	return rows
}

// beginsIn reports whether a text begins in a row: the row's words are its first ones, or its first line ends the row behind
// other words, such as the name of a tool. Those are given as before, unless the message says them or they are a sign such
// as a shell's; what of the text stands in the next rows is given as rest.
func (r Renderer) beginsIn(row, text string) (before []string, rest string, ok bool) {
	row, want := bare(row), visible.Unspaced(text)
	if rest, ok = strings.CutPrefix(want, visible.Unspaced(row)); ok && rest != want {
		return nil, rest, true
	}
	if signed := strings.TrimLeft(row, signs); signed != "" && signed != row {
		if rest, ok = strings.CutPrefix(want, visible.Unspaced(signed)); ok && rest != want {
			return nil, rest, true
		}
	}
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	head, ends := strings.CutSuffix(row, " "+strings.TrimSpace(first))
	if !ends || first == "" {
		return nil, want, false
	}
	if verb := strings.Trim(head, signs); verb != "" && !strings.EqualFold(verb, r.Prompt.Verb) {
		before = []string{strings.TrimRight(head, " ")}
	}
	return before, strings.TrimPrefix(want, visible.Unspaced(first)), true
}

// signs stand before what an agent asks about, and say nothing.
const signs = "$>❯›?•●⏺◆←→ "

// bare is what stands in a row between the edges of a box.
func bare(row string) string {
	return strings.TrimFunc(row, func(r rune) bool { return unicode.IsSpace(r) || edge(r) })
}

// ruledOff reports a row that is drawn and holds no words.
func ruledOff(row string) bool {
	row = strings.TrimSpace(row)
	return row != "" && strings.IndexFunc(row, func(r rune) bool { return !drawn(r) && !edge(r) && r != ' ' }) < 0
}

// wordRows counts the rows that hold words.
func wordRows(rows []string) (n int) {
	for _, row := range rows {
		if strings.TrimSpace(row) != "" && !ruledOff(row) {
			n++
		}
	}
	return n
}

// openLeft takes the left edge off a row of a box that forPhone has opened on the right.
func openLeft(row string) string {
	text := strings.TrimLeft(row, " ")
	first, width := utf8.DecodeRuneInString(text)
	if !edge(first) || strings.ContainsFunc(text[width:], edge) {
		return row
	}
	return strings.TrimPrefix(text[width:], " ")
}

func trimBlank(rows []string) []string {
	for len(rows) > 0 && strings.TrimSpace(rows[0]) == "" {
		rows = rows[1:]
	}
	for len(rows) > 0 && strings.TrimSpace(rows[len(rows)-1]) == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}
