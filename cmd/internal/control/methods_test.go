package control

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/testrun"
	"nod/internal/words"
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
	var newest Log
	if err := w.client.Call(t.Context(), "log.list", LogParams{Limit: 1}, &newest); err != nil || len(newest.Events) != 1 || newest.Events[0].Kind != "three" {
		t.Errorf("the newest is %+v, %v", newest, err)
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

// TestWhatIsHeldBackIsToldSo, while somebody is at the pane; and so is why an agent asks nobody.
func TestWhatIsHeldBackIsToldSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	prompt := &screen.Prompt{Content: screen.Content{Agent: "claude"}, Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"2"}}, Fingerprint: "f"}
	s := detect.Sighting{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude"}, State: screen.Permission, Prompt: prompt, At: time.Now(), By: "poll"}
	s.Here = time.Now()
	s.Unasked = []reason.Why{{Kind: reason.OnlyHookAsks}}
	if err := w.cfg.Keeper.See(s); err != nil {
		t.Fatal(err)
	}
	w.set(func() { w.panes = []detect.Sighting{s} })
	var h Health
	var list []Nudge
	var panes []Pane
	err := errors.Join(w.client.Call(t.Context(), "health", nil, &h), w.client.Call(t.Context(), "nudge.list", ListParams{}, &list), w.client.Call(t.Context(), "pane.list", nil, &panes))
	if err != nil || len(h.Held) != 1 || len(list) != 1 || h.Held[0].Nudge != list[0].ID || h.Held[0].Why == "" || time.Until(h.Held[0].Until) <= 0 || !list[0].Held {
		t.Errorf("held are %+v of %+v, %v", h.Held, list, err)
	}
	if len(panes) != 1 || len(panes[0].Unasked) != 1 || panes[0].Unasked[0] != words.Why(s.Unasked[0]) {
		t.Errorf("the pane is %+v", panes)
	}
}

// TestSessionsInTheBackgroundAreListed with the question that waits there.
func TestSessionsInTheBackgroundAreListed(t *testing.T) {
	w := newWorld(t)
	dir, me := t.TempDir(), self(t)
	list := fmt.Sprintf(`[{"pid":%d,"id":"a1","sessionId":"s1","kind":"background","cwd":"/src/api","status":"idle"},{"pid":%d,"id":"a2","sessionId":"s2","kind":"background","cwd":"/src/web","status":"busy"}]`, me.PID, os.Getppid())
	if err := testrun.WriteProgram(filepath.Join(dir, "claude"), []byte("#!/bin/sh\necho '"+list+"'\n")); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	go func() { _ = w.cfg.Background.Run(t.Context()) }()
	if _, err := w.client.Hook(t.Context(), rpc.Hook{Agent: "claude", Version: "2.1.330", Event: []byte(`{"hook_event_name":"Stop","session_id":"s1"}`)}); err != nil {
		t.Fatal(err)
	}
	n, err := w.cfg.Keeper.Ask(nudge.ProgramQuestion{Text: "Deploy?", Words: true, Timeout: time.Hour, Program: "claude", Agent: me})
	if err != nil {
		t.Fatal(err)
	}
	w.waits(t, w.other)
	var got []Pane
	for end := time.Now().Add(20 * time.Second); len(got) == 0 && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if err := w.client.Call(t.Context(), "background.list", nil, &got); err != nil {
			t.Fatal(err)
		}
	}
	if len(got) != 2 || got[0].Where != "background a1" || got[0].Project != "api" || got[0].State != "idle" || got[0].Nudge != n.ID || got[1].Nudge != "" {
		t.Errorf("listed are %+v", got)
	}
}

// TestARefusalNamesTelegramWhereItAnswers.
func TestARefusalNamesTelegramWhereItAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.agent(t, true)
	for _, on := range []settings.OnOff{true, false} {
		w.set(func() { w.settings.Telegram = on })
		if f := faultOf(t, w.call(t, "pane.send", SendParams{w.own.ID, []string{"x"}}, nil)); strings.Contains(f.Message, "Or answer on Telegram.") != bool(on) || f.Reason != string(deliver.CallerIsAgent) {
			t.Errorf("Telegram %t: %+v", on, f)
		}
	}
}
