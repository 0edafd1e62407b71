package screen

import (
	"slices"
	"strings"
)

// A picker is a list that a person narrows down by typing, as fzf draws it:
//
//	  dev
//	▌ main
//	  2/40 ──────
//	> branch

// filtered is the list of a picker, and the line of the row that counts what is left of it, "2/40"; -1: there is none. What is typed is in
// that row or beside it, at the other side than the list, and nothing is below them.
func (l *Layout) filtered() (m Menu, count int) {
	last, _ := l.LowestRow()
	for i := range l.lowest(listRows) {
		for _, step := range []int{-1, 1} {
			typed := i - step
			if !l.typesIn(typed) {
				typed = i
			}
			if !counts(l.Lines[i].Text) || !l.typesIn(typed) {
				continue
			}
			if m, ok := l.narrowed(i, step); ok && last == max(m.Last, i, typed) {
				return m, i
			}
		}
	}
	return Menu{}, -1
}

// narrowed is the list on one side of the row that counts it. One of its rows has a mark, and their labels are in one column.
func (l *Layout) narrowed(count, step int) (m Menu, ok bool) {
	m = Menu{Marked: -1, knownBy: "the row that counts it and the one in which it is narrowed down"}
	col := -1
	for i := count + step; i >= 0 && i < len(l.Lines) && l.words(i) && !l.Lines[i].asks(); i += step {
		line := &l.Lines[i]
		at, marked := line.Col, in(bars+cursors, line.First())
		if marked {
			at = skip(line.cells, at+1)
		}
		if col = max(col, at); at != col || marked && ok {
			break
		}
		ok = ok || marked
		m.Entries = append(m.Entries, Entry{First: i, Last: i, Col: at, Option: Option{Label: line.rest(at)}})
	}
	if step > 0 {
		slices.Reverse(m.Entries)
	}
	return m.turned(), ok && len(m.Entries) > 1
}

// counts reports whether a row says how many of how many there are, and no more: "40/40 ────", "> < 3/3 (0)".
func counts(s string) bool {
	of, rest, _ := strings.Cut(strings.Trim(s, composerGlyphs+"<─ "), " ")
	n, all, ok := strings.Cut(of, "/")
	return ok && n != "" && all != "" && strings.Trim(n+all, "0123456789") == "" && strings.Trim(rest, "()0123456789") == ""
}

// typesIn reports whether line i begins as an input box does, or asks.
func (l *Layout) typesIn(i int) bool {
	return i >= 0 && i < len(l.Lines) && l.words(i) && (in(composerGlyphs, l.Lines[i].First()) || l.Lines[i].asks())
}
