// Package redact masks secrets in text from a screen: tokens, keys and passwords. It recognises them by their
// shape, by the name or option before them, or as rows of a key.
//
// It tries its own rules first, which are made for tokens, command lines and keys on screens, and then the
// rules of gitleaks for some two hundred services, in gitleaks/ with their licence. It does not use gitleaks
// itself, which is made for files and finds a third of the secrets on screens, where they are broken over
// rows or follow a flag or a name.
//
// A masked text keeps its rows and their widths: each hidden character becomes one •, and the part that shows
// the kind of secret (ghp_, AKIA, the name before the =) stays. Masking is no guarantee: a secret without a
// shape or a name is not found.
package redact

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mostText is the number of bytes that are searched.
const mostText = 1 << 20

// Mask returns text with its secrets masked. Masking again changes nothing. It cuts off text beyond a
// megabyte, and appends a note that says so.
func Mask(text string) string {
	text, left := cut(text)
	text, _ = mask(text)
	return text + left
}

// cut returns the part of a text that is searched, and a note about the rest.
func cut(text string) (kept, left string) {
	if len(text) <= mostText {
		return text, ""
	}
	kept = text[:mostText-reach]
	kept = kept[:max(strings.LastIndexByte(kept, '\n'), 0)]
	return kept, fmt.Sprintf("\n[%d bytes are left out: secrets are looked for in a megabyte at most]", len(text)-len(kept))
}

// mask is Mask that also reports whether there was anything to hide.
func mask(text string) (string, bool) {
	w := work(workPerByte * max(len(text), leastWork))
	return w.mask(text)
}

// work is the remaining budget of masking, in bytes read by a pattern. Text that a rule can no longer search
// within the budget is hidden: no text can make masking slow, and no text leaves unsearched.
type work int

const (
	// Prose that names many settings costs 7 per byte and pass, and takes three passes if something is
	// hidden.
	workPerByte = 20
	// Texts up to this length have the same budget.
	leastWork = 64 << 10
)

// spend subtracts n from the budget and reports whether any is left.
func (w *work) spend(n int) bool {
	*w = max(*w-work(n), 0)
	return *w > 0
}

func (w *work) mask(text string) (string, bool) {
	hidden := false
	// A hidden part may have kept another rule from matching, so passes are repeated until one finds nothing.
	// A pass is linear and spends work; ordinary screens take one or two.
	for {
		views := viewsOf(text)
		var spans []span
		for _, v := range views {
			w.spend(len(v.text) / 2)
			spans = append(spans, v.inTexts(w.find(rulesOfOurs, v))...)
		}
		if len(spans) == 0 { // gitleaks' rules hide more of the part that shows the kind of a secret
			for _, v := range views {
				spans = append(spans, v.inTexts(w.find(keptRules(), v))...)
			}
		}
		if len(spans) == 0 { // a key's rows may be part of a secret that another rule knows better
			spans = keysIn(views, len(text))
		}
		masked := hide(text, spans)
		if masked == text {
			return text, hidden
		}
		text, hidden = masked, true
	}
}

// span is a range of bytes to hide.
type span struct{ start, end int }

// find returns the matches of rules in a view.
func (w *work) find(l *lookup, v view) []span {
	var spans []span
	covered := 0 // end of the last hidden range that goes beyond a rule's reach
	l.near(v, func(r *rule, in span) {
		if in.start+r.back < covered {
			return
		}
		for i, pattern := range r.patterns(v) {
			for at := in.start; at < in.end; {
				if !w.spend(r.cost(in.end - at)) {
					spans = append(spans, in)
					return
				}
				m := pattern().FindStringSubmatchIndex(v.text[at:in.end])
				if m == nil {
					break
				}
				for _, s := range r.secrets(w, v, at, m, i > 0) {
					from := s.end
					for i == 0 && r.goesOn(v.text, s.end, in.end) {
						s.end++
					}
					if s.end > from {
						covered = s.end
					}
					spans = append(spans, s)
				}
				if at += max(m[1], 1); r.back == 0 {
					break
				}
			}
		}
	})
	return spans
}

// cost returns the budget for trying a pattern on n bytes. A pattern that may match anywhere costs more than
// an anchored one.
func (r *rule) cost(n int) int {
	if r.back > 0 {
		return 4 * n
	}
	return n
}

// goesOn reports whether a secret that was found up to end continues there: because a rule's reach ended, or
// because some gitleaks rules match only the beginning of a token.
func (r *rule) goesOn(text string, end, reached int) bool {
	if end == len(text) {
		return false
	}
	if r.kept != nil {
		return wordByte(text, end) && strings.IndexByte(".:@%", text[end]) < 0
	}
	return end >= reached && text[end] > ' '
}

// secrets returns the groups of a match to hide; at is the position of the match in the view. If rows were
// joined, at most the length of such a secret is hidden.
func (r *rule) secrets(w *work, v view, at int, m []int, open bool) (spans []span) {
	if r.kept != nil {
		return r.kept.secrets(w, v, at, m, r, open)
	}
	for group := 2; group < len(m); group += 2 {
		if m[group] < 0 {
			continue
		}
		s := span{at + m[group], at + m[group+1]}
		secret := v.text[s.start:s.end]
		if group < len(m)-2 {
			secret = strings.ReplaceAll(secret, "(", "_") // a quoted value is never a call
		}
		if !holdsSecret(secret) || r.unless != nil && r.unless(secret) {
			continue
		}
		if v.guess != asItStands && r.length > 0 {
			s.end = min(s.end, s.start+r.length)
		}
		spans = append(spans, s)
	}
	return spans
}

func holdsSecret(text string) bool { return strings.ContainsFunc(text, hideable) }

// hideable reports whether a character may be hidden: not blanks, newlines, borders, and hidden characters.
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
		// Copy an invalid byte unchanged.
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[i : i+size])
	}
	return b.String()
}
