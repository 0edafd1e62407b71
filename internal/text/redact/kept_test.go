package redact

import (
	"math/rand/v2"
	"net/url"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

// keptKind is a gitleaks rule from its file, and an example for it.
type keptKind struct {
	id       string
	pattern  *regexp.Regexp
	rule     *rule
	examples []example
}

// example is a made-up text and the secret in it.
type example struct {
	text   string
	secret span
}

// keptKinds makes an example for each gitleaks rule, from the rule in the file.
func keptKinds(t testing.TB) []keptKind {
	var file struct {
		Rules []struct {
			ID, Regex, Path string
		}
	}
	if _, err := toml.Decode(gitleaks, &file); err != nil {
		t.Fatal(err)
	}
	var kinds []keptKind
	rules := keptRules().rules
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range file.Rules {
		if r.Regex == "" || r.Path != "" || slices.Contains(notKept, r.ID) {
			continue
		}
		k := keptKind{id: r.ID, pattern: regexp.MustCompile(r.Regex), rule: &rules[0]}
		rules = rules[1:]
		tree, err := syntax.Parse(r.Regex, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for try := 0; try < 20000 && len(k.examples) < 2; try++ {
			var b strings.Builder
			b.WriteString(" ")
			madeUp(&b, random, tree)
			if try%2 == 0 {
				b.WriteString(" " + k.rule.kept.keywords[0])
			}
			if e, ok := k.example(b.String()); ok {
				k.examples = append(k.examples, e)
			}
		}
		if len(k.examples) == 0 {
			t.Errorf("%s: nothing was made up that it finds", r.ID)
		}
		kinds = append(kinds, k)
	}
	return kinds
}

// example returns a text with a match of the rule, as gitleaks would find it.
func (k keptKind) example(text string) (example, bool) {
	m := k.pattern.FindStringSubmatchIndex(text)
	v := view{text: text, lower: lowered(text)}
	if m == nil || !slices.ContainsFunc(k.rule.kept.keywords, func(word string) bool { return strings.Contains(v.lower, word) }) {
		return example{}, false
	}
	s := k.rule.kept.secret(m)
	if strings.ContainsAny(text[s.start:s.end], "\n\r") || !k.rule.kept.isSecret(new(work), v, s, span{m[0], m[1]}) {
		return example{}, false
	}
	return example{text, span{s.start + k.rule.kind(v.lower[s.start:s.end]), s.end}}, true
}

// madeUp returns a text that a pattern matches, without the context that the pattern requires.
func madeUp(b *strings.Builder, random *rand.Rand, r *syntax.Regexp) {
	repeat := func(low, high int) {
		if high < 0 || high > low+40 {
			high = low + 4
		}
		for range low + random.IntN(high-low+1) {
			madeUp(b, random, r.Sub[0])
		}
	}
	switch r.Op {
	case syntax.OpLiteral:
		b.WriteString(string(r.Rune))
	case syntax.OpCharClass:
		var fit []rune
		for c := rune(0x21); c < 0x7f; c++ {
			if one(r, c) {
				fit = append(fit, c)
			}
		}
		switch {
		case one(r, ' ') && (len(fit) == 0 || random.IntN(3) == 0):
			fit = []rune{' '}
		case len(fit) == 0:
			fit = r.Rune[:1]
		}
		b.WriteRune(fit[random.IntN(len(fit))])
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte("abcxyz019"[random.IntN(9)])
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range r.Sub {
			madeUp(b, random, sub)
		}
	case syntax.OpAlternate:
		madeUp(b, random, r.Sub[random.IntN(len(r.Sub))])
	case syntax.OpStar:
		repeat(0, -1)
	case syntax.OpPlus:
		repeat(1, -1)
	case syntax.OpQuest:
		repeat(0, 1)
	case syntax.OpRepeat:
		repeat(r.Min, r.Max)
	}
}

func one(class *syntax.Regexp, c rune) bool {
	for i := 0; i < len(class.Rune); i += 2 {
		if class.Rune[i] <= c && c <= class.Rune[i+1] {
			return true
		}
	}
	return false
}

// known is the part of a secret that may be shown: its kind, a dash in it, the name or number before its
// colon.
var known = regexp.MustCompile(`^(?:sk-(?:[a-z]+-)?|xox[a-z]-|-|['"]?[0-9A-Za-z]+:|%27\w+:)$`)

// shown returns the visible part of a secret in a masked text.
func shown(masked, text string, s span) string {
	from := len([]rune(text[:s.start]))
	left := []rune(masked)[from : from+len([]rune(text[s.start:s.end]))]
	return known.ReplaceAllString(strings.Trim(string(left), "• "), "")
}

// shownInBox returns the visible part of an example's secret on a masked screen with the example wrapped in a
// box.
func shownInBox(masked, screen string, e example) string {
	var left []rune
	m, at := []rune(masked), 0
	for i, r := range []rune(screen) {
		if at < len(e.text) && r == rune(e.text[at]) {
			if e.secret.start <= at && at < e.secret.end && hideable(m[i]) {
				left = append(left, m[i])
			}
			at++
		}
	}
	return known.ReplaceAllString(string(left), "")
}

// TestWhatGitleaksFindsIsMasked: every kind of secret of its rules, on one row, in brackets, and
// percent-encoded.
func TestWhatGitleaksFindsIsMasked(t *testing.T) {
	kinds := keptKinds(t)
	if len(kinds) < 200 {
		t.Errorf("only %d kinds", len(kinds))
	}
	for _, k := range kinds {
		for _, e := range k.examples {
			if left := shown(Mask(e.text), e.text, e.secret); left != "" {
				t.Errorf("%s: %q is shown of %q: %q", k.id, left, e.text, Mask(e.text))
			}
			before, secret, after := url.PathEscape(e.text[:e.secret.start]), url.PathEscape(e.text[e.secret.start:e.secret.end]), url.PathEscape(e.text[e.secret.end:])
			text := before + secret + after
			if left := shown(Mask(text), text, span{len(before), len(before) + len(secret)}); left != "" {
				t.Errorf("%s: %q is shown of %q: %q", k.id, left, text, Mask(text))
			}
		}
	}
}

// TestWhatGitleaksFindsIsMaskedInABox: the same, broken over the rows of a box anywhere within the secret.
func TestWhatGitleaksFindsIsMaskedInABox(t *testing.T) {
	for _, k := range keptKinds(t) {
		for _, e := range k.examples {
			if strings.Contains(e.text, "\n") {
				continue
			}
			for width := max(24, e.secret.start+1); width < e.secret.end; width += 1 + (e.secret.end-e.secret.start)/6 {
				if !wordByte(e.text, width-1) || !wordByte(e.text, width) {
					continue
				}
				screen := "╭" + strings.Repeat("─", width+2) + "╮\n" + wrapped(e.text, "│ %-*s │", width) + "\n│ Do you want to proceed? │"
				if left := shownInBox(Mask(screen), screen, e); left != "" {
					t.Errorf("%s: %q is shown at %d columns:\n%s\n%s", k.id, left, width, screen, Mask(screen))
					break
				}
			}
		}
	}
}

// TestRecordedScreensHoldNothingForGitleaks: nothing on agents' screens is hidden.
func TestRecordedScreensHoldNothingForGitleaks(t *testing.T) {
	for _, screen := range recordedScreens(t) {
		for _, v := range viewsOf(screen) {
			for _, s := range enoughWork().find(keptRules(), v) {
				t.Errorf("%q is taken for a secret in\n%s", v.text[s.start:s.end], screen)
			}
		}
	}
}

// TestRulesSpareWhatLooksGenerated: hashes and names in code stay readable beside words that announce a
// secret.
func TestRulesSpareWhatLooksGenerated(t *testing.T) {
	for _, text := range []string{
		"commit 9fceb02d0ae598e95dc970b74767f19372d61af8 (sourcegraph: bump the token's key)",
		"golang.org/x/oauth2 v0.37.0 h1:JUlcxA8oAtauLfiH8FX2/FkAWHAdi0QtGCGc+hofE98=",
		`"node_modules/@octokit/auth-token": { "integrity": "sha512-tPhDGHK2cvq2NlF6Zb5JZvN7bXBJtqTgPUXPBbzrvNpqLqzJmsFTAhdb3yDRHKdTvW6w==" }`,
		"	key := byteorder.BEUint64(keyBytes)",
		"	testMLDSAGenerateKey(t, GenerateKey65, NewPrivateKey65)",
		"	if !s.ReadUint16LengthPrefixed(&cipherSuites) {",
		"// If the key is not valid, NewEncapsulationKey768 returns an error.",
		"./encrypt1 encrypt1-tmpl.xml deskey.bin > encrypt1-res.xml",
		"pod/token-service-6d4b75cb6d-hwpqx 1/1 Running, key 550e8400-e29b-41d4-a716-446655440000",
		"password: ${{ secrets.NPM_TOKEN }} token: {{ .Values.token }} api_key=$1",
	} {
		if got := Mask(text); got != text {
			t.Errorf("\n  was %s\nbecame %s", text, got)
		}
	}
}

// TestTokenOfWhichARuleKnowsTheBeginningIsMaskedWhole, and so is a key that begins with that word.
func TestTokenOfWhichARuleKnowsTheBeginningIsMaskedWhole(t *testing.T) {
	for _, entry := range []string{
		"export A=1 bedrock-api-key-«YmVkcm9jay5hbWF6b25hd3MuY29t" + letters + "=» ok",
		"shpat_«0123456789abcdef0123456789abcdef0123» ok",
		"creds>«key9" + letters[:24] + "» ok",
	} {
		text, secret := plainText(entry)
		want := []rune(text)
		for i := range want {
			if secret[i] {
				want[i] = '•'
			}
		}
		if got := Mask(text); got != string(want) {
			t.Errorf("%s\n got %s\nwant %s", text, got, string(want))
		}
	}
}
