package message

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"nod/detect/screen"
	"nod/internal/text/lazy"
	"nod/internal/text/visible"
)

// The options of a dialog in the rows of its screen, as agents draw them.

// withoutOptions removes the options for which said is true from the end of rows, and the footer below them.
// from is the first row of the options, or the number of rows if the options were not found.
func (r Renderer) withoutOptions(rows []string, said func(option int) bool) (left []string, from int) {
	for start := len(rows) - 1; start >= 0 && len(r.labels) > 0; start-- {
		kept, end, ok := r.optionsAt(rows, start, said)
		if !ok {
			continue
		}
		left = slices.Concat(rows[:start], kept)
		if footer := rows[end:]; wordRows(footer) > maxFooter {
			left = append(left, footer...)
		}
		return left, start
	}
	return rows, len(rows)
}

// optionsAt finds all options in their order, the first at the row start. It returns the rows of the options
// for which said is false, and the row after the last option.
func (r Renderer) optionsAt(rows []string, start int, said func(option int) bool) (kept []string, end int, ok bool) {
	if kept, ok = r.optionsInRow(rows[start], said); ok {
		return kept, start + 1, true
	}
	at := start
	for i, label := range r.labels {
		first := at
		for rest := visible.Unspaced(label); ; first++ {
			if first >= len(rows) || first > start && at == start {
				return nil, 0, false
			}
			if at, ok = labelIn(rows, first, rest); ok {
				break
			}
			if at = first + 1; first == start {
				return nil, 0, false
			}
			kept = append(kept, rows[first])
		}
		at = r.behindNote(rows, at, i)
		if !said(i) {
			kept = append(kept, rows[first:at]...)
		}
	}
	return kept, at, true
}

// labelIn reports whether a label begins at the row first, and returns the row after it and its key hint.
func labelIn(rows []string, first int, label string) (end int, ok bool) {
	at, rest := first, label
	for ; at < len(rows) && rest != ""; at++ {
		text := bare(rows[at])
		if at == first {
			text = optionText(rows[at])
		}
		after, fits := strings.CutPrefix(rest, visible.Unspaced(text))
		if !fits {
			text = keyHint().ReplaceAllString(text, "")
			after, fits = strings.CutPrefix(rest, visible.Unspaced(text))
		}
		if !fits || text == "" {
			return first, false
		}
		rest = after
	}
	if at < len(rows) && rest == "" && keyHint().FindString(bare(rows[at])) == bare(rows[at]) {
		at++ // the hint of its key did not fit in the row
	}
	return at, rest == ""
}

// keyHint is the key that a row names after an option.
var keyHint = lazy.MustCompile(` *\([^()]{1,40}\)$`)

// keyBefore is the key that a row names before an option's words.
var keyBefore = lazy.MustCompile(`\[[^\[\] ]{1,8}\] `)

// optionsInRow finds all options side by side in one row. It returns those for which said is false.
func (r Renderer) optionsInRow(row string, said func(option int) bool) (kept []string, ok bool) {
	if len(r.labels) < 2 {
		return nil, false
	}
	rest := buttonText(keyBefore().ReplaceAllString(row, ""))
	for i, label := range r.labels {
		rest = strings.TrimLeft(rest, "0123456789")
		if rest, ok = strings.CutPrefix(rest, buttonText(label)); !ok {
			return nil, false
		}
		if !said(i) {
			kept = append(kept, label)
		}
	}
	return kept, true
}

// buttonText returns the text of a row of buttons, without blanks, edges, pointers, and brackets around a
// key.
func buttonText(row string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || edge(c) || strings.ContainsRune("[](){}❯›▶>●○◉◯•→", c) {
			return -1
		}
		return c
	}, row)
}

// behindNote returns the row after the explanation of option i, which begins at the row at; at: the
// explanation is not there as it was read.
func (r Renderer) behindNote(rows []string, at, i int) int {
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

// offers reports whether the message shows option i, by a button or in its list.
func (r Renderer) offers(i int) bool {
	option := r.Prompt.Options[i]
	scope := option.Scope
	switch {
	case r.Kind() == screen.Question:
		return true
	case r.Offers(i):
		return utf8.RuneCountInString(r.labels[i]) <= labelRoom // a phone cuts a longer button, and the text does not repeat it
	case scope == screen.Once:
		return len(r.Prompt.Approve) > 0
	case scope == screen.No:
		return len(r.Prompt.Deny) > 0
	}
	return false
}

// optionText returns the text of an option's row, without a pointer, a box and a number before it.
func optionText(row string) string {
	text := strings.TrimLeft(numberedRadio().ReplaceAllString(bare(row), ""), "❯›▶>●○◉◯•*→ ")
	for _, open := range []string{"(", "["} {
		text = strings.TrimPrefix(text, open)
	}
	number := strings.TrimLeft(text, "0123456789")
	if rest := strings.TrimLeft(number, ".):]"); len(number) < len(text) && len(rest) < len(number) {
		text = rest
	}
	return strings.TrimSpace(text)
}

// numberedRadio is the beginning of a row such as "2 (○) Yes".
var numberedRadio = lazy.MustCompile(`^\d+ \([●○◉◯ ]\) `)
