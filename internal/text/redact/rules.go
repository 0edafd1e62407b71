package redact

import (
	"slices"
	"strings"

	"nod/internal/text/lazy"
)

// rule is one shape of a secret, ours or gitleaks'. Every group of our patterns is hidden; the rest is
// context.
type rule struct {
	hints   []string                       // the pattern is tried where the lower-cased text has one of them
	pattern lazy.Regexp                    // matches begin with a hint, unless back is set
	back    int                            // how many bytes before a hint a match may begin
	within  int                            // number of rows within which a match ends
	word    bool                           // no letter may be before the hint
	before  func(before, rest string) bool // whether the text before and from the hint fits
	unless  func(secret string) bool       // true if the match is no secret
	shaped  bool                           // the secret is recognised by its shape alone, whatever its context
	length  int                            // length of every such secret; 0 if it varies
	kept    *kept                          // further data of a gitleaks rule; nil for ours
}

// ours returns the rule for a pattern that begins with one of the hints.
func ours(pattern string, hints ...string) rule {
	return rule{hints: hints, pattern: anchored(pattern), within: 2, word: strings.HasPrefix(strings.TrimPrefix(pattern, "(?i)"), `\b`)}
}

// shaped returns the rule for tokens that begin in a characteristic way.
func shaped(pattern string, length int, hints ...string) rule {
	r := ours(pattern, hints...)
	r.shaped, r.length = true, length
	return r
}

func (r rule) except(unless func(secret string) bool) rule {
	r.unless = unless
	return r
}

func (r rule) after(before func(before, rest string) bool) rule {
	r.before = before
	return r
}

// command returns the rule for an option of a command, which may be some rows below the command.
func command(pattern string, hints ...string) rule {
	r := ours(pattern, hints...)
	r.within, r.unless = 10, reference
	return r
}

const (
	// words are the arguments that a command may have before the option, and nothing of another command.
	words = `(?:[^\n|;&]|\\\n)*?`
	// quoted is a value that may contain blanks, one of which may be the end of a row.
	quoted = `"([^"\n•]+(?:\n[^"\n•]+)?)"|'([^'\n•]+(?:\n[^'\n•]+)?)'`
	value  = `(?:` + quoted + `|([^\s"'•=][^\s"'•]*))`
	// assigned is a value directly after =. declared is one after a colon or blanks.
	assigned = `=(?:` + quoted + `|["']?([^\s"'` + "`" + `,;&)\]}•]{4,}))`
	declared = `["']?(?:\s*:=?\s*|\s+=\s*|=\s+)["']?([^\s"'` + "`" + `,;&)\]}•]{6,})`
	// option is a value after a blank.
	option = `[ =](?:` + quoted + `|["']?([^\s"'•]{4,}))`
	// gutter may be between two words of a file that covers several rows of a screen.
	gutter = `(?:\s|[` + borders + `+>]|\d+ )+`
)

// name is a word that announces a secret at the end of an identifier, so that neither max_tokens nor
// tokenizer matches. perhaps is a word that does so only as the last of several.
const (
	name    = `(?i)(?:password|passwd|passphrase|passcode|secret|token|credentials?)(?:_?\d{1,2})?`
	perhaps = `(?i)(?:pass|pwd|key)(?:_?\d{1,2})?`
)

var (
	names        = []string{"passw", "passphrase", "passcode", "secret", "token", "credential"}
	perhapsNames = []string{"pass", "pwd", "key"}
)

// The shapes of tokens are those that their makers document for secret scanning; see
// https://docs.github.com/en/code-security/reference/secret-security/supported-secret-scanning-patterns
var rulesOfOurs = newLookup([]rule{
	shaped(`\bsk-(?:ant-|proj-|or-|svcacct-|admin-)?([A-Za-z0-9_-]{16,})`, 0, "sk-").except(looksLikeWords),
	shaped(`\bgh[pousr]_([A-Za-z0-9_]{16,})`, 36, "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
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
	shaped(`\b(?:[sr]k_(?:live|test)_|whsec_)([A-Za-z0-9+/=]{16,})`, 0, "sk_", "rk_", "whsec_"),
	shaped(`\bSG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})`, 0, "sg."),
	shaped(`\bdop_v1_([a-f0-9]{32,})`, 64, "dop_v1_"),
	shaped(`\bAGE-SECRET-KEY-1([0-9A-Z]{40,})`, 58, "age-secret-key-"),
	// A Telegram bot's token; its numeric id is public.
	shaped(`\d:([A-Za-z0-9_-]{30,})`, 35, "0:", "1:", "2:", "3:", "4:", "5:", "6:", "7:", "8:", "9:").after(fiveDigits),
	// A password hash of crypt(3).
	shaped(`\$(?:[1-7]|2[abxy]|g?y|apr1|md5|sha1|scrypt|argon2(?:id?|d))\$((?:[\w.,=+/-]{1,64}\$){1,3}[./A-Za-z0-9+=]{20,})`, 0, "$1$", "$2", "$3$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$apr1$", "$md5", "$sha1$", "$scrypt$", "$argon2"),

	ours(`(?i)\bbearer\s+([A-Za-z0-9._~+/=-]{16,})`, "bearer"),
	ours(`(?i)authorization["']?\s*[:=]\s*["']?(?:basic|token|digest|bearer|negotiate|apikey)\s+([^\s"'•$<{]{8,})`, "authorization"),
	ours(`(?i)authorization["']?\s*[:=]\s*["']?([^\s"'•$<{]{8,})`, "authorization").except(plain),
	ours(`(?i)(?:--cookie[ =]|cookie["']?\s*:\s*)["']?[\w.-]+=((?:[^"'`+"`"+`\n•]|; *\n)+)`, "--cookie", "cookie").except(placeholder),
	ours(`://[^\s/:@"'•]*:([^\s/"'•]+)@`, "://").except(placeholder),
	ours(`\s-u ?["']?[^\s:"'•]+:([^\s"'•]{4,})`, " -u", "\n-u").except(numberOrPlaceholder),
	ours(`--user[ =]["']?[^\s:"'•]+:([^\s"'•]{4,})`, "--user").except(numberOrPlaceholder),
	// netrc
	command(`machine[ \t]+\S+`+gutter+`(?:login|account)[ \t]+\S+`+gutter+`password`+gutter+`(\S+)`, "machine"),
	command(`(?:login|account)[ \t]+\S+`+gutter+`password`+gutter+`(\S+)`, "login", "account").except(plain),
	// For these commands -p is a password; for most others it is a port, a folder or a project.
	command(`\b(?:docker|podman|nerdctl|buildah|skopeo|oras|helm\s+registry)\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*login\b`+words+`\s-p[ =]?`+value, "docker", "podman", "nerdctl", "buildah", "skopeo", "oras", "helm"),
	command(`\bsshpass\s+(?:-(?:v|P\s*\S+)\s+)*-p\s*`+value, "sshpass"),
	command(`\b(?:mysql(?:dump|admin|import|check|show|slap|pump|sh)?|mariadb(?:-[a-z]+)?)(?:\s`+words+`)?\s-p=?`+value, "mysql", "mariadb"),
	command(`\bredis-cli\b(?:`+words+`)\s(?:-a|--pass)[ =]?`+value, "redis-cli"),

	ours(name+option, names...).except(flagOrPlaceholder).after(ofOption),
	ours(name+` *\n[\s`+borders+`]*["']?([^\s"'•]{6,})`, names...).except(plain).after(ofOption),
	ours(name+assigned, names...).except(shortOrPlaceholder),
	ours(name+declared, names...).except(plain),
	ours(perhaps+option, perhapsNames...).except(pathOrPlaceholder).after(func(before, rest string) bool { return ofOption(before, rest) && compound(before, rest) }),
	ours(perhaps+assigned, perhapsNames...).except(pathOrPlaceholder).after(func(before, rest string) bool { return alone(before, rest) || compound(before, rest) }),
	ours(perhaps+declared, perhapsNames...).except(plain).after(compound),
})

// fiveDigits reports whether five digits of a bot's id are before the hint, which is the sixth.
func fiveDigits(before, _ string) bool {
	return len(before) >= 5 && strings.Trim(before[len(before)-5:], "0123456789") == ""
}

// ofOption reports whether a word ends the name of an option.
func ofOption(before, _ string) bool {
	i := len(before)
	for i > max(0, len(before)-40) && (letter(before[i-1]) || before[i-1] == '-') {
		i--
	}
	return strings.HasPrefix(before[i:], "-")
}

// compound reports whether a word that alone announces no secret ends a name that does: DB_PASS, SSHPASS,
// dbPwd, "pass", api_key; but neither bypass nor primary_key.
func compound(before, rest string) bool {
	if before == "" {
		return false
	}
	last := before[len(before)-1]
	if rest[0]|0x20 == 'k' {
		if last == '_' || last == '-' {
			before = before[:len(before)-1]
		}
		return slices.ContainsFunc(keyKinds, func(kind string) bool {
			return strings.EqualFold(before[max(0, len(before)-len(kind)):], kind)
		})
	}
	switch {
	case strings.IndexByte(`_-."'`, last) >= 0:
		return true
	case !letter(last):
		return false
	}
	return rest[0] == 'P' || rest[1]|0x20 == 'w'
}

var keyKinds = []string{"api", "account", "access", "secret", "private", "auth", "encryption", "signing"}

// alone reports whether pass or pwd is the whole name.
func alone(before, rest string) bool {
	return rest[0]|0x20 == 'p' && (before == "" || !letter(before[len(before)-1]))
}

// placeholder reports whether a value is a placeholder and not a secret.
func placeholder(value string) bool {
	if reference(value) || call().MatchString(value) {
		return true
	}
	switch strings.ToLower(value) {
	case "true", "false", "null", "none", "nil", "string", "undefined", "optional", "required", "password", "secret", "token", "changeme", "xxxx", "xxxxx", "xxxxxx", "xxxxxxxx":
		return true
	}
	return strings.HasPrefix(value, "process.env") || strings.HasPrefix(value, "os.environ") || strings.HasPrefix(value, "...")
}

// reference reports whether a value names the place of a secret: $PASSWORD, <password>, %PASSWORD%, %s.
func reference(value string) bool {
	return strings.ContainsAny(value[:1], "$<{[(*`•") || value[0] == '%' && !startsEncoded().MatchString(value)
}

var (
	// call matches a value that a program computes.
	call = lazy.MustCompile(`^[A-Za-z_.]+\(`)
	// encoded matches a percent-encoded character.
	encoded       = lazy.MustCompile(`%[0-9A-Fa-f]{2}`)
	startsEncoded = lazy.MustCompile(`^` + encoded().String())
)

func shortOrPlaceholder(value string) bool { return len(value) < 4 || placeholder(value) }

func numberOrPlaceholder(value string) bool {
	return placeholder(value) || strings.Trim(value, "0123456789") == ""
}

// pathOrPlaceholder also spares the working folders of a shell.
func pathOrPlaceholder(value string) bool {
	return flagOrPlaceholder(value) || numberOrPlaceholder(value) || strings.HasPrefix(value, "/") || strings.HasPrefix(value, "~")
}

// flagOrPlaceholder also spares flags: `--token --verbose` contains no token.
func flagOrPlaceholder(value string) bool {
	return shortOrPlaceholder(value) || strings.HasPrefix(value, "-")
}

// plain reports whether a value after a blank reads like prose or code (`the token: never`, `password:
// string`, `key: value.field`) and not like a generated secret.
func plain(value string) bool {
	if placeholder(value) {
		return true
	}
	return !strings.ContainsAny(value, "0123456789") || strings.Trim(value, "0123456789.") == "" && len(value) < 12
}

// looksLikeWords spares names such as sk-learn-contrib-examples-basic: a key has digits and letters mixed.
func looksLikeWords(value string) bool { return !strings.ContainsAny(value, "0123456789") }
