package agents

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
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

// machine is an administrator's folder for Claude Code below a new one that paths begin at.
func machine(t *testing.T) (root Administrator, folder string) {
	t.Helper()
	root = Administrator{Root: t.TempDir(), UID: os.Getuid()}
	folder = filepath.Join(root.Root, claudeManaged(runtime.GOOS))
	if err := os.MkdirAll(filepath.Join(folder, "managed-settings.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	return root, folder
}

func keep(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTheAdministratorsSettingsOverrideTheUsers, setting by setting, and a later one of its files an earlier one.
func TestTheAdministratorsSettingsOverrideTheUsers(t *testing.T) {
	const main, first, second = "managed-settings.json", "managed-settings.d/10-a.json", "managed-settings.d/20-b.json"
	const denies, asks = `{"permissions": {"denyInsteadOfPrompting": true}}`, `{"permissions": {"denyInsteadOfPrompting": false}}`
	for _, c := range []struct {
		name  string
		user  string
		files map[string]string
		want  []string // of each, its kind and what it names, with the file below the folder
	}{
		{"nothing is kept", `{"disableAllHooks": true}`, nil, []string{"hooks_off disableAllHooks"}},
		{"no hooks", `{}`, map[string]string{main: `{"disableAllHooks": true}`}, []string{"hooks_forbidden disableAllHooks in " + main}},
		{"no hooks, twice", `{"disableAllHooks": true}`, map[string]string{main: `{"disableAllHooks": true}`}, []string{"hooks_forbidden disableAllHooks in " + main}},
		{"hooks, whatever the user's say", `{"disableAllHooks": true}`, map[string]string{main: `{"disableAllHooks": false}`}, nil},
		{"its own hooks only", `{"disableAllHooks": true}`, map[string]string{first: `{"allowManagedHooksOnly": true}`}, []string{"hooks_forbidden allowManagedHooksOnly in " + first}},
		{"the user's say that", `{"allowManagedHooksOnly": true}`, map[string]string{main: `{}`}, nil},
		{"the user's take it back", `{"allowManagedHooksOnly": false}`, map[string]string{main: `{"allowManagedHooksOnly": true}`}, []string{"hooks_forbidden allowManagedHooksOnly in " + main}},
		{"a later file takes it back", `{}`, map[string]string{main: denies, first: denies, second: asks}, nil},
		{"a later file says so", asks, map[string]string{main: asks, first: asks, second: denies}, []string{"hook_may_ask permissions.denyInsteadOfPrompting in " + second}},
		{"a later file is silent", `{}`, map[string]string{main: denies, first: `{}`}, []string{"hook_may_ask permissions.denyInsteadOfPrompting in " + main}},
		{"a file that is not understood", denies, map[string]string{main: `{"disableAllHooks": `}, []string{"hook_may_ask permissions.denyInsteadOfPrompting"}},
		{"a setting of another type", `{"disableAllHooks": "yes", "permissions": {"denyInsteadOfPrompting": true}}`, nil, []string{"hook_may_ask permissions.denyInsteadOfPrompting"}},
		{"the mode", `{"permissions": {"defaultMode": "default"}}`, map[string]string{first: `{"permissions": {"defaultMode": "dontAsk"}}`}, []string{"denies_unasked don't ask mode (permissions.defaultMode in " + first + ")"}},
		{"a mode that asks", `{"permissions": {"defaultMode": "dontAsk"}}`, map[string]string{main: `{"permissions": {"defaultMode": "default"}}`}, nil},
		{"the user's mode, forbidden", `{"permissions": {"defaultMode": "bypassPermissions"}}`, map[string]string{main: `{"permissions": {"disableBypassPermissionsMode": "disable"}}`},
			[]string{"mode_forbidden bypass permissions (permissions.disableBypassPermissionsMode in " + main + ")"}},
		{"the user's mode, forbidden by themselves", `{"permissions": {"defaultMode": "bypassPermissions", "disableBypassPermissionsMode": "disable"}}`, map[string]string{main: `{}`},
			[]string{"mode_forbidden bypass permissions (permissions.disableBypassPermissionsMode)"}},
		{"files that Claude Code does not read", `{}`, map[string]string{"managed-settings.d/.x.json": denies, "managed-settings.d/x.json.old": denies}, nil},
	} {
		root, folder := machine(t)
		for name, text := range c.files {
			keep(t, filepath.Join(folder, name), text)
		}
		var got []string
		for _, why := range UnaskedBy("claude", append([]SettingsFile{{Text: []byte(c.user)}}, root.Files("claude")...)...) {
			got = append(got, string(why.Kind)+" "+strings.Replace(why.What, folder+"/", "", 1))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestOnlyTheAdministratorCanForbid: a file that somebody else owns or may write, or that is none, says nothing.
func TestOnlyTheAdministratorCanForbid(t *testing.T) {
	const forbids = `{"disableAllHooks": true}`
	for _, c := range []struct {
		name string
		make func(t *testing.T, path string, root *Administrator)
		want int
	}{
		{"its own", func(t *testing.T, path string, _ *Administrator) { keep(t, path, forbids) }, 1},
		{"another user's", func(t *testing.T, path string, root *Administrator) {
			keep(t, path, forbids)
			root.UID++
		}, 0},
		{"one that its group may write", func(t *testing.T, path string, _ *Administrator) {
			keep(t, path, forbids)
			chmod(t, path, 0o664)
		}, 0},
		{"one that all may write", func(t *testing.T, path string, _ *Administrator) {
			keep(t, path, forbids)
			chmod(t, path, 0o646)
		}, 0},
		{"a pipe", func(t *testing.T, path string, _ *Administrator) {
			if err := syscall.Mkfifo(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}, 0},
		{"a folder", func(t *testing.T, path string, _ *Administrator) {
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, 0},
	} {
		root, folder := machine(t)
		c.make(t, filepath.Join(folder, "managed-settings.json"), &root)
		files := root.Files("claude")
		found := UnaskedBy("claude", files...)
		if len(files) != c.want || len(found) != c.want || c.want == 1 && found[0].Kind != reason.HooksForbidden {
			t.Errorf("%s: %+v says %+v", c.name, files, found)
		}
	}
	root, folder := machine(t)
	keep(t, filepath.Join(folder, "managed-settings.json"), forbids)
	for _, agent := range []string{"codex", "gemini", "nobody"} {
		if files := root.Files(agent); files != nil {
			t.Errorf("%s has %+v", agent, files)
		}
	}
	if files := (Administrator{UID: root.UID}).Files("claude"); files != nil {
		t.Errorf("nobody keeps %+v", files)
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

// FuzzUnaskedBy: whatever a file of settings holds, no file of the user's own or of a project speaks for the administrator.
func FuzzUnaskedBy(f *testing.F) {
	f.Add([]byte(`{"disableAllHooks":true,"allowManagedHooksOnly":true,"permissions":{"denyInsteadOfPrompting":true}}`), []byte(`{"disableAllHooks":false}`))
	f.Add([]byte("approval_policy = \"never\"\napprovals_reviewer = \"auto_review\"\n[features]\nx = 1\n"), []byte("[profiles.a]\napproval_policy='on-request'"))
	f.Add([]byte(`{"permissions":null,"disableAllHooks":"yes","tools":{"approvalMode":"yolo"}}`), []byte("[1]"))
	f.Fuzz(func(t *testing.T, one, other []byte) {
		for _, agent := range Names() {
			for _, why := range UnaskedBy(agent, SettingsFile{Path: "/home/ann/a", Text: one}, SettingsFile{Path: "/home/ann/b", Text: other}) {
				if why.Kind == reason.HooksForbidden || why.IsZero() {
					t.Errorf("%s: %+v", agent, why)
				}
			}
			UnaskedBy(agent, SettingsFile{Path: "/home/ann/a", Text: one}, SettingsFile{Path: "/etc/b", Text: other, Managed: true})
		}
	})
}
