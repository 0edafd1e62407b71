package control

import (
	"errors"
	"testing"
	"time"

	"nod/internal/rpc"
	"nod/nudge"
)

// TestOnlyAnAgentsOwnHookOpensADoor: a program that sends what an agent outside tmux would send is told of as any such
// event is, and nobody is asked with buttons. It may lie about its session and its call.
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
