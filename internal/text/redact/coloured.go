package redact

import (
	"strings"
	"unicode/utf8"

	"nod/internal/host/ansi"
)

// Coloured masks the secrets in a capture, even if a colour begins within one. It removes all control
// sequences except colours.
func Coloured(capture string) string {
	capture = ansi.HarmlessColours(capture)
	plain := ansi.Harmless(capture)
	if len(plain) > mostText {
		return Mask(plain) // Mask leaves out the rest
	}
	masked := []rune(Mask(plain)) // with as many characters as before
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
