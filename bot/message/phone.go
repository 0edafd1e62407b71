package message

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// phoneRule is how many columns of a rule are shown. A phone shows about forty in monospace, and wraps
// what is longer.
const phoneRule = 24

// forPhone draws a screen's rows so that they can be read on a phone: there is no left margin, rules are
// short, boxes have no right edge, and there is one blank row where there were several. Words stay as they
// are.
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

// plainIndent writes the no-break blanks before a row's first word as blanks: Claude Code draws one behind the mark
// that a row begins with. Further on they may be part of a command.
func plainIndent(row string) string {
	end := strings.IndexFunc(row, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '/' })
	if end < 0 {
		end = len(row)
	}
	return strings.ReplaceAll(row[:end], "\u00a0", " ") + row[end:]
}

// margin is how many blank columns all rows begin with.
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

// openBox takes the right edge off a row that has one on the left too, with the blanks before it.
func openBox(row string) string {
	first, width := utf8.DecodeRuneInString(strings.TrimLeft(row, " "))
	last, end := utf8.DecodeLastRuneInString(row)
	if !edge(first) || !edge(last) || len(strings.TrimLeft(row, " ")) == width {
		return row
	}
	return strings.TrimRight(row[:len(row)-end], " ")
}

func edge(r rune) bool { return strings.ContainsRune("│┃║▏▕▐▌┆┇┊┋╎╏", r) }

// shortRule cuts the rule that a row ends with, or that it is, to what a phone has room for. Where the
// rule goes on from a title, two columns of it stay.
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

// drawn reports the characters that rules and frames are drawn with, corners and edges included.
func drawn(r rune) bool {
	return r >= '─' && r <= '╿' || r >= '▀' && r <= '▕' || r == '⎯' || r == '―'
}

// ruled reports a rule of one plain character, which would be words in any other row.
func ruled(r []rune) bool {
	return strings.ContainsRune("-=_~*·", r[0]) && !slices.ContainsFunc(r, func(c rune) bool { return c != r[0] })
}

// blank reports a row without words: an empty one, or one that is an edge alone.
func blank(row string) bool {
	row = strings.TrimSpace(row)
	r, width := utf8.DecodeRuneInString(row)
	return row == "" || edge(r) && width == len(row)
}
