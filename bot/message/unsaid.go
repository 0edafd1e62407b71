package message

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/internal/text/visible"
)

// maxFooter is how many rows below the last option count as the dialog's footer, such as its key hints.
const maxFooter = 3

// unsaid returns the screen's rows that say more than the message and the dialog's decoration. It removes
// rules, blank rows, the subject, the title, the question, the row of page headings, the options that are
// buttons or listed, and the footer below the last option. Each is removed only if it is on the screen as it
// was read; otherwise its rows stay. If there is a plain yes and a plain no, options without a button count
// as decoration too, and are shown only together with rows that say more.
func (r Renderer) unsaid() []string {
	tail := r.tail()
	rows := r.beside(tail, r.offers)
	if len(r.Prompt.Approve) > 0 && len(r.Prompt.Deny) > 0 && !r.saysMore(r.beside(tail, func(int) bool { return true })) {
		return nil
	}
	return rows
}

// saysMore reports whether a row has words that are not in the subject.
func (r Renderer) saysMore(rows []string) bool {
	asked := visible.Unspaced(r.Prompt.Verb + r.subject)
	return slices.ContainsFunc(rows, func(row string) bool {
		return strings.ContainsFunc(row, wordRune) && !strings.Contains(asked, visible.Unspaced(bare(row)))
	})
}

// wordRune reports whether c is part of a word, even a masked one.
func wordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || c == '•' }

// beside returns the rows of a screen that neither the message nor the options in said show.
func (r Renderer) beside(tail []string, said func(option int) bool) []string {
	rows, from := r.withoutOptions(tail, said)
	behind := len(rows) - from
	rows = r.withoutSubject(rows, from)
	furniture := []string{r.Prompt.Question, r.Prompt.Title}
	if r.page() != "" {
		furniture = append(furniture, r.Prompt.Tabs) // the message itself says which page this is
	}
	for _, furniture := range furniture {
		rows, _ = r.without(rows, len(rows)-behind, furniture)
	}
	var out []string
	for _, row := range rows {
		if row = openLeft(row); !ruledOff(row) && !blank(row) {
			out = append(out, row)
		}
	}
	return forPhone(out)
}

// withoutSubject removes the rows of the subject that are before the row from: in one piece, or its first
// part and the agent's words about it, which a screen may draw above. If neither is found, and the question
// serves as the subject, the question is removed.
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
	left, _ = r.without(left, from-len(rows)+len(left), r.extra)
	return left
}

// without removes the last rows before the row from that together are the text; ok is false if there are
// none, and rows is unchanged.
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

// withoutEnd removes rows at the top that are the end of a text whose beginning does not fit on the screen or
// has left it. A text that is too long for the message stays.
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

// beginsIn reports whether a text begins in a row: the row's words are its first words, or the text's first
// line ends the row after other words, such as the name of a tool. before is that part of the row, unless the
// message says it or it is only a sign such as a shell's. rest is the text that continues in the next rows.
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

// signs come before a subject and have no meaning.
const signs = "$>❯›?•●⏺◆△←→ "

// bare returns the text of a row without the edges of a box.
func bare(row string) string {
	return strings.TrimFunc(row, func(r rune) bool { return unicode.IsSpace(r) || edge(r) })
}

// ruledOff reports whether a row only has drawing characters.
func ruledOff(row string) bool {
	row = strings.TrimSpace(row)
	return row != "" && strings.IndexFunc(row, func(r rune) bool { return !drawn(r) && !edge(r) && r != ' ' }) < 0
}

// wordRows counts the rows with words.
func wordRows(rows []string) (n int) {
	for _, row := range rows {
		if strings.TrimSpace(row) != "" && !ruledOff(row) {
			n++
		}
	}
	return n
}

// openLeft removes the left edge of a box row whose right edge forPhone has removed.
func openLeft(row string) string {
	text := strings.TrimLeft(row, " ")
	first, width := utf8.DecodeRuneInString(text)
	if !edge(first) || strings.ContainsFunc(text[width:], edge) {
		return row
	}
	return strings.TrimPrefix(text[width:], " ")
}
