package redact

import (
	_ "embed"
	"math"
	"regexp/syntax"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"nod/internal/text/lazy"
)

// The unchanged rules of a gitleaks release; `make rules` fetches them.
//
//go:embed gitleaks/gitleaks.toml
var gitleaks string

// kept has the further data of a gitleaks rule.
type kept struct {
	keywords []string    // they identify the kind of a secret, if it has a shape of its own
	open     lazy.Regexp // the pattern without the part that must follow the secret
	group    int         // the group with the secret; 0 for the first group that matched
	entropy  float64
	spared   []spared
}

// spared describes matches of a rule that are not secrets.
type spared struct {
	patterns []lazy.Regexp
	target   string // what the patterns are matched with: "match", "line", or by default the secret
	words    []string
}

// keptRules are gitleaks' rules in a lookup. A pattern is compiled when a screen first needs it; most never
// do.
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
	var rules []rule
	for _, r := range file.Rules {
		// A path says nothing about a screen. For private keys we have our own rule, because a key on a
		// screen may have lost either end, or be in a box. For curl's options we have rules that apply to any
		// command.
		if r.Regex == "" || r.Path != "" || slices.Contains(notKept, r.ID) {
			continue
		}
		named := strings.Contains(r.Regex, leading)
		k := kept{keywords: r.Keywords, group: r.SecretGroup, entropy: r.Entropy}
		for _, a := range append(r.Allowlists, file.Allowlist) {
			if a.Condition == "AND" { // needs a path in all rules
				continue
			}
			s := spared{target: a.RegexTarget, words: a.StopWords}
			for _, pattern := range a.Regexes {
				s.patterns = append(s.patterns, lazy.MustCompile(pattern))
			}
			k.spared = append(k.spared, s)
		}
		k.spared = append(k.spared, harmless[r.ID]...)
		end := atEndOnScreen
		if r.ID == generic || r.ID == "vault-service-token" {
			end = atEndOfGeneric
		}
		pattern := strings.ReplaceAll(r.Regex, leading, "")
		rule := rule{hints: r.Keywords, within: 3, shaped: !named, kept: &k}
		compiled := anchored
		tree, err := syntax.Parse(pattern, syntax.Perl)
		if err != nil {
			panic("read gitleaks' rules: " + err.Error())
		}
		begin := begins(tree)
		switch least := shortest(begin); {
		case least <= 3 && allBegin(r.Keywords, begin):
		case least > 3 || named && least > 1:
			rule.hints = begin
		default:
			compiled, rule.back = lazy.MustCompile, reach/2
		}
		if named && tree.Op == syntax.OpConcat {
			rule.before = signFollows
		}
		rule.word = rule.back == 0 && strings.HasPrefix(strings.TrimPrefix(pattern, "(?i)"), `\b`)
		rule.pattern, k.open = compiled(strings.ReplaceAll(pattern, atEnd, end)), compiled(strings.ReplaceAll(pattern, atEnd, ""))
		rules = append(rules, rule)
	}
	return newLookup(rules)
})

// notKept are the rules that ours replace.
var notKept = []string{"private-key", "curl-auth-header", "curl-auth-user"}

// begins returns the lower-case prefixes of the texts that an expression matches. One of them is empty if a
// prefix is unknown.
func begins(re *syntax.Regexp) (words []string) {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{lowered(string(re.Rune))}
	case syntax.OpCharClass:
		if first, last := lowered(string(re.Rune[0])), lowered(string(re.Rune[len(re.Rune)-1])); first == last {
			return []string{first}
		}
	case syntax.OpCapture:
		return begins(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			words = append(words, begins(sub)...)
		}
		return words
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			if sub.Op != syntax.OpWordBoundary {
				return begins(sub)
			}
		}
	}
	return []string{""}
}

func shortest(words []string) int {
	return len(slices.MinFunc(words, func(a, b string) int { return len(a) - len(b) }))
}

// allBegin reports whether every word agrees with one of the prefixes in begin. It is false if a prefix is
// unknown.
func allBegin(words, begin []string) bool {
	return shortest(begin) > 0 && !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(begin, func(b string) bool { return strings.HasPrefix(word, b) || strings.HasPrefix(b, word) })
	})
}

// signFollows reports whether a sign such as = follows a name, as far as rules look for one.
func signFollows(_, rest string) bool {
	return strings.ContainsAny(rest[:min(len(rest), 60)], "=>|:?,")
}

// atEnd is what gitleaks requires after most secrets. On a screen a border, a bracket or a comma may follow
// as well, and in joined rows nothing separates the secret from the next row's word.
const (
	atEnd         = `(?:[\x60'"\s;]|\\[nr]|$)`
	atEndOnScreen = `(?:[^\w+/=~-]|$)`
	// For the rules that match anything after a word such as key, or after s., a following bracket or comma
	// means code.
	generic        = "generic-api-key"
	atEndOfGeneric = `(?:[\x60'"\s;` + borders + `]|\\[nr]|$)`
)

// harmless lists, by rule, matches on screens that are no secrets. In files gitleaks spares them by the
// file's name.
var harmless = map[string][]spared{
	generic: {
		{patterns: []lazy.Regexp{lazy.MustCompile(`^[A-Za-z_.]+[0-9]{1,4}$`)}},                           // NewKey768
		{patterns: []lazy.Regexp{lazy.MustCompile(`\bh1:|\bsha(?:1|256|384|512)[-:]`)}, target: "match"}, // checksums in lock files
		{patterns: []lazy.Regexp{lazy.MustCompile(`\s>\s`)}, target: "match"},                            // a shell's redirection
	},
	"sourcegraph-access-token": {
		{patterns: []lazy.Regexp{lazy.MustCompile(`^[0-9a-f]{40}$`)}}, // a commit
	},
}

// leading may be before a secret's name. Matching it costs time and hides nothing.
const leading = `[\w.-]{0,50}?`

func anchored(pattern string) lazy.Regexp { return lazy.MustCompile(`\A(?:` + pattern + `)`) }

// patterns returns the patterns to try in a view. In joined rows a secret at the end of a row may seem to
// continue with a word of the next row; therefore one of the patterns requires nothing after the secret.
func (r *rule) patterns(v view) []lazy.Regexp {
	if r.kept == nil || v.guess == asItStands {
		return []lazy.Regexp{r.pattern}
	}
	return []lazy.Regexp{r.pattern, r.kept.open}
}

// secrets returns the secret of a match, or nothing if the match is no secret.
func (k *kept) secrets(w *work, v view, at int, m []int, r *rule, open bool) []span {
	in := k.secret(m)
	s := span{at + in.start, at + in.end}
	if open && !v.broken(s) || !k.isSecret(w, v, s, span{at + m[0], at + m[1]}) {
		return nil
	}
	s.start += r.kind(v.lower[s.start:s.end])
	return []span{s}
}

// secret returns the group of a match that contains the secret.
func (k *kept) secret(m []int) span {
	if k.group > 0 {
		return span{m[2*k.group], m[2*k.group+1]}
	}
	for i := 2; i < len(m); i += 2 {
		if m[i] < m[i+1] {
			return span{m[i], m[i+1]}
		}
	}
	return span{m[0], m[1]}
}

func (k *kept) isSecret(w *work, v view, s, match span) bool {
	secret, lower := v.text[s.start:s.end], v.lower[s.start:s.end]
	if strings.Contains(secret, "•") || entropy(secret) <= k.entropy {
		return false
	}
	for _, spare := range k.spared {
		in := secret
		w.spend(len(spare.words) + len(in)*len(spare.patterns))
		switch spare.target {
		case "match":
			in = v.text[match.start:match.end]
		case "line":
			in = v.line(match)
		}
		if slices.ContainsFunc(spare.words, func(word string) bool { return strings.Contains(lower, word) }) ||
			slices.ContainsFunc(spare.patterns, func(p lazy.Regexp) bool { return p().MatchString(in) }) {
			return false
		}
	}
	return true
}

// kind returns the length of a secret's prefix that is the same in all secrets of its kind: ghp_.
func (r *rule) kind(lower string) int {
	n := 0
	for _, word := range r.kept.keywords {
		if r.shaped && strings.HasPrefix(lower, word) {
			n = max(n, len(word))
		}
	}
	return n
}

// entropy returns the information per byte of text, in bits.
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
