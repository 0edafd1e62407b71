// Package wrap breaks text for terminals.
package wrap

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// Text wraps text to a terminal of the given width, indented from the second row on. It never breaks a word,
// so that a command or an address can be copied. If columns is 0, it wraps nothing. Text of somebody else, as
// a name, wants an indent: a row that begins with it would look like a line of nod's.
func Text(text string, indent, columns int) string {
	if columns == 0 {
		return text
	}
	var b strings.Builder
	room := columns - indent
	used := 0
	for _, word := range strings.Fields(text) {
		w := runewidth.StringWidth(word)
		switch {
		case used == 0:
		case used+1+w > room:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = 0
		default:
			b.WriteString(" ")
			used++
		}
		b.WriteString(word)
		used += w
	}
	return b.String()
}
