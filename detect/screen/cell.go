package screen

import (
	"slices"
	"strings"

	"nod/internal/text/visible"
)

// rightHalf is in the cell that the right half of a wide character takes.
const rightHalf rune = 0

// CellsOf is how many cells a character takes on a terminal, whatever the locale of the process is.
func CellsOf(r rune) int {
	if r < 0x300 && r != 0xad || r >= 0x2500 && r < 0x25a0 { // Latin, line drawing and blocks
		return 1
	}
	at, _ := slices.BinarySearch(widthsFrom[:], uint32(r)<<2|3)
	return int(widthsFrom[at-1] & 3)
}

// width is how many cells a text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += CellsOf(r)
	}
	return n
}

// blankCell reports whether a cell shows nothing but its ground. Agents draw with no-break spaces too.
func blankCell(r rune) bool { return r == ' ' || r == '\u00a0' || r == rightHalf }

// invisible reports whether a character shows nothing and is no plain blank: a terminal hides it, a shell does not.
func invisible(r rune) bool {
	if r < 0xa0 || r >= 0x2500 && r < 0x25a0 { // what screens are made of
		return false
	}
	return visible.Hidden(r)
}

// write adds a character, where nothing is hidden as a person can see it: one that shows nothing as its code, "<U+200E>".
func (how wording) write(b *strings.Builder, r rune) {
	switch {
	case r == rightHalf:
	case how != asDrawn && invisible(r):
		b.WriteString(visible.Text(string(r)))
	default:
		b.WriteRune(r)
	}
}

// wording is how the cells of a row are written.
type wording uint8

const (
	plainBlanks wording = iota // no-break spaces as blanks, and nothing hidden: how a layout is read
	ownBlanks                  // no-break spaces as they are, and nothing hidden: what a human decides on
	asDrawn                    // every character as it is
)

// cellText is what is in the cells of a row from column from up to column to.
func cellText(cells []rune, marks []mark, from, to int, how wording) string {
	var b strings.Builder
	b.Grow(max(to-from, 0) + 8)
	next := 0
	for next < len(marks) && marks[next].col < from {
		next++
	}
	for c := from; c < to && c < len(cells); c++ {
		r := cells[c]
		if how == plainBlanks && r == '\u00a0' {
			r = ' '
		}
		how.write(&b, r)
		for ; next < len(marks) && marks[next].col == c; next++ {
			how.write(&b, marks[next].rune)
		}
	}
	return b.String()
}
