package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// borders are what boxes on screens have at the left and right of their rows.
const borders = "│┃║▌▐"

// row is one row of a text.
type row struct {
	start, content, end int // bytes: content is where its text ends, without padding and border
	width               int // characters up to content
	inner               int // characters up to the border
	framed              bool
	words               bool // it holds a letter or a digit, which the edge of a box does not
}

func rowsOf(text string) []row {
	var rows []row
	start := 0
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		trimmed := strings.TrimRight(line, " \r")
		inner := strings.TrimRight(trimmed, borders)
		content := strings.TrimRight(line, " "+borders+"\r")
		rows = append(rows, row{
			start: start, content: start + len(content), end: start + len(line),
			width: utf8.RuneCountInString(content), inner: utf8.RuneCountInString(inner), framed: len(inner) < len(trimmed),
			words: strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }),
		})
		start += len(line) + 1
	}
	return rows
}

// full is the width from which on a row may have been broken by the edge: that of the widest, or three columns
// of padding less within a box. Short rows are not broken by any edge.
func full(rows []row) int {
	widest := slices.MaxFunc(rows, func(a, b row) int { return a.inner - b.inner })
	if widest.framed {
		return widest.inner - 3
	}
	return max(widest.inner, 20)
}

// wideAsAny are the rows that are as wide as any other row of the text.
func wideAsAny(rows []row) []bool {
	wide := make([]bool, len(rows))
	worded := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.words })
	if len(worded) == 0 {
		return wide
	}
	limit := full(worded)
	for i, r := range rows {
		wide[i] = r.width >= limit
	}
	return wide
}

// wideAsBlock are the rows that are as wide as any other between the blank rows or edges around them: what
// is beside or below a box may be wider.
func wideAsBlock(rows []row) []bool {
	wide := make([]bool, len(rows))
	for start := 0; start < len(rows); {
		end := start + 1
		for end < len(rows) && rows[start].words && rows[end].words {
			end++
		}
		limit := full(rows[start:end])
		for i := start; i < end; i++ {
			wide[i] = rows[i].width >= limit
		}
		start = end
	}
	return wide
}

// join puts the rows behind each other again that an edge broke in the middle of a word, and returns for every
// byte of the joined text where it stood. A row counts as broken when it is wide and a word goes up to its end
// and on in the next row.
//
// It can join rows that only look broken. What then matches is hidden with a word too much, never with one too
// little.
func join(text string, rows []row, wide []bool) (string, []int) {
	var joined strings.Builder
	origin := make([]int, 0, len(text)+1)
	add := func(from, to int) {
		joined.WriteString(text[from:to])
		for i := from; i < to; i++ {
			origin = append(origin, i)
		}
	}
	skip := 0 // bytes of the next row that belong to the break: border and indent
	for i, r := range rows {
		from := r.start + skip
		skip = 0
		if i+1 < len(rows) && wide[i] && inWord(text, r.content-1) {
			if indent := lead(text[rows[i+1].start:]); indent >= 0 {
				skip = indent
				add(from, r.content)
				continue
			}
		}
		add(from, min(r.end+1, len(text)))
	}
	return joined.String(), append(origin, len(text))
}

// lead counts the bytes of border and indent before the word that begins a row; -1 where no word does.
func lead(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " "+borders))
	if !inWord(text, n) {
		return -1
	}
	return n
}

// inWord reports whether a word may go over a byte of text: of a password every mark is a part.
func inWord(text string, i int) bool {
	return i >= 0 && i < len(text) && ' ' < text[i] && text[i] < utf8.RuneSelf
}

func wordByte(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-+/=.:@%~", c) >= 0
}
