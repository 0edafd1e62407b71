package deploy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/internal/reason"
)

// place is a machine with a new home folder and Claude Code of the given version.
func place(t *testing.T, version string) Place {
	t.Helper()
	return Place{
		Home:    t.TempDir(),
		Getenv:  func(string) string { return "" },
		Readers: func(string) []Reader { return []Reader{{"/opt/claude", version}} },
	}
}

func hook(t *testing.T, agent string, at Place, before string) Hook {
	t.Helper()
	h, ok := HookFor(agent, at)
	if !ok {
		t.Fatalf("no hook for %s", agent)
	}
	if before != "" {
		if err := os.MkdirAll(filepath.Dir(h.Path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(h.Path, []byte(before), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return "(no file)"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func must(t *testing.T, want bool, f func() (bool, error)) {
	t.Helper()
	if changed, err := f(); err != nil || changed != want {
		t.Fatalf("changed = %v, %v; want %v", changed, err, want)
	}
}

var settingsFiles = map[string]string{
	"none":              "",
	"empty object":      "{}",
	"one line":          `{"model":"opus","hooks":{"Stop":[{"matcher":"","hooks":[{"type":"command","command":"beep"}]}]}}`,
	"indented":          "{\n    \"model\": \"opus\",\n    \"permissions\": {\"allow\": []}\n}\n",
	"tabs and blanks":   "\t{ \"a\" :\t[ 1,2 , 3 ]\n\n}  ",
	"own hooks":         "{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"/opt/guard hook claude\"}]}\n    ]\n  }\n}\n",
	"comments":          "{\n  // mine\n  \"model\": \"opus\", /* why */\n}\n",
	"settings of hooks": `{"hooks":{"enabled":true,"off":["lint"]}}`,
	"empty hooks":       "{\"hooks\": {}}",
	"escapes":           `{"x":"é\u00e9\/","big":12345678901234567890.10}`,
}

func TestHooksComeAndGoWithoutATrace(t *testing.T) {
	for name, before := range settingsFiles {
		t.Run(name, func(t *testing.T) {
			h := hook(t, "claude", place(t, "2.1.329 (Claude Code)"), before)
			was := text(t, h.Path)
			must(t, true, func() (bool, error) { return h.Install("/home/ann/.local/bin/nod") })
			installed := text(t, h.Path)
			must(t, false, func() (bool, error) { return h.Install("/home/ann/.local/bin/nod") })
			if got := text(t, h.Path); got != installed {
				t.Errorf("a second install changed the file:\n%s", got)
			}
			must(t, true, func() (bool, error) { return h.Uninstall() })
			if got := text(t, h.Path); got != was {
				t.Errorf("after uninstall:\n%q\nwant\n%q", got, was)
			}
			must(t, false, func() (bool, error) { return h.Uninstall() })
			if left, _ := filepath.Glob(filepath.Dir(h.Path) + "/*nod*"); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

func TestHooksKeepWhatTheUserChangesMeanwhile(t *testing.T) {
	h := hook(t, "claude", place(t, "2.1.329"), "{\n  \"model\": \"opus\"\n}\n")
	must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
	changed := strings.Replace(text(t, h.Path), `"opus"`, `"sonnet"`, 1)
	if err := os.WriteFile(h.Path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, true, func() (bool, error) { return h.Uninstall() })
	if got, want := text(t, h.Path), "{\n  \"model\": \"sonnet\"\n}\n"; got != want {
		t.Errorf("after uninstall: %q, want %q", got, want)
	}
}

// TestHooksStayWhereAnAgentWritesItsFileAnew: with other blanks, and settings beside the events.
func TestHooksStayWhereAnAgentWritesItsFileAnew(t *testing.T) {
	for _, before := range []string{"{}", `{"hooks": {"enabled": true, "off": ["lint"]}}`} {
		h := hook(t, "gemini", place(t, "0.61.0"), before)
		must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
		var compact bytes.Buffer
		if err := errors.Join(json.Compact(&compact, []byte(text(t, h.Path))), os.WriteFile(h.Path, compact.Bytes(), 0o600)); err != nil {
			t.Fatal(err)
		}
		if s, err := h.State("/bin/nod"); s != Installed || err != nil {
			t.Errorf("%s: %v, %v", before, s, err)
		}
		must(t, false, func() (bool, error) { return h.Install("/bin/nod") })
	}
}

func TestHooksFollowTheProgram(t *testing.T) {
	h := hook(t, "claude", place(t, "2.1.329"), `{"model":"opus"}`)
	must(t, true, func() (bool, error) { return h.Install("/old/nod") })
	if s, err := h.State("/new place/nod"); s != Outdated || err != nil {
		t.Errorf("state = %s, %v", s, err)
	}
	must(t, true, func() (bool, error) { return h.Install("/new place/nod") })
	if got := text(t, h.Path); strings.Contains(got, "/old/") || !strings.Contains(got, `'/new place/nod' hook claude`) {
		t.Errorf("installed:\n%s", got)
	}
	if s, err := h.State("/new place/nod"); s != Installed || err != nil {
		t.Errorf("state = %s, %v", s, err)
	}
	must(t, true, func() (bool, error) { return h.Uninstall() })
	if got := text(t, h.Path); got != `{"model":"opus"}` {
		t.Errorf("after uninstall: %s", got)
	}
}

func TestHooksRefuseABrokenFile(t *testing.T) {
	for _, broken := range []string{`{"hooks": `, `[]`, `{"hooks": []}`, `{"hooks": {"Stop": {}}}`, "model = 1"} {
		h := hook(t, "claude", place(t, "2.1.329"), broken)
		if _, err := h.Install("/bin/nod"); err == nil {
			t.Errorf("%s: installed", broken)
		}
		if got := text(t, h.Path); got != broken {
			t.Errorf("%s became %s", broken, got)
		}
	}
	h := hook(t, "opencode", place(t, ""), "export const Mine = 1")
	if _, err := h.Install("/bin/nod"); err == nil {
		t.Error("a plugin that is not nod's was replaced")
	}
	must(t, false, h.Uninstall)
	if got := text(t, h.Path); got != "export const Mine = 1" {
		t.Errorf("a plugin that is not nod's became %s", got)
	}
}

// An event name that 2.0.54 does not know makes it ignore every hook in the file.
func TestHooksNameOnlyEventsThatTheVersionKnows(t *testing.T) {
	for version, want := range map[string][]string{
		"2.1.329 (Claude Code)": {"PermissionRequest", "PostToolUseFailure", "PermissionDenied", "Elicitation"},
		"2.1.166 (Claude Code)": {"PermissionRequest", "PostToolUseFailure", "PermissionDenied", "Elicitation"},
		"2.1.165 (Claude Code)": {"PermissionRequest", "PostToolUseFailure"},
		"2.1.9 (Claude Code)":   {"PermissionRequest", "PostToolUseFailure"},
		"2.0.54 (Claude Code)":  {"PermissionRequest"},
		"1.0.128":               {},
		"":                      {"PermissionRequest"},
	} {
		got := map[string]bool{}
		events, _ := agents.HooksOf("claude").Settings.EventsFor(version)
		for _, e := range events {
			got[e] = true
		}
		for _, e := range []string{"PermissionRequest", "PostToolUseFailure", "PermissionDenied", "Elicitation"} {
			wants := false
			for _, w := range want {
				wants = wants || w == e
			}
			if got[e] != wants {
				t.Errorf("%q: %s = %v, want %v", version, e, got[e], wants)
			}
		}
	}
}

// TestAHookThatWaitsForAHumanMayWait: its timeout is a day, and every other hook's is short.
func TestAHookThatWaitsForAHumanMayWait(t *testing.T) {
	h := hook(t, "claude", place(t, "2.1.329"), "")
	must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
	var file struct {
		Hooks map[string][]struct{ Hooks []struct{ Timeout int } }
	}
	if err := json.Unmarshal([]byte(text(t, h.Path)), &file); err != nil {
		t.Fatal(err)
	}
	for event, list := range file.Hooks {
		want := 5
		if event == "PermissionRequest" || event == "PermissionDenied" || event == "Elicitation" {
			want = 24 * 60 * 60
		}
		if got := list[0].Hooks[0].Timeout; got != want {
			t.Errorf("%s may wait for %d s, want %d", event, got, want)
		}
	}
}

func TestHooksOfEveryAgent(t *testing.T) {
	for _, agent := range agents.Hooked() {
		at := place(t, "2.1.329")
		h := hook(t, agent, at, "")
		must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
		if !strings.Contains(text(t, h.Path), "/bin/nod hook "+agent) {
			t.Errorf("%s: %s", agent, text(t, h.Path))
		}
		if strings.HasSuffix(h.Path, ".json") && !json.Valid([]byte(text(t, h.Path))) {
			t.Errorf("%s: not JSON:\n%s", agent, text(t, h.Path))
		}
		must(t, true, func() (bool, error) { return h.Uninstall() })
		if got := text(t, h.Path); got != "(no file)" {
			t.Errorf("%s: left %s", agent, got)
		}
	}
}

// TestTheFolderOfPluginsGoesWithTheLast: nod made it, unless it holds others.
func TestTheFolderOfPluginsGoesWithTheLast(t *testing.T) {
	for _, other := range []bool{false, true} {
		h := hook(t, "opencode", place(t, ""), "")
		folder := filepath.Dir(h.Path)
		must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
		if other {
			if err := os.WriteFile(filepath.Join(folder, "mine.js"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		must(t, true, h.Uninstall)
		if _, err := os.Stat(folder); (err == nil) != other {
			t.Errorf("with another plugin %v: %v", other, err)
		}
		if _, err := os.Stat(filepath.Dir(folder)); err != nil {
			t.Errorf("the agent's own folder: %v", err)
		}
	}
}

// TestHooksInUse: they are the hooks of agents whose settings folder exists.
func TestHooksInUse(t *testing.T) {
	at := place(t, "")
	for _, dir := range []string{".codex", ".config/opencode"} {
		if err := os.MkdirAll(filepath.Join(at.Home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var used []string
	for _, h := range HooksInUse(at) {
		used = append(used, h.Agent)
	}
	if got := strings.Join(used, " "); got != "codex opencode" {
		t.Errorf("in use: %s", got)
	}
}

func FuzzHooks(f *testing.F) {
	for _, s := range settingsFiles {
		f.Add(s)
	}
	j := jsonHooks{[]string{"SessionStart", "PermissionRequest", "Stop"}, matcherEntry("", func(string) int { return 5 })}
	f.Fuzz(func(t *testing.T, before string) {
		full, err := j.install([]byte(before), "/bin/nod hook claude")
		if err != nil {
			return
		}
		if !j.complete(full, "/bin/nod hook claude") {
			t.Fatalf("install is not complete:\n%s", full)
		}
		bare, err := j.remove(full)
		if err != nil {
			t.Fatalf("remove: %v\n%s", err, full)
		}
		if again, err := j.remove(bare); err != nil || string(again) != string(bare) {
			t.Fatalf("a second remove: %v\n%s\n%s", err, bare, again)
		}
	})
}

// draws is a source of random numbers. A failing test prints its seed.
func draws(t *testing.T) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	t.Logf("drawn with the seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// all calls every function that reads the file and returns the results.
func all(h Hook) map[string]error {
	said := map[string]error{}
	_, said["install"] = h.Install("/bin/nod")
	_, said["uninstall"] = h.Uninstall()
	_, said["status"] = h.State("/bin/nod")
	return said
}

// TestAKeyThatStandsTwiceIsRefused: an agent reads one of the two, and nod can't know which.
func TestAKeyThatStandsTwiceIsRefused(t *testing.T) {
	r := draws(t)
	h := hook(t, "claude", place(t, "2.1.329"), "{}")
	must(t, true, func() (bool, error) { return h.Install("/bin/nod") })
	var installed struct{ Hooks map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(text(t, h.Path)), &installed); err != nil {
		t.Fatal(err)
	}
	spelt := func(name string) string { // one letter may be written as its code
		i := r.IntN(len(name))
		if r.IntN(2) == 0 {
			return `"` + name + `"`
		}
		return fmt.Sprintf(`"%s\u%04x%s"`, name[:i], name[i], name[i+1:])
	}
	for range 300 {
		events := []string{}
		for _, event := range slices.Sorted(maps.Keys(installed.Hooks)) {
			events = append(events, `"`+event+`": `+string(installed.Hooks[event]))
		}
		ours, what := "{"+strings.Join(events, ", ")+"}", "hooks"
		members := []string{`"model": "opus"`, `"a": {"hooks": 1, "hooks": 2}`}
		if r.IntN(2) == 0 {
			other := []string{"{}", ours, `{"Stop": []}`, "null"}[r.IntN(4)]
			members = append(members, spelt("hooks")+": "+ours, spelt("hooks")+": "+other)
		} else {
			what = "Stop"
			events = append(events, spelt("Stop")+": "+[]string{"[]", string(installed.Hooks["Stop"]), "null"}[r.IntN(3)])
			r.Shuffle(len(events), func(i, j int) { events[i], events[j] = events[j], events[i] })
			members = append(members, spelt("hooks")+": {"+strings.Join(events, ", ")+"}")
		}
		r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
		before := "{ // mine\n" + strings.Join(members, ",\n") + "}\n"
		if err := os.WriteFile(h.Path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		for did, err := range all(h) {
			if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%q twice", what)) || text(t, h.Path) != before {
				t.Fatalf("%s of\n%s\nsaid %v, and left\n%s", did, before, err, text(t, h.Path))
			}
		}
	}
}

// TestWhatTheAdministratorForbids is reported for the hook of the agent concerned, whatever the user's own
// file says.
func TestWhatTheAdministratorForbids(t *testing.T) {
	at := place(t, "2.1.330")
	at.Root = agents.Administrator{Root: t.TempDir(), UID: os.Getuid()}
	for _, folder := range []string{"etc/claude-code", "Library/Application Support/ClaudeCode"} { // for Linux and macOS
		path := filepath.Join(at.Root.Root, folder, "managed-settings.json")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(`{"allowManagedHooksOnly": true}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	found := hook(t, "claude", at, `{"disableAllHooks": false, "permissions": {"denyInsteadOfPrompting": true}}`).Unasked()
	if len(found) != 2 || found[0].Kind != reason.HookMayAsk || found[1].Kind != reason.HooksForbidden {
		t.Errorf("it says %+v", found)
	}
	codex := hook(t, "codex", at, `{"hooks": {"Stop": [{"hooks": [{"command": "nod hook codex"}]}]}}`)
	if found := codex.Unasked(); len(found) != 1 || found[0].Kind != reason.HooksUntrusted {
		t.Errorf("of codex it says %+v", found)
	}
	trusted := "approval_policy = \"never\"\n[hooks.state.\"" + codex.Path + ":stop:0:0\"]\ntrusted_hash = \"x\"\n"
	if err := os.WriteFile(filepath.Join(filepath.Dir(codex.Path), "config.toml"), []byte(trusted), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := codex.Unasked(); len(found) != 1 || found[0].Kind != reason.DeniesUnasked {
		t.Errorf("of codex whose hooks are trusted it says %+v", found)
	}
}
