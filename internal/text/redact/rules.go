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
	shaped  bool                     // the secret is known by its own shape, whatever stands around it
	length  int                      // of every such secret; 0: they differ
}

// shaped is the rule for tokens that begin in a way of their own.
func shaped(pattern string, length int, hints ...string) rule {
	return rule{hints: hints, pattern: regexp.MustCompile(pattern), shaped: true, length: length}
}

const (
	// words are what a command may have before the option that is looked for; nothing of another command.
	words = `(?:[^\n|;&]|\\\n)*?`
	// quoted is a value that may hold blanks, one of which may be the end of a row.
	quoted = `"([^"\n•]+(?:\n[^"\n•]+)?)"|'([^'\n•]+(?:\n[^'\n•]+)?)'`
	value  = `(?:` + quoted + `|([^\s"'•=][^\s"'•]*))`
)

// The shapes of tokens are those that their makers document for secret scanning; see
// https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns
var rules = []rule{
	{hints: []string{"sk-"}, pattern: regexp.MustCompile(`\bsk-(?:ant-|proj-|or-|svcacct-|admin-)?([A-Za-z0-9_-]{16,})`), unless: looksLikeWords, shaped: true},
	shaped(`\bgh[pousr]_([A-Za-z0-9_]{16,})`, 36, "gh"),
	shaped(`\bgithub_pat_([A-Za-z0-9_]{16,})`, 82, "github_pat_"),
	shaped(`\bgl(?:pat|dt|rt)-([A-Za-z0-9_.-]{16,})`, 0, "glpat-", "gldt-", "glrt-"),
	shaped(`\b(?:AKIA|ASIA)([0-9A-Z]{16})`, 16, "akia", "asia"),
	shaped(`\b(?:xox[a-z]-|xapp-)([A-Za-z0-9-]{10,})`, 0, "xox", "xapp-"),
	shaped(`hooks\.slack\.com/services/([A-Za-z0-9/_-]{20,})`, 0, "hooks.slack.com"),
	shaped(`api/webhooks/\d+/([A-Za-z0-9_-]{20,})`, 0, "api/webhooks"),
	shaped(`\bAIza([A-Za-z0-9_-]{30,})`, 35, "aiza"),
	shaped(`\bya29\.([A-Za-z0-9_-]{20,})`, 0, "ya29."),
	shaped(`\beyJ([A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)`, 0, "eyj"),
	shaped(`\bnpm_([A-Za-z0-9]{30,})`, 36, "npm_"),
	shaped(`\bpypi-([A-Za-z0-9_-]{30,})`, 0, "pypi-"),
	shaped(`\bhf_([A-Za-z0-9]{30,})`, 34, "hf_"),
	shaped(`\b(?:[sr]k_(?:live|test)_|whsec_)([A-Za-z0-9+/=]{16,})`, 0, "_live_", "_test_", "whsec_"),
	shaped(`\bSG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`, 0, "sg."),
	shaped(`\bdop_v1_([a-f0-9]{32,})`, 64, "dop_v1_"),
	shaped(`\bAGE-SECRET-KEY-1([0-9A-Z]{40,})`, 58, "age-secret-key-"),
	// A Telegram bot's token; its numeric id is public. The colon is percent-encoded in some addresses.
	shaped(`\d{6,}(?::|%3[Aa])([A-Za-z0-9_-]{30,})`, 35, ":", "%3a"),

	{hints: []string{"bearer"}, pattern: regexp.MustCompile(`(?i)\bbearer(?:\s|%20)+([A-Za-z0-9._~+/=-]{16,})`)},
	{hints: []string{"authorization"}, pattern: regexp.MustCompile(`(?i)\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:basic|token|digest|bearer)\s+([^\s"'•$<{]{8,})`)},
	{hints: []string{"://"}, pattern: regexp.MustCompile(`\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'•]*:([^\s/@"'•]+)@`), unless: placeholder},
	{hints: []string{"-u", "--user"}, pattern: regexp.MustCompile(`(?:\s-u|--user)[ =]["']?[^\s:"'•]+:([^\s"'•]{4,})`), unless: numberOrPlaceholder},
	{hints: []string{"--"}, pattern: regexp.MustCompile(`(?i)--(?:[a-z]+-)*(?:password|passwd|passphrase|token|secret|api-?key)[ =](?:` + quoted + `|["']?([^\s"'•]{4,}))`), unless: flagOrPlaceholder},
	// -p is a password for these commands, and a port, a folder or a project for most others.
	{hints: []string{"login"}, pattern: regexp.MustCompile(`\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm\s+registry)\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*login\b` + words + `\s-p[ =]?` + value), unless: reference},
	{hints: []string{"sshpass"}, pattern: regexp.MustCompile(`\bsshpass\s+(?:-(?:v|P\s*\S+)\s+)*-p\s*` + value), unless: reference},
	{hints: []string{"mysql", "mariadb"}, pattern: regexp.MustCompile(`\b(?:mysql(?:dump|admin|import|check|show|slap|pump|sh)?|mariadb(?:-[a-z]+)?)(?:\s` + words + `)?\s-p=?` + value), unless: reference},
	{hints: names, pattern: regexp.MustCompile(name + `(?:=|%3[Dd])(?:` + quoted + `|["']?([^\s"'` + "`" + `,;&)\]}•]{4,}))`), unless: shortOrPlaceholder},
	{hints: names, pattern: regexp.MustCompile(name + `["']?(?:\s*:=?\s*|\s+=\s*|=\s+)["']?([^\s"'` + "`" + `,;&)\]}•]{6,})`), unless: plain},
	{hints: []string{"private key"}, pattern: regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----((?:[^A-Za-z0-9+/=\\•]*[A-Za-z0-9+/=\\]{16,})+(?:[^A-Za-z0-9+/=\\•]*[A-Za-z0-9+/=\\]+[^A-Za-z0-9+/=\\•]*-----END)?)`)},
	// The same key with its first line scrolled away.
	{hints: []string{"private key"}, pattern: regexp.MustCompile(`((?:[A-Za-z0-9+/=]{40,}[^A-Za-z0-9+/=•]+)+(?:[A-Za-z0-9+/=]+[^A-Za-z0-9+/=•]+)??)-----END [A-Z0-9 ]*PRIVATE KEY`)},
}

// names are the words that announce a secret; name is one of them at the end of an identifier, so
// that neither max_tokens nor tokenizer is taken for one.
var names = []string{"passw", "passphrase", "secret", "token", "key", "credential"}

const name = `(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|account[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key|credentials?)`

// placeholder reports whether a value stands for a secret without being it.
func placeholder(value string) bool {
	if reference(value) || strings.Contains(value, "(") {
		return true
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil", "string", "undefined", "optional", "required", "password", "secret", "token", "changeme", "xxxx", "xxxxx", "xxxxxx", "xxxxxxxx":
		return true
	}
	return strings.HasPrefix(value, "process.env") || strings.HasPrefix(value, "os.environ") || strings.HasPrefix(value, "...")
}

// reference reports whether a value names where the secret is: $PASSWORD, <password>, %PASSWORD%, %s.
func reference(value string) bool {
	return strings.ContainsAny(value[:1], "$<{[(*`•") || value[0] == '%' && !startsEncoded.MatchString(value)
}

var (
	// encoded matches a percent-encoded character.
	encoded       = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
	startsEncoded = regexp.MustCompile(`^` + encoded.String())
)

func shortOrPlaceholder(value string) bool { return len(value) < 4 || placeholder(value) }

func numberOrPlaceholder(value string) bool {
	return placeholder(value) || strings.Trim(value, "0123456789") == ""
}

// flagOrPlaceholder: `--token --verbose` names no token.
func flagOrPlaceholder(value string) bool {
	return shortOrPlaceholder(value) || strings.HasPrefix(value, "-")
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
