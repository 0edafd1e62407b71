package agents

import (
	"encoding/json"
	"strings"

	"nod/internal/reason"
)

// claudeHooks are the hooks of Claude Code. The notification of 1.0 about a permission dialog has no type, and no other event announces one
// (1.0.128: six seconds after the dialog was drawn), so that one has no door. That version may write its transcript after the hook has run.
// A hook that waits for the permission of a sub-agent's call holds its dialog back in 2.1.329, and not in 2.0.54.
var claudeHooks = Hooks{
	Failures: map[string]reason.Kind{ // 2.1.330, which reports an overload (529) as a server error
		"rate_limit": reason.LimitReached, "overloaded": reason.ServerFails, "server_error": reason.ServerFails, "billing_error": reason.NoCredit,
		"authentication_failed": reason.LoginExpired, "oauth_org_not_allowed": reason.LoginExpired, "cloud_credential_error": reason.LoginExpired,
		"account_on_hold": reason.AccountHeld, "verification_required": reason.AccountHeld,
	},
	UntypedDialog: "Claude needs your permission",
	Version:       "version",
	VersionIn:     claudeVersion,
	Escaped:       claudeEscaped,
	Door: &Door{
		Event:     "permissionrequest",
		Proven:    Proven{"2.1.332", "2.1.330", "2.1.329", "2.1.166", "2.1.9", "2.0.54"},
		Questions: []string{"AskUserQuestion", "EnterPlanMode", "ExitPlanMode"},
		Allow:     `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}`,
		Deny:      claudeDenial("The human denied this. Don't try the same another way: ask what to do instead."),
		DenySaying: func(words string) string {
			return claudeDenial("The human denied this, and says: " + words)
		},
	},
	// A guard's flag is not applied to a call that the hook before it allows, nor to one that a person allows in the dialog that such a hook
	// asks for (2.1.332, 2.1.330, 2.1.166). That dialog has a yes that lasts for other tools than Bash and Read, and in 2.1.166 nothing sets
	// what the hook says apart from the command. Escape at the terminal ends the hook that waits with SIGTERM.
	Guard: &Guard{
		Event: "permissiondenied", Proven: Proven{"2.1.332", "2.1.330", "2.1.166"},
		Remarks: map[string][]string{"Bash": {"description"}},
		Retry:   `{"hookSpecificOutput":{"hookEventName":"PermissionDenied","retry":true}}`,
		Allow:   `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","permissionDecisionReason":"The human allowed this call, once."}}`,
		Ask:     `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask","permissionDecisionReason":"Allowed once by way of nod, which answers here."}}`,
		Asks:    map[string][]string{"2.1.332": {"Bash"}, "2.1.330": {"Bash"}},
		Silent:  Proven{"2.1.332", "2.1.330"}, // 2.1.166 knows no such setting, and draws its dialog
		Deny:    `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"The human was asked about this call and left it denied. Don't try it again: go on without it, or ask."}}`,
	},
	// Escape at the terminal ends no hook that waits with a form (2.1.332, 2.1.330, 2.1.166): it interrupts the turn, and the form's
	// dialog comes when the hook has ended.
	Forms: &Forms{
		Event: "elicitation", Proven: Proven{"2.1.332", "2.1.330", "2.1.166"},
		Accept: func(content string) string {
			return `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":` + content + `}}`
		},
		Decline: `{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}`,
	},
	Sessions: &Sessions{Program: "claude", Args: []string{"agents", "--json"}, Proven: Proven{"2.1.332", "2.1.330"}},
	Settings: HookSettings{
		Variable: "CLAUDE_CONFIG_DIR", Folder: ".claude", File: "settings.json", Form: Matchers, Timeout: 5, Waits: 24 * 60 * 60, Later: claudeLater,
		Events: []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Notification", "Stop", "SubagentStop", "SessionEnd"},
	},
}

// claudeDenial is what the hook prints to deny: the model reads the message as the result of its call.
func claudeDenial(message string) string {
	quoted, _ := json.Marshal(message) // a string can't fail
	return `{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"deny","message":` + string(quoted) + `}}}`
}

// claudeEscaped: Escape leaves a message of the person's, while the model answers and while a tool runs, and so does a no to a dialog that is
// typed (2.1.330, 2.1.166). What a person types themselves is a string there, and no list.
func claudeEscaped(lines Lines) map[string]json.RawMessage {
	for line := range lines {
		var message struct {
			Role    string `json:"role"`
			Content []struct {
				Text string `json:"text"`
			} `json:"content"`
		}
		if string(line["isSidechain"]) != "true" && json.Unmarshal(line["message"], &message) == nil && message.Role == "user" &&
			len(message.Content) == 1 && strings.HasPrefix(message.Content[0].Text, "[Request interrupted by user") {
			return line
		}
	}
	return nil
}

// claudeLater are the events that not every version knows. An unknown one makes 2.0.54 drop every hook in the file, and stops 2.1.9
// and 2.1.166 at their start. Which version between those two was the first to know the last of them was not tried.
var claudeLater = []LaterEvents{
	{Since: "2.0.0", Unread: true, Names: []string{"PermissionRequest"}},
	{Since: "2.1.0", Names: []string{"PostToolUseFailure"}},
	{Since: "2.1.166", Names: []string{"PermissionDenied", "StopFailure", "Elicitation"}},
}

// claudeVersion reads what Claude Code (2.1.330) sets for itself and its hooks: "claude-code_2-1-330_harness". What it runs
// for its user gets another ending, so that an older one inside of it does not pass for it.
func claudeVersion(getenv func(string) string) string {
	version, ours := strings.CutPrefix(getenv("AI_AGENT"), "claude-code_")
	version, own := strings.CutSuffix(version, "_harness")
	if !ours || !own {
		return ""
	}
	return strings.ReplaceAll(version, "-", ".")
}

// claudePolicy is that of Claude Code: 2.1.330, which starts in auto mode by itself where an API key is set and nothing else.
var claudePolicy = policy{
	modes: []mode{
		{reason.RunsUnasked, "bypass permissions", []string{"--dangerously-skip-permissions", "--permission-mode bypassPermissions"}, "bypassPermissions", []string{"bypass permissions on"}},
		{reason.DeniesUnasked, "don't ask mode", []string{"--permission-mode dontAsk"}, "dontAsk", []string{"don't ask on"}},
		{reason.GuardDecides, "auto mode", []string{"--permission-mode auto"}, "auto", []string{"auto mode on"}},
		{args: []string{"--permission-mode default", "--permission-mode acceptEdits", "--permission-mode plan"}}, // they ask
	},
	asks:    []string{"manual mode on", "accept edits on", "plan mode on"},
	own:     []string{"settings.json"},
	project: []string{".claude/settings.json", ".claude/settings.local.json"},
	managed: claudeManaged,
	read:    claudeSettled,
}

// claudeManaged is the folder of the administrator's settings for Claude Code on a system.
func claudeManaged(system string) string {
	if system == "darwin" {
		return "Library/Application Support/ClaudeCode"
	}
	return "etc/claude-code"
}

// claudeSettled says what files of Claude Code's settings mean for the calls that it asks about. A later file overrides an earlier
// one, setting by setting; which hooks may run is only the administrator's to say. Its arguments override the mode that it starts in, and
// neither they nor that setting switch bypass permissions on where any file forbids that (2.1.330). Not every version obeys denyInsteadOfPrompting.
func claudeSettled(files []SettingsFile) (s Settled) {
	s.Starts, s.StartsBy, _ = latest[string](files, "permissions.defaultMode", nil)
	_, s.Barred, _ = latest(files, "permissions.disableBypassPermissionsMode", func(_ SettingsFile, value string) bool { return value == "disable" })
	if deny, by, _ := latest[bool](files, "permissions.denyInsteadOfPrompting", nil); deny {
		s.Found = append(s.Found, reason.Why{Kind: reason.HookMayAsk, What: by})
	}
	off, by, managed := latest[bool](files, "disableAllHooks", nil)
	only, onlyBy, _ := latest(files, "allowManagedHooksOnly", func(file SettingsFile, _ bool) bool { return file.Managed })
	switch {
	case off && managed:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: by})
	case only:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksForbidden, What: onlyBy})
	case off:
		s.Found = append(s.Found, reason.Why{Kind: reason.HooksOff, What: by})
	}
	return s
}
