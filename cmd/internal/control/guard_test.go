package control

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
	"nod/nudge/grant"
)

// guarded is a world in which an agent runs as a process in its own pane. The test's own process sends the
// events.
func guarded(t *testing.T, agent proc.ID) *world {
	t.Helper()
	w := newWorld(t)
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude", Process: agent}, State: screen.Working, At: time.Now(), By: "poll"}
	w.set(func() { w.settings.Doors, w.settings.GuardWait, w.panes = true, time.Minute, []detect.Sighting{s} })
	if err := w.cfg.Keeper.See(s); err != nil {
		t.Fatal(err)
	}
	return w
}

func self(t *testing.T) proc.ID {
	t.Helper()
	id, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// event sends an event, with additional fields, and returns the word with which its hook may wait.
func (w *world) event(t *testing.T, name, fields string, ended bool) string {
	t.Helper()
	text := `{"hook_event_name":"` + name + `","session_id":"s","cwd":"/p","permission_mode":"auto","tool_name":"Bash"` + fields + `}`
	if !json.Valid([]byte(text)) {
		t.Fatal(text)
	}
	token, err := w.client.Hook(t.Context(), rpc.Hook{
		Agent: "claude", Tmux: fmt.Sprintf("%s,%d,0", w.own.Server.Socket, w.own.Server.PID), Pane: w.own.ID, Version: "2.1.330", Ended: ended, Event: []byte(text),
	})
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// prints returns the output of a hook that waits with a word.
func (w *world) prints(t *testing.T, token string) string {
	t.Helper()
	var answer DoorAnswer
	if err := w.client.Wait(t.Context(), "door.wait", DoorParams{token}, &answer); err != nil {
		return "error: " + err.Error()
	}
	if err := w.client.Call(t.Context(), "door.printed", DoorParams{token}, nil); err != nil {
		t.Fatal(err)
	}
	return answer.Print
}

const (
	pushed = `,"tool_input":{"command":"git push --force","description":"a"},"reason":"[Git Destructive]"`
	repush = `,"tool_input":{"description":"b","command":"git push --force"}`
)

// TestNothingIsAnsweredWhereAReviewFollows: Codex's permission hook runs before its reviewer, who may ask
// nobody. nod gives the hook no word to wait with, so it ends without output.
func TestNothingIsAnsweredWhereAReviewFollows(t *testing.T) {
	w := guarded(t, self(t))
	s := w.panes[0]
	s.Agent = "codex"
	w.set(func() { w.panes = []detect.Sighting{s} })
	for _, mode := range []string{"default", "auto", ""} {
		for _, name := range []string{"PermissionRequest", "PreToolUse", "PermissionDenied"} {
			text := `{"hook_event_name":"` + name + `","session_id":"s","cwd":"/p","permission_mode":"` + mode + `","tool_name":"Bash","tool_input":{"command":"git push"}}`
			token, err := w.client.Hook(t.Context(), rpc.Hook{
				Agent: "codex", Tmux: fmt.Sprintf("%s,%d,0", w.own.Server.Socket, w.own.Server.PID), Pane: w.own.ID, Version: "0.169.0", Event: []byte(text),
			})
			if err != nil || token != "" {
				t.Errorf("%s in mode %q waits with %q, %v", name, mode, token, err)
			}
		}
	}
}

// TestAHeldHookSaysWhatATapSays, and the hook before the same call lets it through once.
func TestAHeldHookSaysWhatATapSays(t *testing.T) {
	w := guarded(t, self(t))
	guard := agents.HooksOf("claude").Guard
	token := w.event(t, "PermissionDenied", pushed, false)
	said := make(chan string, 1)
	go func() { said <- w.prints(t, token) }()
	if w.event(t, "PreToolUse", repush, false) != "" {
		t.Error("it is let through before anybody has allowed it")
	}
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 || len(list[0].Calls) != 1 {
		t.Fatal(list, err)
	}
	d := list[0]
	if c := d.Calls[0]; c.Text != "git push --force" || c.Reason != "[Git Destructive]" || c.Folder != "/p" || c.Held.IsZero() {
		t.Errorf("%+v", c)
	}
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	if got := <-said; got != guard.Retry {
		t.Errorf("the hook of the denial says %q", got)
	}
	for name, fields := range map[string]string{
		"a sub-agent":  repush + `,"agent_id":"a1"`,
		"another byte": strings.Replace(repush, "force", "forcf", 1),
		"a field more": strings.Replace(repush, `"command"`, `"timeout":5,"command"`, 1),
		"a name twice": strings.Replace(repush, `"command"`, `"command":"x","command"`, 1),
	} {
		if w.event(t, "PreToolUse", fields, false) != "" {
			t.Errorf("%s is let through", name)
		}
	}
	if got := w.prints(t, w.event(t, "PreToolUse", repush, false)); got != guard.Ask {
		t.Errorf("the hook before the call says %q", got)
	}
	if w.event(t, "PreToolUse", repush, false) != "" {
		t.Error("it is let through twice")
	}
	if d, _, _ := w.cfg.Keeper.DenialsOf(d.ID); d.Calls[0].Grant.State != grant.Asked {
		t.Errorf("it is %s", d.Calls[0].Grant.State)
	}
}

// TestACallIsLeftOnlyAsItWasDrawn: a person who was shown another call, or none, decides nothing.
func TestACallIsLeftOnlyAsItWasDrawn(t *testing.T) {
	w := guarded(t, self(t))
	w.event(t, "PermissionDenied", pushed, false)
	w.agent(t, false)
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	p := DenialParams{ID: list[0].ID, Fingerprint: "0.other"}
	if reason := reasonOf(w.call(t, "denial.leave", p, nil)); reason != deliver.Changed {
		t.Errorf("another one is refused for %q", reason)
	}
	p.Fingerprint = ""
	if err := w.call(t, "denial.leave", p, nil); err == nil {
		t.Error("it is left without a fingerprint")
	}
	p.Fingerprint = list[0].Fingerprint(0)
	if err := w.call(t, "denial.leave", p, nil); err != nil {
		t.Error(err)
	}
}

// TestACallRunsWithoutADialogWhereNoneWasProven: for a sub-agent's call, and for a tool or a version whose
// dialog has a lasting yes, or is not seen to show the call whole.
func TestACallRunsWithoutADialogWhereNoneWasProven(t *testing.T) {
	w := guarded(t, self(t))
	guard := agents.HooksOf("claude").Guard
	of := `,"agent_id":"a1"`
	w.event(t, "PermissionDenied", pushed+of, false)
	list, err := w.cfg.Keeper.Denials()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), list[0].ID, ""), 0, list[0].Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	if got := w.prints(t, w.event(t, "PreToolUse", repush+of, false)); got != guard.Allow {
		t.Errorf("the hook before a sub-agent's call says %q", got)
	}
	for _, c := range []struct {
		version, tool string
		asks          bool
	}{{"2.1.330", "Bash", true}, {"2.1.330", "Write", false}, {"2.1.330", "Agent", false}, {"2.1.166", "Bash", false}, {"", "Bash", false}, {"2.1.331", "Bash", false}} {
		if print, asks := guard.Through(c.version, c.tool); asks != c.asks || (print == guard.Ask) != asks || print != guard.Ask && print != guard.Allow {
			t.Errorf("%+v: %t, %q", c, asks, print)
		}
	}
}

// TestACallThatSettingsDenyIsLetThroughByTheHookThatAsks: there is no dialog, so the hook that would announce
// it reports the call as denied, holds the agent as long, and lets the call run itself; a later tap is for
// the next try.
func TestACallThatSettingsDenyIsLetThroughByTheHookThatAsks(t *testing.T) {
	hooks := agents.HooksOf("claude")
	for _, wait := range []time.Duration{time.Minute, 0} {
		for name, far := range map[string]bool{"here": false, "there": true} {
			t.Run(fmt.Sprint(name, wait), func(t *testing.T) {
				w := guarded(t, self(t))
				if far {
					two := newTwoMachines(t)
					two.decided = func(string) bool { return true }
					w = two.world
				}
				if w.event(t, "PermissionRequest", pushed, false) == "" {
					t.Error("there is no door for a dialog")
				}
				if list, _ := w.cfg.Keeper.AllDenials(); len(list) > 0 {
					t.Errorf("told %+v", list)
				}
				s := w.panes[0]
				s.Unasked = []reason.Why{{Kind: reason.OnlyHookAsks}}
				w.set(func() { w.panes, w.settings.GuardWait = []detect.Sighting{s}, wait })
				token, said := w.event(t, "PermissionRequest", pushed, false), make(chan string, 1)
				if held := token != ""; held != (wait > 0 || far) {
					t.Fatalf("its hook is held: %v", held)
				}
				if token != "" {
					go func() { said <- w.prints(t, token) }()
				}
				var d nudge.Denials
				for end := time.Now().Add(20 * time.Second); d.ID == "" && time.Now().Before(end); time.Sleep(time.Millisecond) {
					if list, _ := w.cfg.Keeper.Denials(); len(list) == 1 {
						d = list[0]
					}
				}
				if len(d.Calls) != 1 || d.Calls[0].Text != "git push --force" || !d.Calls[0].Settings {
					t.Fatalf("told %+v", d)
				}
				if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
					t.Fatal(placed.Refusal, err)
				}
				got, want := "", hooks.Door.Allow
				if wait == 0 {
					got, want = w.prints(t, w.event(t, "PreToolUse", repush, false)), hooks.Guard.Allow
				} else {
					got = <-said
				}
				if got != want {
					t.Errorf("the hook says %q", got)
				}
				if d, _, _ := w.cfg.Keeper.DenialsOf(d.ID); d.Calls[0].Grant.State != grant.Used {
					t.Errorf("it is %s", d.Calls[0].Grant.State)
				}
				again := ""
				if token := w.event(t, "PreToolUse", repush, false); token != "" {
					again = w.prints(t, token)
				}
				if again != "" && !strings.HasPrefix(again, "error: ") {
					t.Errorf("it is let through twice: %q", again)
				}
			})
		}
	}
}

// TestOnlyTheAgentsOwnHookTellsOfADenial: a program that the agent runs can't report a denial, take a grant,
// or end anything.
func TestOnlyTheAgentsOwnHookTellsOfADenial(t *testing.T) {
	parent, err := proc.Of(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	w := guarded(t, parent) // the test's own process is a program of the agent
	if token := w.event(t, "PermissionDenied", pushed, false); token != "" {
		t.Error("a program below the agent has a call denied")
	}
	if list, err := w.cfg.Keeper.Denials(); err != nil || len(list) > 0 {
		t.Errorf("told %+v, %v", list, err)
	}
	b := nudge.Blocked{Call: grant.Call{Session: "s", Folder: "/p", Mode: "auto", Tool: "Bash", Input: `{"command":"git push --force"}`}}
	of, _, _, err := w.cfg.Keeper.Deny(w.panes[0], b, 0)
	if err != nil {
		t.Fatal(err)
	}
	d, _, _ := w.cfg.Keeper.DenialsOf(of.ID)
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), of.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	w.event(t, "PermissionDenied", pushed, true) // as if Escape had been pressed
	if token := w.event(t, "PreToolUse", repush, false); token != "" {
		t.Error("a program below the agent takes the grant")
	}
	if d, _, _ := w.cfg.Keeper.DenialsOf(of.ID); d.Calls[0].Grant.State != grant.Open {
		t.Errorf("it is %s", d.Calls[0].Grant.State)
	}
}

// TestEscapeEndsTheWaitAndTheButtons.
func TestEscapeEndsTheWaitAndTheButtons(t *testing.T) {
	w := guarded(t, self(t))
	token := w.event(t, "PermissionDenied", pushed, false)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.client.Wait(ctx, "door.wait", DoorParams{token}, new(DoorAnswer))
	}()
	list, _ := w.cfg.Keeper.Denials()
	w.event(t, "PermissionDenied", pushed, true)
	stop()
	<-ended
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), list[0].ID, ""), 0, list[0].Fingerprint(0)); err != nil || placed.Reason == "" {
		t.Errorf("allowed after Escape: %+v, %v", placed, err)
	}
	if w.event(t, "PreToolUse", repush, false) != "" {
		t.Error("it is let through")
	}
}

// TestTheEndOfAnotherProcessIsNoEscape: only the hook that is held says that its agent was stopped.
func TestTheEndOfAnotherProcessIsNoEscape(t *testing.T) {
	w := guarded(t, self(t))
	w.event(t, "PermissionDenied", pushed, false)
	for _, other := range []int{os.Getpid() + 1, 0} {
		if err := w.Control.escaped(detect.HookEvent{Origin: detect.Origin{Caller: other}}); err != nil {
			t.Error(err)
		}
	}
	list, _ := w.cfg.Keeper.Denials()
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), list[0].ID, ""), 0, list[0].Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Error(placed.Refusal, err)
	}
}

// TestEscapeWhileTheHookPrintsEndsTheGrant: the agent ends the hook after it got its answer and before it
// printed that.
func TestEscapeWhileTheHookPrintsEndsTheGrant(t *testing.T) {
	w := guarded(t, self(t))
	token := w.event(t, "PermissionDenied", pushed, false)
	list, _ := w.cfg.Keeper.Denials()
	if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), list[0].ID, ""), 0, list[0].Fingerprint(0)); err != nil || placed.Reason != "" {
		t.Fatal(placed.Refusal, err)
	}
	var answer DoorAnswer
	if err := w.client.Wait(t.Context(), "door.wait", DoorParams{token}, &answer); err != nil || answer.Print == "" {
		t.Fatal(answer, err)
	}
	w.event(t, "PermissionDenied", pushed, true)
	if w.event(t, "PreToolUse", repush, false) != "" {
		t.Error("it is let through")
	}
}

// TestEscapeIsLookedForBeforeACallIsLetThrough, in the transcript that the hook before the call names: here, and on another machine.
func TestEscapeIsLookedForBeforeACallIsLetThrough(t *testing.T) {
	for name, c := range map[string]struct {
		ago time.Duration
		let bool
	}{"after the denial": {0, false}, "before it": {time.Hour, true}} {
		t.Run(name, func(t *testing.T) {
			here, there := guarded(t, self(t)), newTwoMachines(t)
			for _, w := range []*world{here, there.world} {
				token, said := w.event(t, "PermissionDenied", pushed, false), make(chan string, 1)
				go func() { said <- w.prints(t, token) }()
				d := there.denied
				if w == here {
					d = func(t *testing.T) nudge.Denials { list, _ := w.cfg.Keeper.Denials(); return list[0] }
				}
				denied := d(t)
				if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), denied.ID, ""), 0, denied.Fingerprint(0)); err != nil || placed.Reason != "" {
					t.Fatal(placed.Refusal, err)
				}
				<-said
				w.set(func() { w.escaped = time.Now().Add(-c.ago) })
				print := ""
				if token := w.event(t, "PreToolUse", repush, false); token != "" {
					print = w.prints(t, token)
				}
				if let := print == agents.HooksOf("claude").Guard.Ask; let != c.let {
					t.Errorf("the hook before the call says %q", print)
				}
			}
		})
	}
}

// TestWhatWasNotProvenIsOnlyTold: an older version, an input that can't be compared, and NOD_DOORS=off.
func TestWhatWasNotProvenIsOnlyTold(t *testing.T) {
	for name, c := range map[string]struct {
		fields string
		set    func(*settings.Settings)
	}{
		"keys alone":   {pushed, func(s *settings.Settings) { s.Doors = false }},
		"a name twice": {strings.Replace(pushed, `"command"`, `"command":"x","command"`, 1), nil},
		"half a pair":  {strings.Replace(pushed, "force", `\ud800`, 1), nil},
		"too long":     {strings.Replace(pushed, "force", strings.Repeat("x", 300<<10), 1), nil},
		"no mode":      {pushed + `,"permission_mode":""`, nil},
		"no part":      {pushed + `,"agent_id":7`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := guarded(t, self(t))
			if c.set != nil {
				w.set(func() { c.set(&w.settings) })
			}
			if token := w.event(t, "PermissionDenied", c.fields, false); token != "" {
				t.Error("its hook is held")
			}
			var d nudge.Denials
			for _, line := range w.log(t) {
				if line.Kind == nudge.CallBlocked {
					d, _, _ = w.cfg.Keeper.DenialsOf(line.Instruction)
				}
			}
			if len(d.Calls) != 1 || d.Calls[0].Flaw.IsZero() || d.Waits() {
				t.Fatalf("%+v", d)
			}
			if placed, err := w.cfg.Keeper.AllowDenied(answerTo(t.Context(), d.ID, ""), 0, d.Fingerprint(0)); err != nil || placed.Reason == "" {
				t.Errorf("%+v, %v", placed, err)
			}
		})
	}
}

// log returns the audit trail.
func (w *world) log(t *testing.T) (events []nudge.Event) {
	t.Helper()
	var log Log
	if err := w.client.Call(t.Context(), "log.list", LogParams{Limit: 100}, &log); err != nil {
		t.Fatal(err)
	}
	for _, line := range log.Events {
		events = append(events, line.Event)
	}
	return events
}
