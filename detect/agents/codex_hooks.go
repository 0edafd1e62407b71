package agents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"nod/internal/reason"
	"nod/internal/text/lazy"
)

// codexHooks are the hooks of Codex.
var codexHooks = Hooks{
	Message: "payload",
	Denied:  codexDeniedIn,
	Escaped: codexEscaped,
	Settings: HookSettings{
		Variable: "CODEX_HOME", Folder: ".codex", File: "hooks.json", Form: Matchers, Timeout: 5,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest", "PostToolUse", "Stop", "SessionEnd"},
		Note:   "Codex asks once to review new hooks: open /hooks in it and trust them",
	},
}

// codexPolicy is that of Codex: 0.169.0, whose hooks call it bypassing where it never asks, whatever its sandbox forbids.
var codexPolicy = policy{
	modes: []mode{
		{does: reason.RunsUnasked, name: "no approvals", args: []string{"--dangerously-bypass-approvals-and-sandbox", "--yolo"}, event: "bypassPermissions"},
		{
			does: reason.DeniesUnasked, name: "approval policy never", event: "never", // in its settings alone
			args: []string{"--ask-for-approval never", "-a never", "-c approval_policy=never", `-c approval_policy="never"`},
		},
		{does: reason.GuardDecides, name: "auto-review", args: []string{"--approve-for-me"}},
		{args: []string{"--ask-for-approval on-request", "-a on-request", "--ask-for-approval untrusted", "-a untrusted"}}, // they ask
	},
	own:    []string{"config.toml", "hooks.json"},
	read:   codexSettled,
	denied: codexDeniedOn,
	grants: &codexGrants,
}

// codexSettled says what files of Codex's settings mean for the calls that it asks about.
func codexSettled(files []SettingsFile) (s Settled) {
	var config []byte
	for _, file := range files {
		if strings.HasSuffix(file.Path, ".json") {
			if codexUntrusted(file, config) {
				s.Found = append(s.Found, reason.Why{Kind: reason.HooksUntrusted, What: filepath.Base(file.Path)})
			}
			continue
		}
		config = file.Text
		if file.says("approvals_reviewer") == "auto_review" {
			s.Found = append(s.Found, reason.Why{Kind: reason.GuardDecides, What: "approvals_reviewer"})
		}
		if file.says("approval_policy") == "never" {
			s.Starts, s.StartsBy = "never", "approval_policy"
			if file.says("sandbox_mode") == "danger-full-access" {
				s.Starts = "bypassPermissions"
			}
		}
	}
	return s
}

// codexUntrusted reports whether a file of Codex's hooks has one of nod's that nobody has trusted: 0.169.0 runs none of those, and keeps in
// its settings which it may run, by their file, event and place in it.
func codexUntrusted(file SettingsFile, config []byte) bool {
	var given struct {
		Hooks map[string][]struct {
			Hooks []struct {
				Command string `json:"command"`
			} `json:"hooks"`
		} `json:"hooks"`
	}
	if json.Unmarshal(file.Text, &given) != nil {
		return false
	}
	// The home folder may have another path in Codex's eyes.
	name := filepath.Join(filepath.Base(filepath.Dir(file.Path)), filepath.Base(file.Path))
	for event, groups := range given.Hooks {
		for i, group := range groups {
			for j, hook := range group.Hooks {
				key := strconv.Quote(fmt.Sprintf("/%s:%s:%d:%d", name, snake(event), i, j))[1:] + "]\ntrusted_hash"
				if strings.HasSuffix(hook.Command, " hook codex") && !bytes.Contains(config, []byte(key)) {
					return true
				}
			}
		}
	}
	return false
}

// snake writes the name of an event as Codex's settings do: PreToolUse is pre_tool_use.
func snake(event string) string {
	return strings.ToLower(wordBegins().ReplaceAllString(event, "${1}_$2"))
}

var wordBegins = lazy.MustCompile(`(.)([A-Z])`)
