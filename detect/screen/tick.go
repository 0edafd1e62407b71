package screen

import (
	"slices"
	"strings"

	"nod/internal/host/ansi"
)

// Ticked tells what a capture shows of rows that tick where the one before shows the same screen but for them: in rows that the reading of
// that one tells (Reading.Ticking) other digits, another sign before the words, other colours of them. All else that is read of the screen
// is what it was. It is false where anything else differs.
func Ticked(before, now string, ticking []int) (rows map[int]string, ok bool) {
	if before == now {
		return nil, true
	}
	// Line drawing goes on into the rows below.
	if strings.ContainsAny(before+now, "\x0e\x0f") || strings.Contains(before, "\x1b(") || strings.Contains(now, "\x1b(") {
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

// ticked is the text of a row, and whether it is one of before that has ticked.
func ticked(before, now string) (text string, ok bool) {
	was, wasPlain := rowIn(Style{}, before)
	is, isPlain := rowIn(Style{}, now)
	if !wasPlain || !isPlain || was.now != is.now || stoodStill(was.rows[0].Text) != stoodStill(is.rows[0].Text) {
		return "", false
	}
	// The look of the last cell goes on into the next row. What a row does not set it takes from the one above.
	whole := Style{Fg: "any", Bg: "any", Bold: true, Dim: true, Reverse: true, Underline: true}
	was, _ = rowIn(whole, before)
	is, _ = rowIn(whole, now)
	return is.rows[0].Text, was.now == is.now
}

// rowIn parses one row which begins in that look, and reports whether nothing in it has a look that chosen rows have.
func rowIn(begins Style, row string) (p parser, plain bool) {
	p.now, plain = begins, true
	for t := range ansi.Tokens(row) {
		p.take(t)
		plain = plain && !p.now.Reverse && p.now.Bg == "" && !p.now.Underline
	}
	p.endRow()
	return p, plain
}

// stoodStill is what stays of a row that ticks: the sign before its words turns only while something goes on, which dots say.
func stoodStill(row string) string {
	first := strings.Contains(row, "…")
	return strings.Map(func(r rune) rune {
		begins := first && r != ' '
		first = first && !begins
		switch {
		case begins && (in(spinners, r) || in("·*", r) || r > 0x2800 && r < 0x2900):
			return '✻'
		case r >= '0' && r <= '9':
			return '0'
		}
		return r
	}, row)
}
