// Package visible makes foreign text show all that it holds: a character that shows nothing, or moves the
// cursor, could make one command look like another.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text is s with each character that shows nothing, or moves the cursor, written as <U+200E>. Newlines stay, and
// a tab becomes a blank. What is no UTF-8 becomes U+FFFD. Its own result comes back unchanged.
//
// An emoji that holds a variation selector or a joiner is taken apart as well: what looks like one character is
// several in a command.
func Text(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, altered) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\t':
			b.WriteByte(' ')
		case Hidden(r):
			fmt.Fprintf(&b, "<U+%04X>", r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Unspaced is s without its blanks: where rows were wrapped, nobody can tell which of them a text had.
func Unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func altered(r rune) bool { return r == '\t' || Hidden(r) }

// Hidden reports whether a character shows nothing by itself, or moves the cursor, and is neither a plain blank nor a
// newline.
func Hidden(r rune) bool {
	if r == '\n' || ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, classes...) || r == blankBraille
}

// classes are the controls, all that separates words and lines, and the default-ignorable code points of Unicode
// (DerivedCoreProperties.txt), which Go has as the three tables that they are derived from.
var classes = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Zs,
	unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

// blankBraille is a symbol by its class, and has no dots.
const blankBraille = '\u2800'
