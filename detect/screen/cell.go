package screen

import (
	"slices"
	"strings"
	"unicode/utf8"

	"nod/internal/text/visible"
)

// rightHalf fills the cell under the right half of a wide character.
const rightHalf rune = 0

// CellsOf is the number of cells that a character takes on a terminal, in any locale.
func CellsOf(r rune) int {
	if r < 0x300 && r != 0xad || r >= 0x2500 && r < 0x25a0 { // Latin, line drawing and blocks
		return 1
	}
	at, _ := slices.BinarySearch(widthsFrom[:], uint32(r)<<2|3)
	return int(widthsFrom[at-1] & 3)
}

// width is the number of cells that a text takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		n += CellsOf(r)
	}
	return n
}

// blankCell reports whether a cell shows nothing but its ground. Agents draw with no-break spaces too.
func blankCell(r rune) bool { return r == ' ' || r == '\u00a0' || r == rightHalf }

// invisible reports whether a character is drawn as nothing but is not a plain blank: a terminal hides it, a shell reads it.
func invisible(r rune) bool {
	if r < 0xa0 || r >= 0x2500 && r < 0x25a0 { // what screens are made of
		return false
	}
	return visible.Hidden(r)
}

// write adds a character. Unless the wording is asDrawn, it writes an invisible one as its code, "<U+200E>".
func (how wording) write(b *strings.Builder, r rune) {
	switch {
	case r == rightHalf:
	case r < utf8.RuneSelf:
		b.WriteByte(byte(r))
	case how != asDrawn && invisible(r):
		b.WriteString(visible.Text(string(r)))
	default:
		b.WriteRune(r)
	}
}

// wording is how the cells of a row are written.
type wording uint8

const (
	plainBlanks wording = iota // no-break spaces become blanks, invisible characters are shown: for reading a layout
	ownBlanks                  // no-break spaces stay, invisible characters are shown: for the human who decides
	asDrawn                    // every character stays as it is
)

// cellText is the text of a row's cells from column from up to column to.
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
