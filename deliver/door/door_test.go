package door

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/testrun"
)

const hookPID = 555

var pane = detect.PaneRef{Server: tmux.Life{Socket: "/run/s", PID: 4000, Start: 900}, ID: "%7"}

func event(change func(*detect.HookEvent)) detect.HookEvent {
	e := detect.HookEvent{
		Agent:    "claude",
		Event:    "PermissionRequest",
		Kind:     detect.Asks,
		Session:  "s",
		ToolCall: detect.ToolCall{Tool: "Bash", Input: json.RawMessage(`{"command":"touch a"}`)},
		Version:  "2.1.329",
		Origin:   detect.Origin{Pane: pane.ID, ServerPID: pane.Server.PID, Caller: hookPID},
	}
	if change != nil {
		change(&e)
	}
	return e
}

// sender is a hook that an agent called which runs as this test's process: so it lives.
func sender(t *testing.T) detect.Sender {
	t.Helper()
	me, err := proc.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	return detect.SenderOf([]proc.Process{
		{ID: proc.ID{PID: hookPID, Start: 9}, Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}},
		{ID: me, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}},
	})
}

// waitedAt is a door at which its hook waits, and how that ends.
func waitedAt(t *testing.T) (d *Doors, ended chan error) {
	d, ended = &Doors{}, make(chan error, 1)
	token := d.Open(event(nil), sender(t), time.Now())
	go func() { _, err := d.Wait(t.Context(), token, hookPID); ended <- err }()
	synctest.Wait()
	return d, ended
}

func TestMain(m *testing.M) {
	testrun.AtOnce(8)
	os.Exit(m.Run())
}

// TestOnlyAPermissionOfTheMainAgentHasADoor: where a hook that waits would hold the dialog back, none does.
func TestOnlyAPermissionOfTheMainAgentHasADoor(t *testing.T) {
	for name, change := range map[string]func(*detect.HookEvent){
		"a sub-agent's":       func(e *detect.HookEvent) { e.Subagent = true },
		"another event":       func(e *detect.HookEvent) { e.Event, e.Kind = "PreToolUse", detect.Before },
		"a notification":      func(e *detect.HookEvent) { e.Event = "Notification" },
		"an input too long":   func(e *detect.HookEvent) { e.InputCut = true },
		"a plan":              func(e *detect.HookEvent) { e.Tool = "ExitPlanMode" },
		"a question":          func(e *detect.HookEvent) { e.Tool = "AskUserQuestion" },
		"no input":            func(e *detect.HookEvent) { e.Input = nil },
		"no pane":             func(e *detect.HookEvent) { e.Pane = "" },
		"only shown":          func(e *detect.HookEvent) { e.Agent, e.Event = "opencode", "permission.shown" },
		"an agent of no door": func(e *detect.HookEvent) { e.Agent = "codex" },
		"an unknown agent":    func(e *detect.HookEvent) { e.Agent = "mystery" },
		"an older version":    func(e *detect.HookEvent) { e.Version = "1.0.128" },
		"no version":          func(e *detect.HookEvent) { e.Version = "" },
		"an ended hook":       func(e *detect.HookEvent) { e.Kind = detect.Denied },
	} {
		d := &Doors{}
		if d.Open(event(change), sender(t), time.Now()) != "" {
			t.Errorf("%s: a door was opened", name)
		}
	}
	for agent, asks := range map[string]string{"claude": "PermissionRequest", "opencode": "permission.asked", "kilo": "permission.asked"} {
		for _, version := range agents.HooksOf(agent).Door.Proven {
			if (&Doors{}).Open(event(func(e *detect.HookEvent) { e.Agent, e.Event, e.Version = agent, asks, version }), sender(t), time.Now()) == "" {
				t.Errorf("%s %s: no door was opened", agent, version)
			}
		}
	}
}

// TestOnlyTheHookItselfWaits: neither another process with its word, nor a guess, nor the same one twice.
func TestOnlyTheHookItselfWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		token := d.Open(event(nil), sender(t), time.Now())
		nobodys := d.Open(event(func(e *detect.HookEvent) { e.Pane, e.Caller = "%8", 0 }), sender(t), time.Now())
		for _, c := range []struct {
			token  string
			caller int
		}{{token, hookPID + 1}, {token, 0}, {token + "A", hookPID}, {"", hookPID}, {nobodys, 0}} {
			if _, err := d.Wait(t.Context(), c.token, c.caller); !errors.Is(err, ErrNone) {
				t.Errorf("%q by %d waits: %v", c.token, c.caller, err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { _, err := d.Wait(ctx, token, hookPID); ended <- err }()
		synctest.Wait()
		if _, err := d.Wait(t.Context(), token, hookPID); !errors.Is(err, ErrShut) {
			t.Errorf("it waits twice: %v", err)
		}
		start := time.Now()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) || time.Since(start) > 0 {
			t.Errorf("after %v: %v", time.Since(start), err)
		}
		if len(d.list) != 1 {
			t.Error("the door of a hook that hung up is kept")
		}
	})
}

// TestAFormsDoorSaysWhatItsFormSays, and names its question.
func TestAFormsDoorSaysWhatItsFormSays(t *testing.T) {
	for decision, want := range map[screen.Decision]string{screen.Approve: "the values", screen.Deny: "none"} {
		synctest.Test(t, func(t *testing.T) {
			d := &Doors{}
			token := d.OpenForm(event(nil), sender(t), "k3f", "the values", "none", time.Now())
			if d.Nudge(token) != "k3f" || d.Nudge(token+"A") != "" {
				t.Errorf("it is of %q", d.Nudge(token))
			}
			said := make(chan string)
			go func() { text, _ := d.Wait(t.Context(), token, hookPID); said <- text }()
			synctest.Wait()
			if _, ok := d.Of("k3f").Hand(decision, "because"); !ok {
				t.Error("it takes no answer")
			}
			if got := <-said; got != want {
				t.Errorf("%s says %q, want %q", decision, got, want)
			}
		})
	}
}

// TestAHookWaitsForItsPromptTenSeconds and no longer: the agent may be holding the dialog back for it.
func TestAHookWaitsForItsPromptTenSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		start := time.Now()
		token := d.Open(event(nil), sender(t), start)
		if _, err := d.Wait(t.Context(), token, hookPID); !errors.Is(err, ErrShut) {
			t.Error(err)
		}
		if took := time.Since(start); took < unseen || took > unseen+2*lookAgain {
			t.Errorf("it waited for %v", took)
		}
	})
}

// TestADoorShutsWhenItsPromptHasGone: two looks, for one may have met a redraw, and what covers it is no end.
func TestADoorShutsWhenItsPromptHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, ended := waitedAt(t)
		asks := shows()
		works := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane}, State: screen.Working}
		covered := shows()
		covered.Prompt = nil
		elsewhere := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: detect.PaneRef{Server: pane.Server, ID: "%8"}}, State: screen.Working}
		for _, s := range []detect.Sighting{works, works, asks, works, asks, covered, covered, elsewhere, elsewhere, asks} {
			d.Saw(s)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		select {
		case err := <-ended:
			t.Fatalf("it shut too early: %v", err)
		default:
		}
		d.Saw(works)
		d.Saw(works)
		if err := <-ended; !errors.Is(err, ErrShut) {
			t.Error(err)
		}
	})
}

// TestTheEndOfATurnShutsItsDoors and that of a part of the session does not.
func TestTheEndOfATurnShutsItsDoors(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*detect.HookEvent)
		open   bool
	}{
		"somebody spoke":       {func(e *detect.HookEvent) { e.Kind = detect.Submitted }, false},
		"the turn is over":     {func(e *detect.HookEvent) { e.Kind = detect.Stopped }, false},
		"the session is over":  {func(e *detect.HookEvent) { e.Kind = detect.Ended }, false},
		"the tool has run":     {func(e *detect.HookEvent) { e.Kind = detect.Ran }, false},
		"another tool has run": {func(e *detect.HookEvent) { e.Kind, e.Input = detect.Ran, json.RawMessage(`{"command":"ls"}`) }, true},
		"a sub-agent is done":  {func(e *detect.HookEvent) { e.Kind, e.Subagent = detect.Stopped, true }, true},
		"another session":      {func(e *detect.HookEvent) { e.Kind, e.Session = detect.Stopped, "t" }, true},
		"another pane":         {func(e *detect.HookEvent) { e.Kind, e.Pane = detect.Stopped, "%8" }, true},
		"another agent":        {func(e *detect.HookEvent) { e.Kind, e.Agent = detect.Stopped, "kilo" }, true},
	} {
		d := &Doors{}
		d.Open(event(nil), sender(t), time.Now())
		d.Heard(event(c.change))
		if open := len(d.list) == 1; open != c.open {
			t.Errorf("%s: open %t", name, open)
		}
	}
}

// TestADoorTellsHowItsRequestEnded where an event tells it, and takes nothing while it waits for the hook's last word.
func TestADoorTellsHowItsRequestEnded(t *testing.T) {
	stops := errors.New("nod stops")
	for name, c := range map[string]struct {
		hangUp error                   // the cause; nil: it goes on waiting
		heard  func(*detect.HookEvent) // the event that comes then; nil: none
		want   error
		took   time.Duration
	}{
		"its tool has run":            {nil, func(e *detect.HookEvent) { e.Kind = detect.Ran }, ErrRan, 0},
		"the agent ended the hook":    {context.Canceled, func(e *detect.HookEvent) { e.Kind = detect.Denied }, ErrEnded, 0},
		"the agent ended another one": {context.Canceled, func(e *detect.HookEvent) { e.Kind = detect.Denied; e.Caller++ }, context.Canceled, lastWord},
		"the session goes on":         {nil, func(e *detect.HookEvent) { e.Kind = detect.Submitted }, ErrShut, 0},
		"the hook was killed":         {context.Canceled, nil, context.Canceled, lastWord},
		"nod stops":                   {stops, nil, context.Canceled, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := &Doors{}
				e := event(func(e *detect.HookEvent) { e.Pane = "" })
				token := d.OpenOutside(e, sender(t), "k3f", time.Now())
				ctx, hangUp := context.WithCancelCause(t.Context())
				ended := make(chan error, 1)
				start := time.Now()
				go func() { _, err := d.Wait(ctx, token, hookPID); ended <- err }()
				synctest.Wait()
				found := d.Of("k3f")
				if found == nil {
					t.Fatal("there is no door")
				}
				if c.hangUp != nil {
					hangUp(c.hangUp)
				}
				synctest.Wait()
				if c.hangUp != nil {
					if _, ok := found.Hand(screen.Approve, ""); ok {
						t.Error("a hook that hung up took an answer")
					}
				}
				d.Has("k3f", time.Now().Add(time.Hour)) // looks at what may be forgotten
				if c.heard != nil {
					c.heard(&e)
					d.Heard(e)
				}
				if err := <-ended; !errors.Is(err, c.want) || c.want == ErrShut && err != ErrShut {
					t.Errorf("it ended with %v, want %v", err, c.want)
				}
				if took := time.Since(start); took != c.took {
					t.Errorf("it took %v, want %v", took, c.took)
				}
				hangUp(nil)
			})
		})
	}
}

// TestAHookThatNeverWaitedLeavesNoRequest: it was ended, or killed, before it came to its door.
func TestAHookThatNeverWaitedLeavesNoRequest(t *testing.T) {
	d := &Doors{}
	now := time.Now()
	e := event(func(e *detect.HookEvent) { e.Pane = "" })
	d.OpenOutside(e, sender(t), "k3f", now)
	if !d.Has("k3f", now.Add(time.Second)) || d.Has("k3f", now.Add(unattended+time.Second)) {
		t.Error("its door is forgotten too soon, or stays")
	}
	d.OpenOutside(e, sender(t), "k3f", now)
	e.Kind = detect.Denied
	if over := d.Heard(e); len(over) != 1 || over["k3f"] != ErrEnded {
		t.Errorf("over is %v", over)
	}
	if over := d.Heard(e); len(over) != 0 {
		t.Errorf("over once more is %v", over)
	}
}

// TestAnAnswerIsProvenHoweverLongItsHookHadWaited, also where other doors open meanwhile.
func TestAnAnswerIsProvenHoweverLongItsHookHadWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &Doors{}
		e := event(func(e *detect.HookEvent) { e.Pane = "" })
		token := d.OpenOutside(e, sender(t), "k3f", time.Now())
		waited := make(chan error, 1)
		go func() { _, err := d.Wait(t.Context(), token, hookPID); waited <- err }()
		time.Sleep(time.Hour + time.Millisecond)
		printed, ok := d.Of("k3f").Hand(screen.Approve, "")
		if err := <-waited; !ok || err != nil {
			t.Fatalf("handed over %v, %v", ok, err)
		}
		d.Open(event(func(e *detect.HookEvent) { e.Caller++ }), sender(t), time.Now())
		d.Printed(token, hookPID)
		select {
		case <-printed:
		default:
			t.Error("nobody heard that the hook printed the answer")
		}
	})
}

// TestDoorsAreBounded: what nobody waits at is forgotten, and the rest has a limit.
func TestDoorsAreBounded(t *testing.T) {
	d := &Doors{}
	now := time.Now()
	opened := 0
	for range 2 * maxDoors {
		if d.Open(event(nil), sender(t), now) != "" {
			opened++
		}
	}
	if opened != maxDoors {
		t.Errorf("%d doors are open", opened)
	}
	if d.Open(event(nil), sender(t), now.Add(2*unattended)) == "" || len(d.list) != 1 {
		t.Errorf("%d doors are kept", len(d.list))
	}
}
