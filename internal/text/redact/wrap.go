package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// borders are the characters at the left and right edges of boxes on screens.
const borders = "│┃║▌▐"

// row is one row of a text.
type row struct {
	start, content, end int // in bytes: content is the end of its text, without padding and border
	width               int // in characters, up to content
	inner               int // in characters, up to the border
	framed              bool
	words               bool // it contains a letter or a digit, unlike the edge of a box
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

// full returns the width from which on a row may have been wrapped: that of the widest row, or three columns
// less within a box, which has padding. Shorter rows are not wrapped.
func full(rows []row) int {
	widest := slices.MaxFunc(rows, func(a, b row) int { return a.inner - b.inner })
	if widest.framed {
		return widest.inner - 3
	}
	return max(widest.inner, 20)
}

// wideAsAny reports for each row whether it is as wide as any other row of the text.
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

// wideAsBlock reports for each row whether it is as wide as any other between the blank rows or edges around
// it: text beside or below a box may be wider.
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

// join joins the rows that were wrapped in the middle of a word, and returns the position of every byte of
// the joined text in the original. A row counts as wrapped if it is wide, a word ends it, and a word begins
// the next row.
//
// It can join rows that only look wrapped. Then it may hide a word too many, never one too few.
func join(text string, rows []row, wide []bool) (string, []int) {
	var joined strings.Builder
	origin := make([]int, 0, len(text)+1)
	add := func(from, to int) {
		joined.WriteString(text[from:to])
		for i := from; i < to; i++ {
			origin = append(origin, i)
		}
	}
	skip := 0 // bytes of border and indent to skip in the next row
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

// lead returns the number of bytes of border and indent before the word that begins a row; -1 if no word
// does.
func lead(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " "+borders))
	if !inWord(text, n) {
		return -1
	}
	return n
}

// inWord reports whether the byte at i may be part of a word: in a password every printable character may.
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
