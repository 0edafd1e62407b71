package control

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/nudge/grant"
)

// hookSocket names the socket that a test's `nod hook AGENT` calls.
const hookSocket = "HOOK_SOCKET"

// outside is an agent in no pane, with a hook that sends its events.
type outside struct {
	seat
	agent proc.ID
	hook  int // the hook's process
	told  *toldOf
}

// toldOf are the events that were passed to the chat.
type toldOf struct {
	mu   sync.Mutex
	list []detect.HookEvent
}

func (o *toldOf) take() []detect.HookEvent {
	o.mu.Lock()
	defer o.mu.Unlock()
	list := o.list
	o.list = nil
	return list
}

// startOutside starts a program called claude that calls its hook, or another program that does so.
func startOutside(t *testing.T, w *world, below ...string) *outside {
	t.Helper()
	sh, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Fatal(err)
	}
	claude := filepath.Join(t.TempDir(), "claude")
	if err := testrun.WriteProgram(claude, sh); err != nil {
		t.Fatal(err)
	}
	script := "exec 3<&0; nod hook claude <&3 & echo $!; wait"
	if len(below) > 0 {
		script = "exec 3<&0; " + below[0] + " & wait"
	}
	cmd := exec.Command(claude, "-c", script)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), hookSocket + "=" + w.socket, "GORACE=atexit_sleep_ms=0"}
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	o := &outside{seat: seat{json.NewEncoder(in), json.NewDecoder(out)}, told: &toldOf{}}
	if err := o.answers.Decode(&o.hook); err != nil {
		t.Fatal(err)
	}
	if o.agent, err = proc.Of(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	w.set(func() { w.settings.Doors, w.settings.Expiry, w.settings.GuardWait = true, time.Hour, time.Minute })
	w.cfg.Outside = func(e detect.HookEvent) {
		o.told.mu.Lock()
		defer o.told.mu.Unlock()
		o.told.list = append(o.told.list, e)
	}
	return o
}

// event sends an event, and returns the word with which its hook may wait.
func (o *outside) event(t *testing.T, name, fields string, change ...func(*rpc.Hook)) (token string) {
	t.Helper()
	h := rpc.Hook{Agent: "claude", Version: "2.1.330", Event: json.RawMessage(
		`{"hook_event_name":"` + name + `","session_id":"s","cwd":"/src/api","permission_mode":"auto","tool_name":"Bash"` + fields + `}`)}
	for _, c := range change {
		c(&h)
	}
	if err := o.call(t, asHook, h, &token); err != nil {
		t.Fatal(err)
	}
	return token
}

// prints has the hook wait with a word, and say what it printed.
func (o *outside) prints(t *testing.T, token string) string {
	t.Helper()
	var a DoorAnswer
	if err := o.call(t, "door.wait", DoorParams{token}, &a); err != nil {
		return "error: " + err.Error()
	}
	if err := o.call(t, "door.printed", DoorParams{token}, nil); err != nil {
		t.Fatal(err)
	}
	return a.Print
}

const asksToPush = `,"tool_input":{"command":"git push --force\ngit gc","description":"a"}`

// only is the one question that waits.
func (w *world) only(t *testing.T) nudge.Nudge {
	t.Helper()
	open, err := w.cfg.Keeper.List(false)
	if err != nil || len(open) != 1 {
		t.Fatalf("%d wait, %v", len(open), err)
	}
	return open[0]
}

// TestAnAgentOutsideTmuxIsAnsweredThroughItsHook: the question shows the call whole, and its hook alone prints the answer.
func TestAnAgentOutsideTmuxIsAnsweredThroughItsHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := startOutside(t, w)
	w.set(func() { // another agent is watched in a pane
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude", Process: proc.ID{PID: 1 << 30, Start: 1}}}}
	})
	known := agents.HooksOf("claude").Door
	for decision, want := range map[screen.Decision]string{screen.Approve: known.Allow, screen.Deny: known.Deny} {
		token, printed := o.event(t, "PermissionRequest", asksToPush), make(chan string, 1)
		n := w.only(t)
		p := n.Prompt()
		if !strings.HasPrefix(p.Subject, "git push --force\ngit gc\n") || p.Lead != 2 || p.Verb != "" || n.Agent != "claude" || n.Project != "api" || n.Process != o.agent ||
			!n.Program().Door || !n.Program().Hears || n.Expires.Sub(n.Detected) != time.Hour {
			t.Errorf("asked is %+v of %+v", p, n)
		}
		if got := w.prints(t, token); !strings.HasPrefix(got, "error: ") {
			t.Errorf("another process reads %s", got)
		}
		go func() { printed <- o.prints(t, token) }()
		w.says(t, w.asksToSend(t, "git push"), nudge.Said{Decision: decision})
		if got := <-printed; got != want {
			t.Errorf("its hook prints %s, want %s", got, want)
		}
		if n := w.ended(t, n.ID); n.State != nudge.Delivered || !n.Door {
			t.Errorf("it is %s, %v", n.State, n.Detail)
		}
	}
	if told := o.told.take(); len(told) > 0 {
		t.Errorf("told as well is %+v", told)
	}
}

// TestWhatCantBeAnsweredOutsideTmuxIsToldAlone, and nothing is told that its server asks itself.
func TestWhatCantBeAnsweredOutsideTmuxIsToldAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields string
		set    func(*world, *outside)
		hook   func(*rpc.Hook)
		untold bool
		below  string
	}{
		"a program of its": {below: `sh -c 'nod hook claude <&3 & echo $!; wait; :'`},
		"keys alone":       {set: func(w *world, _ *outside) { w.settings.Doors = false }},
		"no time":          {set: func(w *world, _ *outside) { w.settings.Expiry = 0 }},
		"another version":  {hook: func(h *rpc.Hook) { h.Version = "1.0.128" }},
		"no version":       {hook: func(h *rpc.Hook) { h.Version = "" }},
		"another agent's name": {hook: func(h *rpc.Hook) {
			h.Agent, h.Version = "opencode", "1.18.33"
			h.Event = json.RawMessage(strings.Replace(string(h.Event), "PermissionRequest", "permission.asked", 1))
		}},
		"a question":  {fields: `,"tool_name":"AskUserQuestion"`},
		"a sub-agent": {fields: `,"agent_id":"a1"`},
		"of a pane": {set: func(w *world, o *outside) {
			w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude", Process: o.agent}}}
		}},
		"too many questions": {set: func(w *world, o *outside) {
			for range 20 {
				if _, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Text: "?", Words: true, Timeout: time.Hour, Program: "claude", Agent: o.agent}); err != nil {
					t.Error(err)
				}
			}
		}},
		"too many doors": {set: func(w *world, _ *outside) {
			for w.cfg.Doors.OpenAt("x", time.Now()) != nil {
			}
		}},
		"its server asks": {set: func(w *world, o *outside) {
			w.settings.Doors = false
			w.cfg.Served = func(process proc.ID) bool { return process == o.agent }
		}, untold: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			o := startOutside(t, w)
			if c.below != "" {
				o = startOutside(t, w, c.below)
			}
			if c.set != nil {
				w.set(func() { c.set(w, o) })
			}
			before, _ := w.cfg.Keeper.List(false)
			token := o.event(t, "PermissionRequest", asksToPush+c.fields, func(h *rpc.Hook) {
				if c.hook != nil {
					c.hook(h)
				}
			})
			told, want := o.told.take(), 1
			if c.untold {
				want = 0
			}
			if open, err := w.cfg.Keeper.List(false); token != "" || err != nil || len(open) != len(before) || len(told) != want {
				t.Errorf("its hook waits with %q, asked are %d more, told is %+v, %v", token, len(open)-len(before), told, err)
			}
		})
	}
}

// TestADeniedCallOutsideTmuxIsAllowedThroughItsHooks: there is no dialog that could answer, so the hook before the call lets it run.
func TestADeniedCallOutsideTmuxIsAllowedThroughItsHooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := startOutside(t, w)
	guard, printed := agents.HooksOf("claude").Guard, make(chan string, 1)
	token := o.event(t, "PermissionDenied", pushed)
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	d := list[0]
	if d.Where != "outside tmux" || d.Project != "api" || d.Agent != "claude" || d.Process != o.agent || d.Pane != (detect.PaneRef{}) || d.Calls[0].Text != "git push --force" {
		t.Errorf("told is %+v", d)
	}
	go func() { printed <- o.prints(t, token) }()
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	if got := <-printed; got != guard.Retry {
		t.Errorf("the hook of the denial prints %s", got)
	}
	if got := o.prints(t, o.event(t, "PreToolUse", repush)); got != guard.Allow {
		t.Errorf("the hook before the call prints %s", got)
	}
	if o.event(t, "PreToolUse", repush) != "" {
		t.Error("it is let through twice")
	}
	o.event(t, "UserPromptSubmit", "")
	if d, _, _ := w.cfg.Keeper.DenialsOf(d.ID); d.Calls[0].Grant.State != grant.Used || !d.TurnOver {
		t.Errorf("it is %s, and its turn over %t", d.Calls[0].Grant.State, d.TurnOver)
	}
}

// TestAFormOutsideTmuxIsFilledInAsTheAgents.
func TestAFormOutsideTmuxIsFilledInAsTheAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := startOutside(t, w)
	printed := make(chan string, 1)
	token := o.event(t, "Elicitation", deploys)
	go func() { printed <- o.prints(t, token) }()
	n := w.asked(t, "branch, 1 of 2")
	if n.Agent != "claude" || n.Project != "api" || n.Process != o.agent {
		t.Errorf("it is asked by %+v", n.Whereabouts)
	}
	w.says(t, n, choose(n, nudge.Decline))
	if got := <-printed; got != agents.HooksOf("claude").Forms.Decline {
		t.Errorf("the hook prints %s", got)
	}
	if o.event(t, "Elicitation", deploys, func(h *rpc.Hook) { h.Ended = true }) != "" {
		t.Error("a hook that has ended waits")
	}
	if o.event(t, "Elicitation", deploys, func(h *rpc.Hook) { h.Agent = "opencode" }) != "" {
		t.Error("the form of another agent is held")
	}
}

// TestTheEndOfARequestOutsideTmuxIsToldAsItWas by the events of its own session alone.
func TestTheEndOfARequestOutsideTmuxIsToldAsItWas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := startOutside(t, w)
	for name, c := range map[string]struct {
		event, fields string
		ended         bool
		state         nudge.State
		how           reason.Kind
	}{
		"another session":  {"Stop", `,"session_id":"t"`, false, nudge.Pending, ""},
		"another call ran": {"PostToolUse", `,"tool_input":{"command":"ls"}`, false, nudge.Pending, ""},
		"a sub-agent":      {"Stop", `,"agent_id":"a1"`, false, nudge.Pending, ""},
		"it ran":           {"PostToolUse", asksToPush, false, nudge.Recovered, reason.AgentSaysItRan},
		"called off":       {"PermissionRequest", asksToPush, true, nudge.Recovered, reason.AgentCalledOff},
		"the turn is over": {"Stop", "", false, nudge.Gone, ""},
		"another turn":     {"UserPromptSubmit", "", false, nudge.Gone, ""},
	} {
		o.event(t, "PermissionRequest", asksToPush)
		n := w.only(t)
		o.event(t, c.event, c.fields, func(h *rpc.Hook) { h.Ended = c.ended })
		if n, _, err := w.cfg.Keeper.Find(n.ID); err != nil || n.State != c.state || n.Detail.Kind != c.how && c.how != "" {
			t.Errorf("%s: it is %s, %v, %v", name, n.State, n.Detail, err)
		}
		if err := w.cfg.Keeper.Withdraw(n.ID); err != nil {
			t.Fatal(err)
		}
		o.event(t, "SessionEnd", "")
	}
}

// TestAQuestionOfAProgramIsItsAgents: it is told by the agent's name.
func TestAQuestionOfAProgramIsItsAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := startOutside(t, w)
	if name, agent := asker(o.hook); name != "claude" || agent != o.agent {
		t.Errorf("its hook asks as %s of %v", name, agent)
	}
	for _, question := range []AskParams{{Question: "Deploy?"}, {Call: &AskCall{Tool: "Bash", Input: json.RawMessage(`{"command":"make\nls","description":"a"}`), Hears: true}}} {
		var asked Asked
		if err := o.call(t, "ask.create", question, &asked); err != nil {
			t.Fatal(err)
		}
		n, _, err := w.cfg.Keeper.Find(asked.ID)
		if err != nil || n.Agent != "claude" || n.Process != o.agent {
			t.Errorf("it is asked by %+v, %v", n.Whereabouts, err)
		}
		if p := n.Prompt(); question.Call != nil && (!strings.HasPrefix(p.Subject, "make\nls\n") || p.Lead != 2 || !n.Program().Hears) {
			t.Errorf("asked is %+v", p)
		}
	}
}
