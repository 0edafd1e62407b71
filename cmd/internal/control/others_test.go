package control

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// there is a call from the edge of a machine.
func (w *world) there(t *testing.T, machine, method string, params any) (any, error) {
	t.Helper()
	return w.There(t.Context(), machine, method, func(into any) error {
		text, err := json.Marshal(params)
		if err != nil {
			return err
		}
		return json.Unmarshal(text, into)
	})
}

// TestAMachineAsksAsAProgramThere: its questions let no machine join, speak for no agent or pane of the bot's, and end.
func TestAMachineAsksAsAProgramThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() { w.settings.Expiry = time.Hour })
	q := nudge.ProgramQuestion{
		Text: "Deploy?", Options: []string{"yes", "no"}, Program: "deploy.sh", Project: "api", Machine: "gpu2", Name: "the boss", Where: "main:0.0",
		Agent: proc.ID{PID: os.Getpid(), Start: 1}, Door: true, Form: true, Join: true,
	}
	answer, err := w.there(t, "gpu1", "ask.create", q)
	if err != nil {
		t.Fatal(err)
	}
	n, _, err := w.cfg.Keeper.Find(answer.(Asked).ID)
	if err != nil {
		t.Fatal(err)
	}
	got := *n.Program()
	if lasts := n.Expires.Sub(n.Detected); got.Machine != "gpu1" || n.Process != (proc.ID{}) || got.Door || got.Form || got.Join || n.Name == q.Name || n.Where != "" ||
		lasts != time.Hour || !strings.HasPrefix(n.Project, "gpu1:") {
		t.Errorf("it asks %+v", n)
	}
	q.Program = " NOD "
	q.Timeout = time.Minute
	if answer, err = w.there(t, "gpu1", "ask.create", q); err != nil {
		t.Fatal(err)
	}
	if n, _, err = w.cfg.Keeper.Find(answer.(Asked).ID); err != nil || n.Agent != "a program" || n.Expires.Sub(n.Detected) != time.Minute {
		t.Errorf("it asks as %+v, %v", n, err)
	}
	for _, method := range []string{"ask.wait", "ask.cancel"} {
		if _, err := w.there(t, "gpu2", method, map[string]string{"id": n.ID}); err == nil {
			t.Errorf("%s: another machine has the question", method)
		}
	}
	q.Options, q.Text = nil, ""
	if _, err := w.there(t, "gpu1", "ask.create", q); err == nil {
		t.Error("a question of no words is asked")
	}
}

// TestAMachineSpeaksForItsOwnDeniedCalls: what another reports of them changes nothing.
func TestAMachineSpeaksForItsOwnDeniedCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	call := grant.Call{Session: "s", Tool: "Bash", Input: `{"command":"ls"}`}
	at := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Process: proc.ID{PID: 7, Start: 7}, Agent: "claude"}, State: screen.Working, At: time.Now(), By: "poll"}
	at.Pane.Machine = "gpu1"
	if err := w.cfg.Keeper.See(at); err != nil {
		t.Fatal(err)
	}
	of, _, ok, err := w.cfg.Keeper.Deny(at, nudge.Blocked{Call: call, Text: "ls"}, 0)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	state := func() grant.State {
		d, _, err := w.cfg.Keeper.DenialsOf(of.ID)
		if err != nil {
			t.Fatal(err)
		}
		return d.Calls[0].Grant.State
	}
	d, _, _ := w.cfg.Keeper.DenialsOf(of.ID)
	tap := nudge.Answer{Nudge: of.ID, By: nudge.Person{ID: "42", Name: "Ann"}, Way: nudge.ByButton, Ref: nudge.Ref{Place: "42", Update: 1, Message: 1}, Written: time.Now(), Read: time.Now()}
	if placed, err := w.cfg.Keeper.AllowDenied(tap, 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed, err)
	}
	agent := thereAgent{Pane: at.Pane, Process: at.Process}
	if word, err := w.there(t, "gpu2", "denial.before", thereCall{thereAgent: agent, Blocked: nudge.Blocked{Call: call}}); err != nil || word.(thereWord).Word != "" || state() != grant.Open {
		t.Fatalf("another machine's call: %+v, %v, %s", word, err, state())
	}
	if word, err := w.there(t, "gpu1", "denial.before", thereCall{thereAgent: agent, Blocked: nudge.Blocked{Call: call}}); err != nil || word.(thereWord).Word != nudge.Lets || state() != grant.Taken {
		t.Fatalf("its own call: %+v, %v, %s", word, err, state())
	}
	for _, machine := range []string{"gpu2", ""} {
		if _, err := w.there(t, machine, "denial.said", thereSaid{Denied: keeper.Denied{ID: of.ID}}); err != nil || state() != grant.Taken {
			t.Errorf("%q says that it was told: %s, %v", machine, state(), err)
		}
	}
	if _, err := w.there(t, "gpu1", "denial.said", thereSaid{Denied: keeper.Denied{ID: of.ID}}); err != nil || state() != grant.Used {
		t.Errorf("it says so itself: %s, %v", state(), err)
	}
}

// TestOnlyProjectsOfAgentsAreShared: the folder of a pane without one is none, and no folder is one.
func TestOnlyProjectsOfAgentsAreShared(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err == nil {
		err = os.Mkdir(filepath.Join(dir, ".git"), 0o700)
	}
	if err != nil {
		t.Fatal(err)
	}
	pane, top := w.paneIn(t, dir), w.paneIn(t, "/")
	for _, watched := range []bool{false, true} {
		w.set(func() {
			w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude"}}}
			if watched {
				w.panes = append(w.panes, detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane, Agent: "claude"}})
			}
		})
		if got := w.projects(t.Context()); slices.Contains(got, dir) != watched || slices.Contains(got, "") {
			t.Errorf("watched %t: %q", watched, got)
		}
		w.set(func() {
			w.panes = append(w.panes, detect.Sighting{Whereabouts: detect.Whereabouts{Pane: top, Agent: "claude"}})
		})
		if got := w.projects(t.Context()); slices.Contains(got, "") || slices.Contains(got, "/") {
			t.Errorf("with an agent in /: %q", got)
		}
	}
	w.agent(t, false)
	if f := faultOf(t, w.call(t, "file.share", ShareParams{Path: "file"}, nil)); f.Code != wrongParams && f.Reason != string(deliver.NotFound) {
		t.Errorf("a relative path: %+v", f)
	}
}

// paneIn opens a pane in dir. Its process is there once it has begun: until then it is where the tmux server is.
func (w *world) paneIn(t *testing.T, dir string) detect.PaneRef {
	t.Helper()
	begun := filepath.Join(t.TempDir(), "begun")
	if err := syscall.Mkfifo(begun, 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := exec.Command("tmux", "-S", w.own.Server.Socket, "new-session", "-d", "-P", "-F", "#{pane_id}", "-c", dir, "echo >"+begun+"; exec cat").Output()
	if err == nil {
		_, err = os.ReadFile(begun)
	}
	if err != nil {
		t.Fatal(err)
	}
	return detect.PaneRef{Server: w.own.Server, ID: strings.TrimSpace(string(id))}
}

// TestAnAgentAnswersNothingThatItRunsInTheBackground: the script that asks has lost its parents, as it does once the shell that began it has
// ended.
func TestAnAgentAnswersNothingThatItRunsInTheBackground(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, true)
	w.set(func() { w.settings.Expiry, w.settings.AgentsMayAnswer = time.Hour, settings.AgentsOthers })
	in, asks, err1 := os.Pipe()
	answers, out, err2 := os.Pipe()
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { asks.Close(); answers.Close() })
	shell := exec.Command("sh", "-c", `exec 3<&0; call "$0" <&3 &`, w.socket)
	shell.Stdin, shell.Stdout, shell.Stderr = in, out, os.Stderr
	if err := errors.Join(shell.Run(), in.Close(), out.Close()); err != nil {
		t.Fatal(err)
	}
	var a answer
	var asked Asked
	err := json.NewEncoder(asks).Encode(request{"ask.create", json.RawMessage(`{"question": "Deploy?"}`)})
	if err = errors.Join(err, json.NewDecoder(answers).Decode(&a)); err == nil {
		err = json.Unmarshal(a.Result, &asked)
	}
	if err != nil {
		t.Fatal(a, err)
	}
	if n, _, err := w.cfg.Keeper.Find(asked.ID); err != nil || n.Process != w.panes[0].Process {
		t.Errorf("it asks for the agent %v, %v", n.Process, err)
	}
	if !w.refusedAsAgent(t, "nudge.reply", ReplyParams{ID: asked.ID, Answer: "yes"}) {
		t.Error("the agent that runs it says yes")
	}
}

// TestNoAgentAnswersWhatIsNotThereYet: by the time the answer is taken it may be there, and be its own. An id is short enough to be guessed.
func TestNoAgentAnswersWhatIsNotThereYet(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, true)
	w.set(func() { w.settings.AgentsMayAnswer = settings.AgentsOthers })
	for method, params := range map[string]any{"nudge.reply": ReplyParams{ID: "k3f", Answer: "y"}, "instruction.cancel": IDParams{"k3f"}} {
		if !w.refusedAsAgent(t, method, params) {
			t.Errorf("%s is not refused", method)
		}
	}
}

// TestSizesOfFiles for people.
func TestSizesOfFiles(t *testing.T) {
	for bytes, want := range map[int]string{0: "0 bytes", 1<<10 - 1: "1023 bytes", 1 << 10: "1 KB", 1<<20 - 1: "1023 KB", 1 << 20: "1 MB", 3 << 19: "1.5 MB"} {
		if got := sizeOf(bytes); got != want {
			t.Errorf("%d: %q, want %q", bytes, got, want)
		}
	}
}
