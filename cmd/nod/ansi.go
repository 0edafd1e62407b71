package main

import (
	"regexp"
	"strings"
	"unicode"
)

// escape matches what a terminal obeys instead of showing: CSI, OSC and other strings up to their
// end (ECMA-48), else the escape and one character.
var escape = regexp.MustCompile(`\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_](?s:.*?)(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]?`)

// sgr matches an escape sequence that does no more than colour the text that follows.
var sgr = regexp.MustCompile(`^\x1b\[[0-9;:]*m$`)

// harmless takes everything out of text that a terminal would obey, and what turns the direction of
// text around. Line ends and tabs stay.
func harmless(text string) string {
	return strings.Map(visible, escape.ReplaceAllString(text, ""))
}

// harmlessColours is harmless that keeps colours.
func harmlessColours(text string) string {
	var b strings.Builder
	eachRun(text, func(run string, isEscape bool) {
		switch {
		case !isEscape:
			b.WriteString(strings.Map(visible, run))
		case sgr.MatchString(run):
			b.WriteString(run)
		}
	})
	return b.String()
}

// eachRun splits text into escape sequences and what stands between them.
func eachRun(text string, f func(run string, isEscape bool)) {
	at := 0
	for _, m := range escape.FindAllStringIndex(text, -1) {
		if at < m[0] {
			f(text[at:m[0]], false)
		}
		f(text[m[0]:m[1]], true)
		at = m[1]
	}
	if at < len(text) {
		f(text[at:], false)
	}
}

func visible(r rune) rune {
	if r == '\n' || r == '\t' {
		return r
	}
	// Bidirectional overrides can make a command look like another one: https://trojansource.codes
	if unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) {
		return -1
	}
	return r
}
