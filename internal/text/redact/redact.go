// Package redact masks secrets in text that came from a screen: tokens, keys and passwords, known
// by their shape or by the name that stands before them. What is looked for are rules of our own, made for what
// a screen shows of a token, a command line or a key, and then the rules that gitleaks keeps for some two hundred
// services, in gitleaks/ with their licence. They are taken without gitleaks itself, which reads files: of what a screen
// shows, broken over rows and behind a flag or a name, it finds a third.
//
// A masked text keeps its rows and their widths: every hidden character becomes one •, and what
// tells the kind of secret (ghp_, AKIA, the name before the =) stays. It is a net, not a proof: a
// secret without shape or name passes.
package redact

import (
	"strings"
	"unicode/utf8"
)

// Mask returns text with its secrets masked. Masking again changes nothing.
func Mask(text string) string {
	text, _ = mask(text)
	return text
}

// mask is Mask that also reports whether there was anything to hide.
func mask(text string) (string, bool) {
	hidden := false
	// What one pass hides may have kept another rule from matching, so it ends when a pass finds
	// nothing. A pass is linear, and ordinary screens take one or two.
	for {
		views := viewsOf(text)
		spans := find(views, match)
		if len(spans) == 0 {
			spans = find(views, matchKept) // they hide more of what tells the kind of a secret
		}
		if len(spans) == 0 {
			return text, hidden
		}
		text, hidden = hide(text, spans), true
	}
}

// span is a stretch of bytes to hide.
type span struct{ start, end int }

// find returns what stands in any of the views of a text, as stretches of the text itself.
func find(views []view, match func(view) []span) []span {
	var spans []span
	for _, v := range views {
		for _, s := range match(v) {
			spans = append(spans, v.inText(s))
		}
	}
	return spans
}

// match returns what our rules find in a view: stretches that hold something to hide. What was put together
// of rows is hidden up to the length of such a secret at the most.
func match(v view) []span {
	var spans []span
	for _, rule := range rules {
		if v.guess == asWideAsItsBlock && !rule.shaped || !containsAny(v.lower, rule.hints) {
			continue
		}
		most := len(v.text)
		if v.guess != asItStands && rule.length > 0 {
			most = rule.length
		}
		for _, m := range rule.pattern.FindAllStringSubmatchIndex(v.text, -1) {
			for group := 2; group < len(m); group += 2 {
				start, end := m[group], m[group+1]
				if start < 0 || !holdsSecret(v.text[start:end]) || rule.unless != nil && rule.unless(v.text[start:end]) {
					continue
				}
				spans = append(spans, span{start, min(end, start+most)})
			}
		}
	}
	return spans
}

func containsAny(text string, hints []string) bool {
	for _, hint := range hints {
		if strings.Contains(text, hint) {
			return true
		}
	}
	return len(hints) == 0
}

func holdsSecret(text string) bool { return strings.ContainsFunc(text, hideable) }

// hideable spares what is layout: blanks, line ends, borders, and what is hidden already.
func hideable(r rune) bool {
	return r > ' ' && r != '•' && r != 0x7f && !strings.ContainsRune(borders, r)
}

func hide(text string, spans []span) string {
	mark := make([]bool, len(text))
	for _, s := range spans {
		for i := s.start; i < s.end; i++ {
			mark[i] = true
		}
	}
	var b strings.Builder
	b.Grow(len(text))
	for i, r := range text {
		if mark[i] && hideable(r) {
			b.WriteRune('•')
			continue
		}
		// A broken byte is no rune: it is copied as it stands.
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
	}
	return b.String()
}
