package control

import (
	"context"
	"errors"
	"os"
	"strconv"
	"testing"
	"time"

	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
)

// TestOnlyAnAgentsOwnHookOpensADoor: if a program sends an event like an agent outside tmux, which may lie
// about its session and its call, the event is only reported, without buttons.
func TestOnlyAnAgentsOwnHookOpensADoor(t *testing.T) {
	w := newWorld(t)
	w.set(func() { w.settings.Doors, w.settings.Expiry = true, time.Hour })
	door, err := w.client.Hook(t.Context(), rpc.Hook{Agent: "claude", Event: []byte(
		`{"hook_event_name":"PermissionRequest","session_id":"another's","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}`)})
	if err != nil || door != "" {
		t.Errorf("door %q, %v", door, err)
	}
	open, err := w.cfg.Keeper.List(true)
	if err != nil || len(open) != 0 {
		t.Errorf("asked %+v, %v", open, err)
	}
	for _, nobody := range []int{0, 1 << 30} {
		if _, agent, ok := w.outsideOf(detect.HookEvent{Agent: "claude", Origin: detect.Origin{Caller: nobody}}); ok {
			t.Errorf("process %d counts as agent %v", nobody, agent)
		}
	}
}

// TestHooksAreCounted, and one whose event can't be read is told so.
func TestHooksAreCounted(t *testing.T) {
	w := newWorld(t)
	for event, refused := range map[string]bool{`{"hook_event_name":"Stop"}`: false, `{}`: true} {
		if _, err := w.client.Hook(t.Context(), rpc.Hook{Agent: "claude", Event: []byte(event)}); (err != nil) != refused {
			t.Errorf("%s: %v", event, err)
		}
	}
	var h Health
	if err := w.client.Call(t.Context(), "health", nil, &h); err != nil || h.Hooks.Events != 2 || h.Hooks.Refused != 1 || h.Hooks.Last["claude"].IsZero() || h.Status != "ok" {
		t.Errorf("%+v, %v", h, err)
	}
	w.cfg.Health = func() []string { return []string{"Telegram is away."} }
	if h, err := w.health(t.Context(), none{}); err != nil || h.Status != "degraded" {
		t.Errorf("%+v, %v", h, err)
	}
}

// TestSoManyNamesOfAgentsAreRemembered and no more: a hook may name any.
func TestSoManyNamesOfAgentsAreRemembered(t *testing.T) {
	c := New(Config{})
	for i := range 3 * maxHeard {
		c.noteEvent(strconv.Itoa(i))
		if last := c.lastEvents(); len(last) > maxHeard || last[strconv.Itoa(i)].IsZero() || i == maxHeard-1 && len(last) < maxHeard {
			t.Fatalf("%d are remembered after %d", len(last), i)
		}
	}
}

// TestNoDoorOpensWhereKeysAloneAnswer, or for an event that no watched pane is known for. One in no pane needs none.
func TestNoDoorOpensWhereKeysAloneAnswer(t *testing.T) {
	for _, known := range []bool{true, false} {
		for _, doors := range []settings.OnOff{true, false} {
			w := guarded(t, self(t))
			w.set(func() { w.settings.Doors = doors })
			var told []detect.HookEvent
			w.cfg.Outside = func(e detect.HookEvent) { told = append(told, e) }
			w.cfg.Hook = func(e detect.HookEvent) bool { return known && e.Pane != "" }
			if opens := w.event(t, "PermissionRequest", pushed, false) != ""; opens != (known && bool(doors)) {
				t.Errorf("a pane is known %t, hooks answer %t: a door opens %t", known, doors, opens)
			}
			if held := w.event(t, "PermissionDenied", pushed, false) != ""; held != (known && bool(doors)) {
				t.Errorf("a pane is known %t, hooks answer %t: the hook of a denial is held %t", known, doors, held)
			}
			if opens := w.event(t, "PermissionRequest", pushed+`,"version":"1.0.128"`, false) != ""; opens {
				t.Error("a door opens in a version without one")
			}
			w.cfg.Versions = func(detect.HookEvent) string { return "1.0.128" } // by its transcript
			if w.event(t, "PermissionRequest", pushed, false) != "" {
				t.Error("a door opens in a version without one, which only its transcript tells")
			}
			if _, err := w.client.Hook(t.Context(), rpc.Hook{Agent: "claude", Event: []byte(`{"hook_event_name":"PermissionRequest","tool_name":"Bash"}`)}); err != nil || len(told) != 1 {
				t.Errorf("of one in no pane is told %+v, %v", told, err)
			}
		}
	}
}

// TestAGuessedDoorSaysNothing, and takes nothing.
func TestAGuessedDoorSaysNothing(t *testing.T) {
	w := newWorld(t)
	var answer DoorAnswer
	err := w.client.Call(t.Context(), "door.wait", DoorParams{"guess"}, &answer)
	if fault := (*rpc.Fault)(nil); !errors.As(err, &fault) || answer.Print != "" {
		t.Errorf("%+v, %v", answer, err)
	}
	id := w.waits(t, w.own)
	if err := w.client.Call(t.Context(), "door.printed", DoorParams{"guess"}, nil); err != nil {
		t.Error(err)
	}
	if n, _, _ := w.cfg.Keeper.Find(id); n.State != nudge.Pending {
		t.Errorf("it is %s", n.State)
	}
}

// TestOnlyItsOwnHookEndsARequest: another process at a door, or the hook itself just after its agent ended
// it, ends nothing. Otherwise nod might report "the hook is gone" about a request that was answered at the
// terminal.
func TestOnlyItsOwnHookEndsARequest(t *testing.T) {
	w := newWorld(t)
	n, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Call: &nudge.Call{Subject: "make"}, Program: "claude", Timeout: time.Hour, Door: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := detect.ParseHook("claude", []byte(
		`{"hook_event_name":"PermissionRequest","version":"2.1.330","tool_name":"Bash","tool_input":{"command":"make"}}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	e.Caller = os.Getpid() + 1
	token := w.cfg.Doors.OpenOutside(e, detect.Sender{}, n.ID, time.Now())
	if token == "" {
		t.Fatal("no door")
	}
	if err := w.client.Call(t.Context(), "door.wait", DoorParams{token}, nil); err == nil {
		t.Error("another process waits at it")
	}
	if n, _, _ := w.cfg.Keeper.Find(n.ID); n.State != nudge.Pending {
		t.Errorf("the request is %s", n.State)
	}
}

// TestARequestIsAttendedWhileItsHookWaits, and it ends with the hook.
func TestARequestIsAttendedWhileItsHookWaits(t *testing.T) {
	w := newWorld(t)
	n, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Call: &nudge.Call{Subject: "make"}, Program: "claude", Timeout: time.Hour, Door: true})
	if err != nil {
		t.Fatal(err)
	}
	e, err := detect.ParseHook("claude", []byte(
		`{"hook_event_name":"PermissionRequest","version":"2.1.330","tool_name":"Bash","tool_input":{"command":"make"}}`), "", "")
	if err != nil {
		t.Fatal(err)
	}
	e.Caller = os.Getpid()
	token := w.cfg.Doors.OpenOutside(e, detect.Sender{}, n.ID, time.Now())
	if err := w.cfg.Keeper.Attend(n.ID, false); err != nil {
		t.Fatal(err)
	}
	w.until(t, n.ID, func(n nudge.Nudge) bool { return !n.Program().Left.IsZero() })
	ctx, hangUp := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.client.Wait(ctx, "door.wait", DoorParams{token}, new(DoorAnswer))
	}()
	w.until(t, n.ID, func(n nudge.Nudge) bool { return n.Program().Left.IsZero() && n.State == nudge.Pending })
	hangUp()
	<-ended
	w.until(t, n.ID, func(n nudge.Nudge) bool { return n.State.Over() })
}

// TestAnAnswerGoesThroughTheDoorOfItsPrompt, here and on another machine, and is known to have gone through once its hook has printed it.
func TestAnAnswerGoesThroughTheDoorOfItsPrompt(t *testing.T) {
	t.Parallel()
	here, there := guarded(t, self(t)), newTwoMachines(t)
	known := agents.HooksOf("claude").Door
	for _, c := range []struct {
		w     *world
		doors *door.Doors
	}{{here, here.cfg.Doors}, {there.world, there.doors}} {
		e, err := detect.ParseHook("claude", []byte(`{"hook_event_name":"PermissionRequest","tool_name":"Bash"`+repush+`}`), "", "")
		if err != nil {
			t.Fatal(err)
		}
		agent := c.w.panes[0].Whereabouts
		for decision, want := range map[screen.Decision]string{screen.Approve: known.Allow, screen.Deny: known.Deny, "": ""} {
			token, said := c.w.event(t, "PermissionRequest", repush, false), make(chan string, 1)
			go func() { said <- c.w.prints(t, token) }()
			call := detect.CallName(e)
			look := detect.Sighting{Whereabouts: agent, State: screen.Permission, Prompt: &screen.Prompt{Content: screen.Content{Source: screen.FromEvent}, Fingerprint: "f", Call: call}}
			var found *door.Door
			for end := time.Now().Add(10 * time.Second); found == nil; found = c.doors.Find(agent.Pane, "claude", agent.Process, call, "f") {
				if c.doors.Saw(look); time.Now().After(end) {
					t.Fatal("no door is found")
				}
				time.Sleep(time.Millisecond)
			}
			if decision == "" {
				c.w.event(t, "PostToolUse", repush, false)
				if got := <-said; got != "error: "+door.ErrRan.Error() {
					t.Errorf("the hook of a call that has run prints %s", got)
				}
				continue
			}
			printed, ok := found.Hand(decision, "")
			if got := <-said; got != want || !ok {
				t.Errorf("the hook prints %s, want %s", got, want)
			}
			select {
			case <-printed:
			case <-time.After(10 * time.Second):
				t.Error("nobody knows that it was printed")
			}
		}
	}
}
