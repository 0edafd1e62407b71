package message

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phoneRule is how many columns of a rule are shown. A phone shows about forty in monospace, and wraps longer
// lines.
const phoneRule = 24

// forPhone makes a screen's rows readable on a phone: no left margin, short rules, boxes without a right
// edge, and one blank row instead of several. Words stay as they are.
func forPhone(rows []string) []string {
	var out []string
	left := margin(rows)
	for _, row := range rows {
		row = strings.TrimRight(row, " ")
		row = shortRule(openBox(row[min(left, len(row)):]))
		if len(out) > 0 && blank(row) && out[len(out)-1] == row {
			continue
		}
		out = append(out, row)
	}
	return out
}

// plainIndent turns the no-break spaces before a row's first word into spaces: Claude Code draws one after
// the mark at the beginning of a row. Further on they may be part of a command.
func plainIndent(row string) string {
	end := strings.IndexFunc(row, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '/' })
	if end < 0 {
		end = len(row)
	}
	return strings.ReplaceAll(row[:end], "\u00a0", " ") + row[end:]
}

// margin returns how many blank columns all rows begin with.
func margin(rows []string) int {
	left := -1
	for _, row := range rows {
		words := strings.TrimLeft(row, " ")
		if blanks := len(row) - len(words); words != "" && (left < 0 || blanks < left) {
			left = blanks
		}
	}
	return max(left, 0)
}

// openBox removes the right edge of a row that also has a left one, with the blanks before it.
func openBox(row string) string {
	first, width := utf8.DecodeRuneInString(strings.TrimLeft(row, " "))
	last, end := utf8.DecodeLastRuneInString(row)
	if !edge(first) || !edge(last) || len(strings.TrimLeft(row, " ")) == width {
		return row
	}
	return strings.TrimRight(row[:len(row)-end], " ")
}

func edge(r rune) bool { return strings.ContainsRune("│┃║▏▕▐▌┆┇┊┋╎╏", r) }

// shortRule cuts a rule, or the rule at the end of a row, to the width of a phone. A rule after a title keeps
// two columns.
func shortRule(row string) string {
	r := []rune(row)
	if len(r) <= phoneRule {
		return row
	}
	words := len(r)
	for words > 0 && drawn(r[words-1]) {
		words--
	}
	if words == 0 || ruled(r) {
		return string(r[:phoneRule])
	}
	return string(r[:min(len(r), max(phoneRule, words+2))])
}

// drawn reports whether r is used to draw rules and frames, corners and edges included.
func drawn(r rune) bool {
	return r >= '─' && r <= '╿' || r >= '▀' && r <= '▕' || r == '⎯' || r == '―'
}

// ruled reports whether r is a rule of one plain character, which would be words in any other row.
func ruled(r []rune) bool {
	return strings.ContainsRune("-=_~*·", r[0]) && !slices.ContainsFunc(r, func(c rune) bool { return c != r[0] })
}

// blank reports whether a row has no words: an empty one, or a lone edge.
func blank(row string) bool {
	row = strings.TrimSpace(row)
	r, width := utf8.DecodeRuneInString(row)
	return row == "" || edge(r) && width == len(row)
}
