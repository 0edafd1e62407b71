package control

import (
	"context"
	"errors"
	"os"
	"testing"
	"time"

	"nod/detect"
	"nod/internal/rpc"
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
