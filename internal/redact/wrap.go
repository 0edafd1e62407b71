package redact

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// borders are what boxes on screens have at the left and right of their rows.
const borders = "│┃║▌▐"

// unwrap joins rows that a screen's edge broke in the middle of a word, and returns for every byte
// of the joined text where it stood. A row counts as broken when it is as wide as the widest row,
// a border and its padding left aside, and a word goes up to its end.
//
// It can join rows that only look broken. What then matches is hidden with a word too much, never
// with one too little.
func unwrap(text string) (string, []int) {
	var joined strings.Builder
	origin := make([]int, 0, len(text)+1)
	add := func(from, to int) {
		joined.WriteString(text[from:to])
		for i := from; i < to; i++ {
			origin = append(origin, i)
		}
	}
	width := widest(text)
	start := 0
	skip := 0 // bytes of the next row that belong to the break: border and indent
	for start < len(text) {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i
		}
		row := text[start:end]
		content := len(strings.TrimRight(row, " "+borders+"\r"))
		from := start + skip
		skip = 0
		if end < len(text) && utf8.RuneCountInString(row[:content]) >= width && wordByte(row, content-1) {
			if indent := lead(text[end+1:]); indent >= 0 {
				skip = indent
				add(from, start+content)
				start = end + 1
				continue
			}
		}
		add(from, min(end+1, len(text)))
		start = end + 1
	}
	return joined.String(), origin
}

// widest is the width in runes up to which a broken row must reach: that of the widest row without
// its border, and up to three columns of padding before that border.
func widest(text string) int {
	width, framed := 0, false
	for row := range strings.Lines(text) {
		if !strings.ContainsFunc(row, unicode.IsLetter) {
			continue // a rule or a box's edge tells where boxes end, not where words broke
		}
		row = strings.TrimRight(row, " \r\n")
		inner := strings.TrimRight(row, borders)
		if n := utf8.RuneCountInString(inner); n > width {
			width, framed = n, len(inner) < len(row)
		}
	}
	if framed {
		return width - 3
	}
	return max(width, 20)
}

// lead counts the bytes of border and indent before the word that begins a row; -1 where no word does.
func lead(text string) int {
	n := len(text) - len(strings.TrimLeft(text, " "+borders))
	if !wordByte(text, n) {
		return -1
	}
	return n
}

func wordByte(text string, i int) bool {
	if i < 0 || i >= len(text) {
		return false
	}
	c := text[i]
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("_-+/=.:@", c) >= 0
}
