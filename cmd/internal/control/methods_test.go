package control

import (
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/settings"
	"nod/nudge"
	"nod/store"
)

// TestNothingIsDoneOnAServerThatNobodyWatches: its panes are neither typed into, watched nor shown.
func TestNothingIsDoneOnAServerThatNobodyWatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	stray := tmuxtest.New(t)
	name := stray.Pane("exec cat", 80, 24) + "@" + stray.Socket
	for method, params := range map[string]any{
		"pane.send": SendParams{name, []string{"x"}}, "pane.tell": TellParams{name, "hello"}, "pane.watch": WatchParams{name, "claude"},
		"pane.unwatch": PaneParams{name}, "pane.capture": CaptureParams{Pane: name}, "pane.check": PaneParams{name},
	} {
		if f := faultOf(t, w.call(t, method, params, nil)); f.Reason != string(deliver.NotOwner) && f.Reason != string(deliver.NotFound) {
			t.Errorf("%s: %+v", method, f)
		}
	}
	if option := stray.Run("show-options", "-p", "-v", "-q", "-t", strings.Split(name, "@")[0], tmux.AgentOption); strings.TrimSpace(option) != "" {
		t.Errorf("its pane is marked %q", option)
	}
}

// TestAPaneIsShownAsItIs: its screen, its agent's state, and what waits there.
func TestAPaneIsShownAsItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := tmux.New(w.own.Server.Socket)
	look, err := server.Look(t.Context(), w.own.ID)
	if err == nil {
		err = server.Paste(t.Context(), tmux.Guard{Life: look.Life, Pane: w.own.ID, PanePID: look.Pane.PID, Width: 80, Height: 24}, "hello there")
	}
	if err != nil {
		t.Fatal(err)
	}
	var shown Capture
	for end := time.Now().Add(10 * time.Second); !strings.Contains(shown.Content, "hello there"); time.Sleep(10 * time.Millisecond) {
		if err := w.client.Call(t.Context(), "pane.capture", CaptureParams{Pane: w.own.ID}, &shown); err != nil || time.Now().After(end) {
			t.Fatalf("it shows %q, %v", shown.Content, err)
		}
	}
	var check Check
	if err := w.client.Call(t.Context(), "pane.check", PaneParams{w.own.ID}, &check); err != nil || check.State == "" {
		t.Errorf("it reads %+v, %v", check, err)
	}
	n := w.asks(t, screen.Prompt{Content: screen.Content{Subject: "make"}, Ways: screen.Ways{Approve: []string{"1"}}, Fingerprint: "make"})
	w.set(func() {
		w.panes = []detect.Sighting{
			{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude", Where: "main:0.0", Process: proc.ID{PID: 1 << 30, Start: 2}}, State: screen.Idle},
			{Whereabouts: detect.Whereabouts{Pane: w.other, Agent: "claude", Where: "main:1.0", Process: proc.ID{PID: 1 << 30, Start: 1}}, State: screen.Permission},
		}
	})
	list := func() (panes []Pane) {
		if err := w.client.Call(t.Context(), "pane.list", nil, &panes); err != nil || len(panes) != 2 {
			t.Fatalf("%+v, %v", panes, err)
		}
		return panes
	}
	if got := list(); got[0].Nudge != "" || got[0].State != "idle" || got[0].Session != "main" || got[1].Nudge != n.ID {
		t.Errorf("listed are %+v", got)
	}
	if err := w.cfg.Store.Update(func(tx *store.Tx) error {
		k := tx.Nudge(n.ID)
		k.Cadence, k.Reminder, k.Due = []time.Duration{0}, 1, time.Time{}
		tx.Put(k)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if kept, _, err := w.cfg.Keeper.Find(n.ID); err != nil || (list()[1].State == "stuck") != kept.Stuck() || !kept.Stuck() {
		t.Errorf("its reminders are used up: %+v, stuck %t, %v", list()[1], kept.Stuck(), err)
	}
}

// TestWhatAProgramAsksOfTheBotIsAnswered: its health, the events after one, and a server for a while.
func TestWhatAProgramAsksOfTheBotIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, false)
	for _, on := range []settings.OnOff{true, false} {
		w.set(func() { w.settings.Telegram = on })
		var h Health
		if err := w.client.Call(t.Context(), "health", nil, &h); err != nil || h.Status != "ok" || (h.Telegram == "on") != bool(on) || len(h.Tmux) != 1 || h.Tmux[0] != w.own.Server.Socket {
			t.Errorf("%+v, %v", h, err)
		}
	}
	for _, kind := range []string{"one", "two", "three"} {
		if err := w.cfg.Keeper.Note(nudge.Event{Kind: kind}); err != nil {
			t.Fatal(err)
		}
	}
	var all, after Log
	if err := w.client.Call(t.Context(), "log.list", LogParams{Limit: 3}, &all); err != nil || len(all.Events) != 3 || all.Events[0].Kind != "one" {
		t.Fatalf("%+v, %v", all, err)
	}
	if err := w.client.Call(t.Context(), "log.list", LogParams{Limit: 9, After: all.Events[0].Seq}, &after); err != nil || len(after.Events) != 2 || after.Events[0].Kind != "two" {
		t.Errorf("after %d: %+v, %v", all.Events[0].Seq, after, err)
	}
	if f := faultOf(t, w.call(t, "server.try", TryParams{"/tmp/none"}, nil)); f.Message != "" {
		t.Errorf("a server for a while: %+v", f)
	}
	w.set(func() { w.tried = true })
	if f := faultOf(t, w.call(t, "server.try", TryParams{"/tmp/none"}, nil)); !strings.Contains(f.Message, "too many servers") {
		t.Errorf("one too many: %+v", f)
	}
}
