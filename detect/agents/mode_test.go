package agents

import (
	"testing"

	"nod/internal/reason"
)

// TestWhatWillNeverAsk: what an agent shows counts first, then what its hook told last, then how it was started.
func TestWhatWillNeverAsk(t *testing.T) {
	foot := func(row string) []string {
		return []string{"auto mode on, said the model", "", "", "────", "❯", "────", row}
	}
	bypass := []string{"node", "claude", "--dangerously-skip-permissions"}
	for _, c := range []struct {
		name   string
		agent  string
		args   []string
		event  string
		screen []string
		want   reason.Kind
	}{
		{"nothing is known", "claude", []string{"claude"}, "", nil, ""},
		{"started so", "claude", bypass, "", nil, reason.RunsUnasked},
		{"started so, in one word", "claude", []string{"claude", "--permission-mode=dontAsk"}, "", nil, reason.DeniesUnasked},
		{"started so, in two", "claude", []string{"claude", "--permission-mode", "auto", "-c"}, "", nil, reason.GuardDecides},
		{"a word of its prompt", "claude", []string{"claude", "what does --dangerously-skip-permissions-please do"}, "", nil, ""},
		{"a prompt of one argument that names it", "claude", []string{"claude", "what does --dangerously-skip-permissions do"}, "", nil, ""},
		{"two arguments that are none together", "claude", []string{"claude", "--permission-mode", "plan", "dontAsk"}, "", nil, ""},
		{"the model says so above it", "claude", []string{"claude"}, "", []string{"⏵⏵ bypass permissions on", "❯", "────", "⏸ manual mode on"}, ""},
		{"the model says so in a sentence", "claude", []string{"claude"}, "", []string{"Now bypass permissions on your side", "❯", "────"}, ""},
		{"its hook says otherwise", "claude", bypass, "default", nil, ""},
		{"its hook says so", "claude", []string{"claude"}, "dontAsk", nil, reason.DeniesUnasked},
		{"it shows that it asks", "claude", bypass, "bypassPermissions", foot("⏸ manual mode on · ? for shortcuts"), ""},
		{"it shows another mode", "claude", bypass, "", foot("⏵⏵ auto mode on (shift+tab to cycle)"), reason.GuardDecides},
		{"codex never asks", "codex", []string{"codex", "-a", "never"}, "", nil, reason.DeniesUnasked},
		{"codex never asks, by a setting", "codex", []string{"codex", "-c", `approval_policy="never"`}, "", nil, reason.DeniesUnasked},
		{"codex without a sandbox", "codex", []string{"codex", "--dangerously-bypass-approvals-and-sandbox"}, "", nil, reason.RunsUnasked},
		{"qwen", "qwen", []string{"node", "qwen"}, "", foot("  YOLO mode (shift + tab to cycle)"), reason.RunsUnasked},
		{"qwen left it", "qwen", []string{"node", "qwen", "--yolo"}, "", foot("  auto-accept edits (shift + tab to cycle)"), ""},
		{"gemini", "gemini", []string{"gemini"}, "", foot(" YOLO Ctrl+Y"), reason.RunsUnasked},
		{"copilot", "copilot", []string{"copilot", "--allow-all-tools"}, "", nil, reason.RunsUnasked},
		{"nobody's", "nobody", []string{"x", "--yolo"}, "bypassPermissions", foot("YOLO"), ""},
	} {
		if got := Unasked(c.agent, c.args, c.event, Settled{}, ModeShown(c.agent, c.screen)); got.Kind != c.want {
			t.Errorf("%s: %+v, want %q", c.name, got, c.want)
		}
	}
}

// TestTheModeThatSettingsStartIn counts where nothing else tells one, and a mode that settings forbid is not on (2.1.330).
func TestTheModeThatSettingsStartIn(t *testing.T) {
	bypass := []string{"claude", "--dangerously-skip-permissions"}
	starts := func(mode string) Settled { return Settled{Starts: mode, StartsBy: "s in f"} }
	barred := Settled{Barred: "d in f"}
	for _, c := range []struct {
		name    string
		args    []string
		event   string
		settled Settled
		foot    string
		want    reason.Why
	}{
		{"dontAsk", []string{"claude"}, "", starts("dontAsk"), "", reason.Why{Kind: reason.DeniesUnasked, What: "don't ask mode (s in f)"}},
		{"bypass", []string{"claude"}, "", starts("bypassPermissions"), "", reason.Why{Kind: reason.RunsUnasked, What: "bypass permissions (s in f)"}},
		{"a mode that asks", []string{"claude"}, "", starts("plan"), "", reason.Why{}},
		{"none", []string{"claude"}, "", starts(""), "", reason.Why{}},
		{"its arguments say another", []string{"claude", "--permission-mode", "auto"}, "", starts("dontAsk"), "", reason.Why{Kind: reason.GuardDecides, What: "auto mode"}},
		{"its arguments say one that asks", []string{"claude", "--permission-mode=default"}, "", starts("dontAsk"), "", reason.Why{}},
		{"its hook says one that asks", []string{"claude"}, "default", starts("dontAsk"), "", reason.Why{}},
		{"it shows one that asks", []string{"claude"}, "", starts("dontAsk"), "⏸ manual mode on", reason.Why{}},
		{"bypass, forbidden", bypass, "", barred, "", reason.Why{Kind: reason.ModeForbidden, What: "bypass permissions (d in f)"}},
		{"bypass by settings, forbidden", []string{"claude"}, "", Settled{Starts: "bypassPermissions", StartsBy: "s", Barred: "d in f"}, "", reason.Why{Kind: reason.ModeForbidden, What: "bypass permissions (d in f)"}},
		{"bypass, and it is on for all that", bypass, "", barred, "⏵⏵ bypass permissions on", reason.Why{Kind: reason.RunsUnasked, What: "bypass permissions"}},
		{"auto mode, where bypass is forbidden", []string{"claude", "--permission-mode", "auto"}, "", barred, "", reason.Why{Kind: reason.GuardDecides, What: "auto mode"}},
	} {
		var screen []string
		if c.foot != "" {
			screen = []string{c.foot}
		}
		if got := Unasked("claude", c.args, c.event, c.settled, ModeShown("claude", screen)); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

// TestSettingsThatNeverAsk: a file that is not understood says nothing.
func TestSettingsThatNeverAsk(t *testing.T) {
	for _, c := range []struct {
		agent, file string
		want        []reason.Kind
	}{
		{"claude", `{"permissions": {"denyInsteadOfPrompting": true}}`, []reason.Kind{reason.HookMayAsk}},
		{"claude", `{"denyInsteadOfPrompting": true}`, nil}, // 2.1.330 ignores it there
		{"claude", `{"disableAllHooks": true, "permissions": {"denyInsteadOfPrompting": true}}`, []reason.Kind{reason.HookMayAsk, reason.HooksOff}},
		{"claude", `{"permissions": [`, nil},
		{"claude", `{"allowManagedHooksOnly": true}`, nil}, // the administrator's alone to say
		{"claude", `{"permissions": {"defaultMode": "bypassPermissions"}}`, []reason.Kind{reason.RunsUnasked}},
		{"claude", `{"permissions": {"defaultMode": "default"}}`, nil},
		{"claude", `{"permissions": {"defaultMode": "bypassPermissions", "disableBypassPermissionsMode": "disable"}}`, []reason.Kind{reason.ModeForbidden}},
		{"claude", `{"permissions": {"disableBypassPermissionsMode": "disable"}}`, nil}, // nothing asks for that mode
		{"codex", "model = \"x\"\napprovals_reviewer = \"auto_review\"\n", []reason.Kind{reason.GuardDecides}},
		{"codex", "[profiles.x]\napprovals_reviewer = \"auto_review\"\n", nil},
		{"codex", "approval_policy = \"never\" # said ann\nsandbox_mode = \"workspace-write\"\n", []reason.Kind{reason.DeniesUnasked}},
		{"codex", "approval_policy = 'never'\nsandbox_mode = 'danger-full-access'\n", []reason.Kind{reason.RunsUnasked}},
		{"codex", "approval_policy = \"on-request\"\n[profiles.x]\napproval_policy = \"never\"\n", nil},
		{"qwen", `{"tools": {"approvalMode": "yolo"}}`, []reason.Kind{reason.RunsUnasked}},
		{"qwen", `{"tools": {"approvalMode": "auto"}}`, []reason.Kind{reason.GuardDecides}},
		{"qwen", `{"tools": {"approvalMode": "default"}}`, nil},
		{"nobody", `{"disableAllHooks": true}`, nil},
	} {
		got := UnaskedBy(c.agent, SettingsFile{Text: []byte(c.file)})
		if len(got) != len(c.want) {
			t.Errorf("%s: %s says %+v, want %v", c.agent, c.file, got, c.want)
			continue
		}
		for i, why := range got {
			if why.Kind != c.want[i] || why.What == "" {
				t.Errorf("%s: %s says %+v, want %v", c.agent, c.file, got, c.want)
			}
		}
	}
}

// TestHooksThatNobodyTrustsAreSaid: Codex (0.169.0) keeps in its settings which hooks it may run, and runs no other.
func TestHooksThatNobodyTrustsAreSaid(t *testing.T) {
	const ours = `{"hooks": {"PreToolUse": [{"hooks": [{"command": "/usr/bin/theirs"}]}, {"hooks": [{"command": "/usr/bin/nod hook codex"}]}]}}`
	trusts := func(key string) string {
		return "[hooks.state]\n\n[hooks.state.\"" + key + "\"]\ntrusted_hash = \"sha256:37\"\n"
	}
	for name, c := range map[string]struct {
		config, hooks string
		untrusted     bool
	}{
		"nothing is trusted":      {"", ours, true},
		"another hook is trusted": {trusts("/home/ann/.codex/hooks.json:pre_tool_use:0:0"), ours, true},
		"nod's is trusted":        {trusts("/home/ann/.codex/hooks.json:pre_tool_use:1:0"), ours, false},
		"by another path of home": {trusts("/disk2/ann/.codex/hooks.json:pre_tool_use:1:0"), ours, false},
		"nod has none there":      {"", `{"hooks": {"Stop": [{"hooks": [{"command": "/usr/bin/theirs"}]}]}}`, false},
		"it does not parse":       {"", `{"hooks": [`, false},
	} {
		found := UnaskedBy("codex", SettingsFile{Path: "/home/ann/.codex/config.toml", Text: []byte(c.config)}, SettingsFile{Path: "/home/ann/.codex/hooks.json", Text: []byte(c.hooks)})
		if c.untrusted != (len(found) == 1 && found[0].Kind == reason.HooksUntrusted) || !c.untrusted && len(found) > 0 {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
