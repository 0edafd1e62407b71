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
