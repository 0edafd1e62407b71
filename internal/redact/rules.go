package redact

import (
	"regexp"
	"strings"
)

// rule is one shape of a secret. Every group of its pattern is hidden, all else is context.
type rule struct {
	hints   []string // one of them stands in the lower-cased text, or the pattern can't match
	pattern *regexp.Regexp
	unless  func(secret string) bool // true for what is no secret after all
}

// The shapes of tokens are those that their makers document for secret scanning; see
// https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns
var rules = []rule{
	{hints: []string{"sk-"}, pattern: regexp.MustCompile(`\bsk-(?:ant-|proj-|or-|svcacct-|admin-)?([A-Za-z0-9_-]{16,})`), unless: looksLikeWords},
	{hints: []string{"gh", "github_pat_"}, pattern: regexp.MustCompile(`\b(?:gh[pousr]_|github_pat_)([A-Za-z0-9_]{16,})`)},
	{hints: []string{"glpat-", "gldt-", "glrt-"}, pattern: regexp.MustCompile(`\bgl(?:pat|dt|rt)-([A-Za-z0-9_.-]{16,})`)},
	{hints: []string{"akia", "asia"}, pattern: regexp.MustCompile(`\b(?:AKIA|ASIA)([0-9A-Z]{16})\b`)},
	{hints: []string{"xox", "xapp-"}, pattern: regexp.MustCompile(`\b(?:xox[a-z]-|xapp-)([A-Za-z0-9-]{10,})`)},
	{hints: []string{"hooks.slack.com"}, pattern: regexp.MustCompile(`hooks\.slack\.com/services/([A-Za-z0-9/_-]{20,})`)},
	{hints: []string{"api/webhooks"}, pattern: regexp.MustCompile(`api/webhooks/\d+/([A-Za-z0-9_-]{20,})`)},
	{hints: []string{"aiza"}, pattern: regexp.MustCompile(`\bAIza([A-Za-z0-9_-]{30,})`)},
	{hints: []string{"ya29."}, pattern: regexp.MustCompile(`\bya29\.([A-Za-z0-9_-]{20,})`)},
	{hints: []string{"eyj"}, pattern: regexp.MustCompile(`\beyJ([A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)`)},
	{hints: []string{"npm_"}, pattern: regexp.MustCompile(`\bnpm_([A-Za-z0-9]{30,})`)},
	{hints: []string{"pypi-"}, pattern: regexp.MustCompile(`\bpypi-([A-Za-z0-9_-]{30,})`)},
	{hints: []string{"hf_"}, pattern: regexp.MustCompile(`\bhf_([A-Za-z0-9]{30,})`)},
	{hints: []string{"_live_", "_test_", "whsec_"}, pattern: regexp.MustCompile(`\b(?:[sr]k_(?:live|test)_|whsec_)([A-Za-z0-9+/=]{16,})`)},
	{hints: []string{"sg."}, pattern: regexp.MustCompile(`\bSG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`)},
	{hints: []string{"dop_v1_"}, pattern: regexp.MustCompile(`\bdop_v1_([a-f0-9]{32,})`)},
	{hints: []string{"age-secret-key-"}, pattern: regexp.MustCompile(`\bAGE-SECRET-KEY-1([0-9A-Z]{40,})`)},
	// A Telegram bot's token; its numeric id is public.
	{hints: []string{":"}, pattern: regexp.MustCompile(`\d{6,}:([A-Za-z0-9_-]{30,})`)},
	{hints: []string{"bearer"}, pattern: regexp.MustCompile(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`)},
	{hints: []string{"authorization"}, pattern: regexp.MustCompile(`(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:basic|token|digest|bearer)\s+([^\s"'•$<{]{8,})`)},
	{hints: []string{"://"}, pattern: regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'•]*:([^\s/@"'•]+)@`), unless: placeholder},
	{hints: []string{"-u", "--user"}, pattern: regexp.MustCompile(`(?:\s-u|--user)[ =]["']?[^\s:"'•]+:([^\s"'•]{4,})`), unless: numberOrPlaceholder},
	{hints: []string{"--"}, pattern: regexp.MustCompile(`(?i)--(?:[a-z]+-)*(?:password|passwd|passphrase|token|secret|api-?key)[ =]["']?([^\s"'•]{4,})`), unless: flagOrPlaceholder},
	{hints: names, pattern: regexp.MustCompile(name + `=["']?([^\s"'` + "`" + `,;&)\]}•]{4,})`), unless: placeholder},
	{hints: names, pattern: regexp.MustCompile(name + `["']?(?:\s*:=?\s*|\s+=\s*|=\s+)["']?([^\s"'` + "`" + `,;&)\]}•]{6,})`), unless: plain},
	{hints: []string{"private key"}, pattern: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----((?:[^A-Za-z0-9+/=\\•]*[A-Za-z0-9+/=\\]{16,})+(?:[^A-Za-z0-9+/=\\•]*[A-Za-z0-9+/=\\]+[^A-Za-z0-9+/=\\•]*-----END)?)`)},
	// The same key with its first line scrolled away.
	{hints: []string{"private key"}, pattern: regexp.MustCompile(`((?:[A-Za-z0-9+/=]{40,}[^A-Za-z0-9+/=•]+)+(?:[A-Za-z0-9+/=]+[^A-Za-z0-9+/=•]+)??)-----END [A-Z0-9 ]*PRIVATE KEY`)},
}

// names are the words that announce a secret; name is one of them at the end of an identifier, so
// that neither max_tokens nor tokenizer is taken for one.
var names = []string{"passw", "passphrase", "secret", "token", "key", "credential"}

const name = `(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|credentials?)`

// placeholder reports whether a value stands for a secret without being it.
func placeholder(value string) bool {
	if strings.ContainsAny(value[:1], "$<{[(*%•") || strings.Contains(value, "(") {
		return true
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil", "string", "undefined", "optional", "required", "password", "secret", "token", "changeme", "xxxx", "xxxxx", "xxxxxx", "xxxxxxxx":
		return true
	}
	return strings.HasPrefix(value, "process.env") || strings.HasPrefix(value, "os.environ") || strings.HasPrefix(value, "...")
}

func numberOrPlaceholder(value string) bool {
	return placeholder(value) || strings.Trim(value, "0123456789") == ""
}

// flagOrPlaceholder: `--token --verbose` names no token.
func flagOrPlaceholder(value string) bool {
	return placeholder(value) || strings.HasPrefix(value, "-")
}

// plain reports whether a value with a blank before it reads like prose or code (`the token: never`,
// `password: string`, `key: value.field`) and not like something that was generated.
func plain(value string) bool {
	if placeholder(value) {
		return true
	}
	return !strings.ContainsAny(value, "0123456789") || strings.Trim(value, "0123456789.") == "" && len(value) < 12
}

// looksLikeWords spares names such as sk-learn-contrib-examples-basic: a key has digits and
// letters mixed.
func looksLikeWords(value string) bool { return !strings.ContainsAny(value, "0123456789") }
