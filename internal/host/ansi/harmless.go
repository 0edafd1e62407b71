package ansi

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Harmless takes everything out of text that a terminal would obey, and what turns the direction of
// text around. Line ends and tabs stay.
func Harmless(text string) string { return harmless(text, false) }

// HarmlessColours is Harmless that keeps colours.
func HarmlessColours(text string) string { return harmless(text, true) }

// OneLine is text as Harmless has it, on one line: fit for a row of a table.
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
			b.WriteString(harmless(t.Args, false)) // nothing that a person might have read is lost
		case SGR:
			if colours {
				b.WriteString(t.Raw)
			}
		}
	}
	return b.String()
}

// direct drops the marks that make a terminal show text in another order than it stands: they can make
// a command look like another one (https://trojansource.codes).
func direct(r rune) rune {
	if unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}
