package ansi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless removes all control sequences from text, and the characters that change its direction. It keeps
// newlines and tabs.
func Harmless(text string) string { return harmless(text, false) }

// HarmlessColours is Harmless that keeps colours.
func HarmlessColours(text string) string { return harmless(text, true) }

// OneLine returns text as Harmless does, on one line, for a row of a table.
func OneLine(text string) string { return strings.Join(strings.Fields(Harmless(text)), " ") }

func harmless(text string, colours bool) string {
	var b strings.Builder
	for t := range Tokens(text) {
		switch t.Kind {
		case Text:
			b.WriteString(strings.Map(direct, t.Raw))
		case Newline, Tab:
			b.WriteString(t.Raw)
		case Invalid:
			b.WriteRune(utf8.RuneError)
		case Unfinished:
			b.WriteString(harmless(t.Args, false)) // keep all that a person might have read
		case SGR:
			if colours {
				b.WriteString(t.Raw)
			}
		}
	}
	return b.String()
}

// direct drops the characters that change the order in which a terminal shows text: they can make one command
// look like another (https://trojansource.codes).
func direct(r rune) rune {
	if unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}
