// Package visible makes every character of foreign text visible: an invisible character, or one that moves
// the cursor, could make one command look like another.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Text returns s with each invisible or cursor-moving character written as <U+200E>. Newlines stay, and a tab
// becomes a blank. Invalid UTF-8 becomes U+FFFD. Applying Text to its own result changes nothing.
//
// An emoji with a variation selector or a joiner is split too: in a command it is several characters that
// look like one.
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

// JSON returns a JSON text of the same meaning with each invisible or cursor-moving character in escaped form. JSON itself takes only
// those below U+0020 for control characters, and a terminal more.
func JSON(text string) string {
	if !strings.ContainsFunc(text, Hidden) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if !Hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// Unspaced returns s without its blanks: after wrapping nobody can tell which of them the text had.
func Unspaced(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
}

func altered(r rune) bool { return r == '\t' || Hidden(r) }

// Hidden reports whether a character is invisible by itself or moves the cursor. A plain blank and a newline
// are not hidden.
func Hidden(r rune) bool {
	if r == '\n' || ' ' <= r && r <= '~' {
		return false
	}
	return unicode.In(r, classes...) || r == blankBraille
}

// classes are the control characters, all separators of words and lines, and Unicode's default-ignorable code
// points (DerivedCoreProperties.txt), which Go has as the three tables that they are derived from.
var classes = []*unicode.RangeTable{
	unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Zs,
	unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
}

// blankBraille is a symbol by its class, but has no dots.
const blankBraille = '\u2800'
