package bot

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/visible"
)

// maxFooter is how many rows below the last option are taken for a dialog's footer, such as its key hints.
const maxFooter = 3

// unsaid are the screen's rows without what the message says besides: the rules of frames, the subject, the options that are
// buttons or listed, and the footer below the last option. Options and subject are known by standing there as they were
// read: where they do not, their rows stay.
func (r renderer) unsaid() []string {
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

// withoutOptions takes the options that the message says off the end of rows, and the footer below them. from is the
// first row of the options; the number of rows where those were not found.
func (r renderer) withoutOptions(rows []string) (left []string, from int) {
	for start := len(rows) - 1; start >= 0 && len(r.labels) > 0; start-- {
		said, end, ok := r.optionsAt(rows, start)
		if !ok {
			continue
		}
		for i, row := range rows[:end] {
			if !said[i] {
				left = append(left, row)
			}
		}
		if footer := rows[end:]; wordRows(footer) > maxFooter {
			left = append(left, footer...)
		}
		return left, start
	}
	return rows, len(rows)
}

// optionsAt finds all options in their order, the first at the row start. It gives the rows of those that the message
// says, and the row behind the last option.
func (r renderer) optionsAt(rows []string, start int) (said map[int]bool, end int, ok bool) {
	said = map[int]bool{}
	at := start
	for i, label := range r.labels {
		first, rest := -1, ""
		for ; at < len(rows); at++ {
			if after, fits := strings.CutPrefix(visible.Unspaced(label), visible.Unspaced(optionText(rows[at]))); fits && optionText(rows[at]) != "" {
				first, rest = at, after
				break
			}
			if at == start {
				return nil, 0, false
			}
		}
		if first < 0 {
			return nil, 0, false
		}
		for at++; rest != "" && at < len(rows); at++ {
			after, fits := strings.CutPrefix(rest, visible.Unspaced(optionText(rows[at])))
			if !fits || after == rest {
				break
			}
			rest = after
		}
		if rest != "" {
			return nil, 0, false
		}
		at = r.behindNote(rows, at, i)
		for row := first; row < at && r.offers(i); row++ {
			said[row] = true
		}
	}
	return said, at, true
}

// behindNote is the row behind those, from at on, that explain option i; at where they do not stand there as they were read.
func (r renderer) behindNote(rows []string, at, i int) int {
	rest, row := visible.Unspaced(r.notes[i]), at
	for ; rest != "" && row < len(rows); row++ {
		after, fits := strings.CutPrefix(rest, visible.Unspaced(bare(rows[row])))
		if !fits || after == rest {
			return at
		}
		rest = after
	}
	if rest != "" {
		return at
	}
	return row
}

// offers reports whether the message says option i: by a button, or in its list.
func (r renderer) offers(i int) bool {
	option := r.Prompt.Options[i]
	scope := option.Scope
	switch {
	case r.Kind == screen.Question:
		return true
	case len(r.Prompt.Approve) == 0 && namedYes(option):
		return true
	case scope == screen.Once:
		return len(r.Prompt.Approve) > 0
	case scope == screen.No:
		return len(r.Prompt.Deny) > 0
	}
	return false
}

// withoutSubject takes the rows that are the subject out of those before the row from: as one piece, or what stands first
// in it and what the agent says of it, which a screen may draw above. Where neither is found there, the question goes where
// that stands in the subject's place.
func (r renderer) withoutSubject(rows []string, from int) []string {
	if left, ok := r.without(rows, from, r.Prompt.Subject); ok {
		return left
	}
	left, ok := r.without(rows, from, r.Prompt.Leading())
	if question := r.Prompt.Question; !ok && strings.HasSuffix(visible.Unspaced(r.lead), visible.Unspaced(r.style.redact(question))) {
		left, _ = r.without(rows, from, question)
	}
	left, _ = r.without(left, from-len(rows)+len(left), r.aside)
	return left
}

// without takes the last rows before the row from that together are the text; ok is false where none are, and rows as
// they were.
func (r renderer) without(rows []string, from int, text string) (left []string, ok bool) {
	want, end := visible.Unspaced(r.style.redact(text)), min(from, len(rows))
	if want == "" {
		return rows, false
	}
	for first := end - 1; first >= 0; first-- {
		rest, at := want, first
		for at < end && rest != "" {
			after, fits := strings.CutPrefix(rest, visible.Unspaced(bare(rows[at])))
			if !fits || at == first && after == rest {
				break
			}
			rest, at = after, at+1
		}
		if rest == "" {
			return slices.Concat(rows[:first], rows[at:]), true
		}
	}
	return rows, false
}

// bare is what stands in a row between the edges of a box.
func bare(row string) string {
	return strings.TrimFunc(row, func(r rune) bool { return unicode.IsSpace(r) || edge(r) })
}

// optionText is what an option's row says, without a pointer, a box to tick and a number before it.
func optionText(row string) string {
	text := strings.TrimLeft(bare(row), "❯›▶>●○◉◯•*→ ")
	for _, open := range []string{"(", "["} {
		text = strings.TrimPrefix(text, open)
	}
	number := strings.TrimLeft(text, "0123456789")
	if rest := strings.TrimLeft(number, ".):]"); len(number) < len(text) && len(rest) < len(number) {
		text = rest
	}
	return strings.TrimSpace(text)
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
