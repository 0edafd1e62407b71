// Package redact masks secrets in text that came from a screen: tokens, keys and passwords, known
// by their shape, by the name or the option that is before them, or as rows of a key. What is looked for are rules of our own, made for what
// a screen shows of a token, a command line or a key, and then the rules that gitleaks keeps for some two hundred
// services, in gitleaks/ with their licence. They are taken without gitleaks itself, which reads files: of what a screen
// shows, broken over rows and behind a flag or a name, it finds a third.
//
// A masked text keeps its rows and their widths: every hidden character becomes one •, and what
// tells the kind of secret (ghp_, AKIA, the name before the =) stays. It is a net, not a proof: a
// secret without shape or name passes.
package redact

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// mostText is how much of a text is looked through.
const mostText = 1 << 20

// Mask returns text with its secrets masked. Masking again changes nothing. Of more than a megabyte the rest is left out, and
// the text says so.
func Mask(text string) string {
	text, left := cut(text)
	text, _ = mask(text)
	return text + left
}

// cut is as much of a text as is looked through, and what says how much is left out.
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

// work is what masking a text may still cost, in bytes that a pattern reads. What a rule can't look through any more is hidden:
// nothing may take long, whatever it holds, and nothing goes that was not looked through.
type work int

const (
	// Prose that names many settings takes 7 a pass, and three passes where something is hidden.
	workPerByte = 20
	// Up to this length every text may take as long.
	leastWork = 64 << 10
)

// spend reports whether so much is left.
func (w *work) spend(n int) bool {
	*w = max(*w-work(n), 0)
	return *w > 0
}

func (w *work) mask(text string) (string, bool) {
	hidden := false
	// What one pass hides may have kept another rule from matching, so it ends when a pass finds nothing. A pass is linear, each
	// costs work, and ordinary screens take one or two.
	for {
		views := viewsOf(text)
		var spans []span
		for _, v := range views {
			w.spend(len(v.text) / 2)
			spans = append(spans, v.inTexts(w.find(rulesOfOurs, v))...)
		}
		if len(spans) == 0 { // gitleaks' hide more of what tells the kind of a secret
			for _, v := range views {
				spans = append(spans, v.inTexts(w.find(keptRules(), v))...)
			}
		}
		if len(spans) == 0 { // rows of a key may be a part of what another rule knows better
			spans = keysIn(views, len(text))
		}
		masked := hide(text, spans)
		if masked == text {
			return text, hidden
		}
		text, hidden = masked, true
	}
}

// span is a stretch of bytes to hide.
type span struct{ start, end int }

// find returns what rules find in a view.
func (w *work) find(l *lookup, v view) []span {
	var spans []span
	covered := 0 // up to where the last that goes on beyond a rule's reach is hidden
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

// cost is what trying a pattern on so many bytes takes: anywhere in them it takes more than where they begin.
func (r *rule) cost(n int) int {
	if r.back > 0 {
		return 4 * n
	}
	return n
}

// goesOn reports whether a secret that was found up to end goes on there: at the end of a rule's reach, or because some rules
// of gitleaks find how a token begins.
func (r *rule) goesOn(text string, end, reached int) bool {
	if end == len(text) {
		return false
	}
	if r.kept != nil {
		return wordByte(text, end) && strings.IndexByte(".:@%", text[end]) < 0
	}
	return end >= reached && text[end] > ' '
}

// secrets are the groups of a match, found from a byte of a view on, that are to be hidden. What was put together of rows is
// hidden up to the length of such a secret at the most.
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
			secret = strings.ReplaceAll(secret, "(", "_") // nothing is called in quotes
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
