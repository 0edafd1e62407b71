package detect

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// TestSettingsAreReadAgain: a file of the agent's settings counts as it is by then, and one that is no file of this user's says nothing.
func TestSettingsAreReadAgain(t *testing.T) {
	home, folder, now := t.TempDir(), t.TempDir(), time.Now()
	t.Setenv("HOME", home)
	path := filepath.Join(folder, ".claude", "settings.json")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	agent := proc.Process{ID: proc.ID{PID: 7}, Args: []string{"claude", "--permission-mode", "dontAsk"}}
	p := newAgentPane(newFileQuestions(), tmux.Pane{ID: "%1", Path: folder}, "claude", agent.ID, now)
	p.files.root = agents.Administrator{}
	p.project.of(folder, p.files)
	p.policy.args = agent.Args
	want := func(when string, known *session, kinds ...reason.Kind) {
		t.Helper()
		got := p.unasked(known, now)
		same := len(got) == len(kinds)
		for i := range got {
			same = same && got[i].Kind == kinds[i]
		}
		if !same {
			t.Errorf("%s: %+v, want %v", when, got, kinds)
		}
	}
	want("no settings", nil, reason.DeniesUnasked)
	write(`{"disableAllHooks": true}`)
	want("they were just read", nil, reason.DeniesUnasked)
	now = now.Add(policyAge)
	want("they say so now", &session{mode: "default"}, reason.HooksOff)
	write(`{}`)
	now = now.Add(policyAge)
	want("they say so no more", &session{mode: "auto"}, reason.GuardDecides)
	p.tail = []string{"⏵⏵ bypass permissions on"}
	p.readMode()
	want("the row under its input box", &session{mode: "auto"}, reason.RunsUnasked)
	p.reading.Prompt = new(screen.Prompt)
	p.readMode()
	want("a row of what it asks", &session{mode: "auto"}, reason.GuardDecides)
	p.reading.Prompt, p.tail = nil, nil
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	now = now.Add(policyAge)
	want("no file", nil, reason.DeniesUnasked)
	p.files.root = agents.Administrator{Root: t.TempDir(), UID: os.Getuid()}
	path = filepath.Join(p.files.root.Root, "etc/claude-code/managed-settings.json")
	if runtime.GOOS == "darwin" {
		path = filepath.Join(p.files.root.Root, "Library/Application Support/ClaudeCode/managed-settings.json")
	}
	write(`{"allowManagedHooksOnly": true}`)
	now = now.Add(policyAge)
	want("the administrator's say so", nil, reason.DeniesUnasked, reason.HooksForbidden)
	p.policy.args = []string{"claude", "--dangerously-skip-permissions"}
	write(`{"permissions": {"disableBypassPermissionsMode": "disable"}}`)
	want("they were just read", nil, reason.RunsUnasked, reason.HooksForbidden)
	now = now.Add(policyAge)
	want("the administrator's forbid the mode", nil, reason.ModeForbidden)
	write(`{"permissions": {"defaultMode": "dontAsk"}}`)
	now, p.policy.args = now.Add(policyAge), []string{"claude"}
	want("the administrator's mode", nil, reason.DeniesUnasked)
	want("its own event tells another", &session{mode: "default"})
}

// TestTheArgumentsOfTheAgentCount: those that a pane's agent was started with, not another program's in its foreground.
func TestTheArgumentsOfTheAgentCount(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	agent := runs("claude")
	agent[0].Args = append(agent[0].Args, "--dangerously-skip-permissions")
	s.run("%1", append(shell(), agent...))
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		poll(1)
		if got := w.Panes(); len(got) != 1 || len(got[0].Unasked) != 1 || got[0].Unasked[0].Kind != reason.RunsUnasked {
			t.Errorf("%+v", got)
		}
	})
}

// TestPanesShareWhatTheirSettingsSay: agents in one folder have their files read once, and no pane goes by what is older than policyAge.
func TestPanesShareWhatTheirSettingsSay(t *testing.T) {
	files, reads, text := newFileQuestions(), 0, ""
	files.root, files.tail = agents.Administrator{}, func(string) []byte { reads++; return []byte(text) }
	panes := map[string]*agentPane{}
	for pane, path := range map[string]string{"%1": "/w/api", "%2": "/w/api", "%3": "/w/web"} {
		panes[pane] = newAgentPane(files, tmux.Pane{ID: pane, Path: path}, "claude", proc.ID{PID: 7}, time.Now())
		panes[pane].project.path = path
	}
	now := time.Now()
	hooksOff := func(pane string, after time.Duration) bool {
		now = now.Add(after)
		return len(panes[pane].unasked(nil, now)) > 0
	}
	if hooksOff("%1", 0) || reads != 3 {
		t.Errorf("%d files were read for the first pane, want three", reads)
	}
	text = `{"disableAllHooks": true}`
	if hooksOff("%2", policyAge/2) || reads != 3 {
		t.Errorf("%d files were read for two panes in one folder, want three", reads)
	}
	if !hooksOff("%3", 0) || reads != 6 {
		t.Errorf("%d files were read for another folder besides, want six", reads)
	}
	if !hooksOff("%2", policyAge/2) || !hooksOff("%1", 0) || reads != 9 {
		t.Errorf("%d files were read once they were due again, want nine", reads)
	}
	if hooksOff("%3", policyAge/2); len(files.settled) != 2 {
		t.Errorf("the answers for %d folders are kept, want two", len(files.settled))
	}
}

// TestUntrustedHooksAreSaidUntilOneRuns: an agent may be started so that it runs them all the same.
func TestUntrustedHooksAreSaidUntilOneRuns(t *testing.T) {
	p := newAgentPane(newFileQuestions(), tmux.Pane{ID: "%1"}, "codex", proc.ID{PID: 7}, time.Now())
	p.policy.Found, p.policy.read = []reason.Why{{Kind: reason.HooksUntrusted}, {Kind: reason.GuardDecides}}, time.Now()
	if got := p.unasked(nil, time.Now()); len(got) != 2 {
		t.Errorf("before any event it says %+v", got)
	}
	if got := p.unasked(&session{}, time.Now()); len(got) != 1 || got[0].Kind != reason.GuardDecides {
		t.Errorf("after one it says %+v", got)
	}
}

// TestNoDialogIsSaidOnlyOfAVersionThatWasProven: another one may draw it all the same.
func TestNoDialogIsSaidOnlyOfAVersionThatWasProven(t *testing.T) {
	p := newAgentPane(newFileQuestions(), tmux.Pane{ID: "%1"}, "claude", proc.ID{PID: 7}, time.Now())
	p.policy.Found, p.policy.read = []reason.Why{{Kind: reason.HookMayAsk}}, time.Now()
	heard := func(version string) *session {
		path := filepath.Join(t.TempDir(), "s.jsonl")
		if err := os.WriteFile(path, []byte(`{"version":"`+version+`"}`+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		s := new(session)
		s.hear(HookEvent{Kind: Started, Session: "a", Transcript: path}, time.Now())
		s.hear(HookEvent{Kind: Before, Session: "a", Subagent: true, Transcript: "/other"}, time.Now())
		return s
	}
	for name, c := range map[string]struct {
		known *session
		want  reason.Kind
	}{
		"no event":        {nil, reason.HookMayAsk},
		"no version":      {new(session), reason.HookMayAsk},
		"one that draws":  {heard("2.1.166"), reason.HookMayAsk},
		"one that denies": {heard("2.1.330"), reason.OnlyHookAsks},
	} {
		if got := p.unasked(c.known, time.Now()); len(got) != 1 || got[0].Kind != c.want {
			t.Errorf("%s: %+v, want %s", name, got, c.want)
		}
	}
}

// TestTheModeOfASubagentIsNotTheSessions: only the session's own events tell its mode, and a new session keeps what its first one tells.
func TestTheModeOfASubagentIsNotTheSessions(t *testing.T) {
	var s session
	for _, e := range []HookEvent{
		{Kind: Submitted, Session: "a", Mode: "auto"}, {Kind: Before, Session: "a", Mode: "bypassPermissions", Subagent: true}, {Kind: Stopped, Session: "a"},
	} {
		s.hear(e, time.Now())
	}
	if s.mode != "auto" {
		t.Errorf("the mode is %q", s.mode)
	}
	if s.hear(HookEvent{Kind: Started, Session: "b", Mode: "plan"}, time.Now()); s.mode != "plan" {
		t.Errorf("the next session's mode is %q", s.mode)
	}
	if s.hear(HookEvent{Kind: Started, Session: "c"}, time.Now()); s.mode != "" {
		t.Errorf("a session that told no mode has that of the one before: %q", s.mode)
	}
}
