// Package risk names the effects of a command that deserve a second look: delete, publish, run as root.
//
// It only gives hints to the person who decides. It looks for a few signs, so a command without any may still
// do harm, and one with signs may be harmless.
package risk

import (
	"slices"
	"strings"

	"nod/internal/text/lazy"
)

// sign is a pattern and the words for its effect.
type sign struct {
	words   string
	pattern lazy.Regexp
}

// called returns a pattern for a program in command position: at the beginning of a line, after an operator,
// in a substitution or quotes, or after a program that runs another.
func called(program string) string {
	return "(?:^|[;&|({`'\"!]|\\$\\(|\\b(?:sudo|doas|xargs|exec|command|env|time|nohup|then|do|else|-exec)\\b(?:\\s+-\\S+|\\s+\\w+=\\S*)*)\\s*" +
		"(?:/\\S*/)?(?:" + program + ")(?:\\s|$|[;&|)`'\"])"
}

// git matches git with global options before its subcommand.
const git = `\bgit\s+(?:-[cC]\s+\S+\s+|-\S+\s+)*`

// options matches options before a subcommand, a value of its own behind some of them.
const options = `(?:-\S+\s+(?:[^-\s]\S*\s+)??)*`

func sees(words string, patterns ...string) sign {
	return sign{words, lazy.MustCompile("(?im)" + strings.Join(patterns, "|"))}
}

var signs = []sign{
	sees("deletes files", called(`rm|rmdir|unlink|shred|truncate|del|Remove-Item`), git+`rm\s`, `\sfind\s.*-delete\b|^find\s.*-delete\b`, git+`clean\s+-\w*[fdx]`, `\brsync\s.*--delete\b`),
	sees("throws changes away", git+`(?:reset\s+--hard|checkout\s+(?:--\s|-f\b|--force\b|\.(?:\s|$))|restore\s|stash\s+(?:drop|clear)|filter-branch)`),
	sees("deletes", git+`branch\s+(?:-D|--delete)`, `\b(?:drop\s+(?:table|database|schema)|truncate\s+table|delete\s+from)\b`,
		`\b(?:kubectl\s+delete|docker\s+(?:\w+\s+)?(?:rm|rmi|prune)|flush(?:all|db)|dropdb|db:(?:drop|reset)|migrate(?::|\s+)(?:fresh|reset))\b`),
	sees("overwrites a disk", called(`mkfs\S*|fdisk|parted|wipefs`), `\bdd\s.*\bof=/dev/`),
	sees("force-pushes", git+`push\s.*(?:--force|--mirror|\s-f\b|\s\+\S)`),
	sees("pushes", git+`push\b`),
	sees("publishes", `\b(?:npm|pnpm|yarn|cargo|poetry|flutter|twine)\s+(?:\S+\s+)?(?:publish|upload)\b`, `\bdocker\s+push\b`, `\bgem\s+push\b`, `\bgh\s+(?:release|pr|repo|gist)\s+(?:create|merge|close|delete|upload)\b`,
		`\b(?:vercel|netlify|fly|flyctl|firebase|wrangler)\s+(?:deploy|publish|--prod)\b`, `\b(?:make|just|task|rake|(?:npm|pnpm|yarn|bun)\s+run)\s+(?:deploy|release|publish)\b`,
		`(?:^|[;&|]\s*)\./\S*deploy`),
	sees("reaches another machine", called(`ssh|scp|sftp`)),
	sees("sends something away", `\bcurl\b.*\s-(?:(?-i:[dFT])|-data\S*|-form|-upload-file|X\s*(?:POST|PUT|PATCH|DELETE))\b`, called(`nc|ncat|socat|telnet`)),
	sees("changes what runs elsewhere", `\b(?:terraform|tofu|terragrunt|pulumi)\s+`+options+`(?:apply|destroy|import|taint|up|refresh)\b`,
		`\bkubectl\s+`+options+`(?:apply|create|replace|patch|edit|scale|set|rollout|drain|cordon|exec)\b`, `\bhelm\s+`+options+`(?:install|upgrade|rollback|uninstall|delete)\b`,
		`\b(?:aws|gcloud|az)\s.*\b(?:delete|terminate|create|update|put|deploy|stop|start|run|remove|modify)\b`,
		`\b(?:cdk|serverless|sls|copilot|eb|heroku|skaffold)\s+`+options+`(?:deploy|destroy|remove|up|run)\b`, called(`ansible-playbook|ansible|kamal`)),
	sees("ends processes", called(`kill|pkill|killall`)),
	sees("changes who may do what", called(`chmod|chown|chgrp|setfacl|passwd|useradd|usermod|userdel`)),
	sees("installs software", `\b(?:apt|apt-get|dnf|yum|brew|snap|apk)\s+`+options+`(?:install|add|remove|purge|upgrade)\b`, `\b(?:pip\d?|gem)\s+(?:un)?install\s`,
		`\b(?:npm|pnpm|yarn|bun)\s+(?:i|install|add)\s+[^-\s;&|]`, `\bgo\s+(?:install|run)\s+\S+@`, `\bcargo\s+install\b`),
	sees("changes the machine", called(`crontab|iptables|nft|ufw|umount`)),
	sees("changes what git runs", git+`config\s+(?:--(?:global|local|system|add|replace-all|unset)\s+)*[\w.]+\s+\S`, `\bgit\s(?:.*\s)?(?-i:-c)\s+\w+\.`),
	sees("lets an agent run unasked", `\s--(?:dangerously-[\w-]+|yolo)\b`),
	sees("runs as root", called(`sudo|doas|su|pkexec|run0`)),
	sees("starts or stops services", `\bsystemctl\s+`+options+`(?:start|stop|restart|reload|enable|disable|mask|kill|isolate|reboot|poweroff)\b`, called(`service|shutdown|reboot|poweroff`)),
	sees("runs what it fetches from the network", `\b(?:curl|wget|fetch|irm|iwr)\b[^;&\n]*\|\s*(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+)?(?:/\S*/)?(?:ba|z|da|k|fi)?sh\b`,
		`\b(?:curl|wget|irm|iwr)\b[^;&\n]*\|\s*(?:sudo\s+)?(?:/\S*/)?(?:python\d?|perl|ruby|node|iex)\b`,
		`(?:\b(?:ba|z|da|k)?sh|\beval|\bsource|^\.|\s\.|\biex)\s.*(?:\$\(|<\(|`+"`"+`|\()\s*(?:curl|wget|irm|iwr)\b`),
	sees("goes where secrets are kept", `(?:^|[\s/'"=~:@<>])(?:\.env(?:\.\w+)?|\.netrc|\.npmrc|\.pypirc|\.pgpass|\.git-credentials|id_(?:rsa|dsa|ecdsa|ed25519)|kubeconfig|credentials\.json)(?:$|[\s'";&|)])`,
		`(?:^|[\s/'"=~])\.(?:ssh|aws|gnupg|kube|docker/config\.json)(?:$|[/\s'"])`, `/etc/(?:shadow|sudoers)`, `\S\.(?:pem|p12|pfx|keystore)(?:$|[\s'";&|)])`,
		called(`printenv`), `^\s*env\s*$`, `(?:^|[\s/'"=])secrets?\.\w+`, `\b(?:security\s+find-\S*password|gh\s+(?:auth\s+token|secret)|gpg\s.*--export-secret|pass\s+show|op\s+read|vault\s+(?:kv\s+)?(?:get|read))\b`),
}

// above matches names that lead out of the command's folder.
var above = lazy.MustCompile(`(?m)(?:^|[\s'"=:<>(,])(~(?:[a-z][\w-]*)?(?:/[^\s'";&|)]*|\s|$)|(?:\$HOME|\$\{HOME\}|\.\.)[^\s'";&|)]*|/[\w.][^\s'";&|)]*)`)

// closingTag matches the end of an HTML element, which is no absolute path.
var closingTag = lazy.MustCompile(`</[A-Za-z][\w:.-]*>`)

// common matches harmless absolute paths: programs, scratch folders, devices without content.
var common = lazy.MustCompile(`^/(?:tmp|var/tmp|dev/(?:null|stdin|stdout|stderr|tty|fd)|proc/self)(?:/|$)|^/(?:usr/(?:local/)?|opt/\w+/)?s?bin/|^/(?:usr/lib|nix/store)/`)

// Reasons returns the effects in the text of a command, an edit or a fetch, each in a few words, the gravest
// first; empty if there are none. project is the name of the folder in which the command runs.
func Reasons(text, project string) []string {
	var reasons []string
	for _, s := range signs {
		if s.words == "pushes" && slices.Contains(reasons, "force-pushes") {
			continue
		}
		if s.pattern().MatchString(text) {
			reasons = append(reasons, s.words)
		}
	}
	if leaves(text, project) {
		reasons = append(reasons, "names something outside the project")
	}
	return reasons
}

// leaves reports whether a text names a file outside the project's folder, judging by the folder's name.
func leaves(text, project string) bool {
	text = closingTag().ReplaceAllString(text, " ")
	for _, m := range above().FindAllStringSubmatch(text, -1) {
		name := m[1]
		inside := project != "" && slices.Contains(strings.Split(name, "/"), project)
		if !inside && !common().MatchString(name) && !strings.HasPrefix(name, "...") {
			return true
		}
	}
	return false
}
