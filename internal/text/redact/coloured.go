package redact

import (
	"strings"
	"unicode/utf8"

	"nod/internal/host/ansi"
)

// Coloured returns a capture with its secrets masked, also where a colour begins within one, and with nothing
// left that a terminal would obey but colours.
func Coloured(capture string) string {
	capture = ansi.HarmlessColours(capture)
	plain := ansi.Harmless(capture)
	if len(plain) > mostText {
		return Mask(plain) // which leaves out the rest
	}
	masked := []rune(Mask(plain)) // as many characters as before
	var b strings.Builder
	for t := range ansi.Tokens(capture) {
		if t.Kind == ansi.SGR {
			b.WriteString(t.Raw)
			continue
		}
		n := utf8.RuneCountInString(t.Raw)
		b.WriteString(string(masked[:n]))
		masked = masked[n:]
	}
	return b.String()
}
