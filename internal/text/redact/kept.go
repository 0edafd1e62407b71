package redact

import (
	_ "embed"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"
)

// The rules of gitleaks, word for word as its release has them; `make rules` takes them over.
//
//go:embed gitleaks/gitleaks.toml
var gitleaks string

// kept is one rule of gitleaks.
type kept struct {
	keywords []string // one of them stands in the lower-cased text, or the pattern can't match
	shaped   bool     // the secret is known by its own shape, not by a name before it
	near     bool     // what the pattern finds has the keyword within it, or in a row shortly before
	pattern  func() *regexp.Regexp
	open     func() *regexp.Regexp // the pattern without what has to stand behind the secret
	group    int                   // that is the secret; 0: the first that matched
	entropy  float64
	spared   []spared
}

// spared is what a rule finds and is no secret after all.
type spared struct {
	patterns []func() *regexp.Regexp
	target   string // what the patterns look at: the match, its line, or, as a rule, the secret
	words    []string
}

// keptRules are gitleaks' rules, ready to be looked for. Their patterns are compiled when a screen first needs
// them, as most never do.
var keptRules = sync.OnceValue(func() *lookup {
	type allowlist struct {
		Condition   string
		Paths       []string
		Regexes     []string
		RegexTarget string
		StopWords   []string
	}
	var file struct {
		Allowlist allowlist
		Rules     []struct {
			ID, Regex, Path string
			SecretGroup     int
			Entropy         float64
			Keywords        []string
			Allowlists      []allowlist
		}
	}
	if _, err := toml.Decode(gitleaks, &file); err != nil {
		panic("read gitleaks' rules: " + err.Error()) // a test reads the same bytes
	}
	var rules []kept
	for _, r := range file.Rules {
		// A path says nothing of a screen. A private key is ours: it may have lost either end, or stand in a box.
		if r.Regex == "" || r.Path != "" || r.ID == "private-key" {
			continue
		}
		pattern := strings.ReplaceAll(r.Regex, leading, "")
		k := kept{keywords: r.Keywords, shaped: pattern == r.Regex, group: r.SecretGroup, entropy: r.Entropy}
		end := atEndOnScreen
		if r.ID == generic || r.ID == "vault-service-token" {
			end = atEndOfGeneric
		}
		k.pattern = lazily(strings.ReplaceAll(pattern, atEnd, end))
		k.open = lazily(strings.ReplaceAll(pattern, atEnd, ""))
		k.near = !slices.ContainsFunc(r.Keywords, func(word string) bool {
			return !strings.Contains(lowered(r.Regex), word[:min(3, len(word))])
		})
		for _, a := range append(r.Allowlists, file.Allowlist) {
			if a.Condition == "AND" { // with a path, in all of them
				continue
			}
			s := spared{target: a.RegexTarget, words: a.StopWords}
			for _, pattern := range a.Regexes {
				s.patterns = append(s.patterns, lazily(pattern))
			}
			k.spared = append(k.spared, s)
		}
		k.spared = append(k.spared, harmless[r.ID]...)
		rules = append(rules, k)
	}
	return newLookup(rules)
})

// atEnd is what gitleaks wants behind most secrets. On a screen a border, a bracket or a comma may stand there as
// well, and where rows were joined nothing tells where the secret ends and the next row's word begins.
const (
	atEnd         = `(?:[\x60'"\s;]|\\[nr]|$)`
	atEndOnScreen = `(?:[^\w+/=~-]|$)`
	// For the rules that take whatever stands behind a word such as key, or behind s., a bracket or a comma would
	// be code.
	generic        = "generic-api-key"
	atEndOfGeneric = `(?:[\x60'"\s;` + borders + `]|\\[nr]|$)`
)

// harmless is what rules find on screens, by their name, that is no secret: they spare it in files by the name
// of the file.
var harmless = map[string][]spared{
	generic: {
		{patterns: []func() *regexp.Regexp{lazily(`^[A-Za-z_.]+[0-9]{1,4}$`)}},                           // NewKey768
		{patterns: []func() *regexp.Regexp{lazily(`\bh1:|\bsha(?:1|256|384|512)[-:]`)}, target: "match"}, // what locks a dependency
		{patterns: []func() *regexp.Regexp{lazily(`\s>\s`)}, target: "match"},                            // a shell's redirection
	},
	"sourcegraph-access-token": {
		{patterns: []func() *regexp.Regexp{lazily(`^[0-9a-f]{40}$`)}}, // a commit
	},
}

// leading is what may stand before a secret's name. Looking for it costs time and hides nothing.
const leading = `[\w.-]{0,50}?`

func lazily(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// matchKept returns what gitleaks' rules find in a view. Where rows were joined, a secret that goes over the end of
// a row may go on into a word of the next one: then nothing has to stand behind it.
func matchKept(v view) []span {
	var spans []span
	add := func(r *kept, from int, m []int, open bool) {
		s := r.secret(m)
		s.start, s.end = from+s.start, from+s.end
		if open && !v.broken(s) || !r.isSecret(v, s, span{from + m[0], from + m[1]}) {
			return
		}
		s.start += r.kind(v.lower[s.start:s.end])
		for !open && goesOn(v.text, s.end) {
			s.end++ // some rules find how a token begins
		}
		if holdsSecret(v.text[s.start:s.end]) {
			spans = append(spans, s)
		}
	}
	keptRules().near(v.lower, func(r *kept, from, to int) {
		if v.guess == asWideAsItsBlock && !r.shaped {
			return
		}
		joined := v.guess != asItStands
		if joined && !v.broken(span{from, to}) {
			return // as it stands elsewhere
		}
		for _, m := range r.pattern().FindAllStringSubmatchIndex(v.text[from:to], -1) {
			add(r, from, m, false)
		}
		if !joined {
			return
		}
		for _, m := range r.open().FindAllStringSubmatchIndex(v.text[from:to], -1) {
			add(r, from, m, true)
		}
	})
	return spans
}

// goesOn reports whether a token goes on at a byte of text.
func goesOn(text string, at int) bool {
	return wordByte(text, at) && strings.IndexByte(".:@%", text[at]) < 0
}

// secret is the group of a match that is to be hidden.
func (r *kept) secret(m []int) span {
	if r.group > 0 {
		return span{m[2*r.group], m[2*r.group+1]}
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] < m[i+1] {
			return span{m[i], m[i+1]}
		}
	}
	return span{m[0], m[1]}
}

func (r *kept) isSecret(v view, s, match span) bool {
	secret, lower := v.text[s.start:s.end], v.lower[s.start:s.end]
	if strings.Contains(secret, "•") || entropy(secret) <= r.entropy {
		return false
	}
	for _, spare := range r.spared {
		in := secret
		switch spare.target {
		case "match":
			in = v.text[match.start:match.end]
		case "line":
			in = v.line(match)
		}
		if len(spare.words) > 0 && containsAny(lower, spare.words) ||
			slices.ContainsFunc(spare.patterns, func(p func() *regexp.Regexp) bool { return p().MatchString(in) }) {
			return false
		}
	}
	return true
}

// kind counts the bytes of a secret that tell its kind and are the same in each: ghp_.
func (r *kept) kind(lower string) int {
	n := 0
	for _, word := range r.keywords {
		if r.shaped && strings.HasPrefix(lower, word) {
			n = max(n, len(word))
		}
	}
	return n
}

// entropy is how much a character of text tells, in bits.
func entropy(text string) float64 {
	var count [256]int
	for i := range len(text) {
		count[text[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(text))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
