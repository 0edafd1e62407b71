package detect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// Who sends an event in these tests: a hook of the agent that the stage runs, or of one further down.
const (
	own = iota + 1
	wrapped
	agentInside
	unrelatedProcess
	tool
)

// lineage is the ancestors of a sender.
func lineage(pid int) ([]proc.Process, error) {
	agent := runs("claude")[0]
	agent.Group = 1
	hook := proc.Process{ID: proc.ID{PID: 1<<30 - 1}, Comm: "nod", Exe: "/usr/bin/nod", Args: []string{"nod", "hook", "claude"}}
	child := proc.Process{ID: proc.ID{PID: 1<<30 - 2}, Group: 1, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}}
	switch pid {
	case own:
		return []proc.Process{hook, agent}, nil
	case wrapped:
		return []proc.Process{hook, child, agent}, nil
	case agentInside:
		shell := proc.Process{ID: proc.ID{PID: 1<<30 - 3}, Group: 2, Comm: "bash", Exe: "/bin/bash", Args: []string{"bash", "-c", "claude -p x"}}
		child.Group = 2
		return []proc.Process{hook, child, shell, agent}, nil
	case tool:
		shell := proc.Process{ID: proc.ID{PID: 1<<30 - 3}, Group: 2, Comm: "bash", Exe: "/bin/bash", Args: []string{"bash", "-c", "npm install"}}
		return []proc.Process{hook, shell, agent}, nil
	case unrelatedProcess:
		return []proc.Process{hook}, nil
	}
	return nil, errors.New("no such process")
}

// recordedTurn is the recorded events of a real agent, in order.
func recordedTurn(t *testing.T, name string) []HookEvent {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "turns", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var events []HookEvent
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		e, err := ParseHook(r.Agent, r.In, fmt.Sprintf("/tmp/s,%d,0", os.Getpid()), "%1")
		if err != nil {
			t.Fatal(err)
		}
		e.Caller = own
		events = append(events, e)
	}
	return events
}

// event is one of claude's, about one call.
func event(kind HookKind, command, id string) HookEvent {
	e := HookEvent{
		Agent:    "claude",
		Kind:     kind,
		Session:  "s1",
		ToolCall: ToolCall{Tool: "Bash", Call: id},
		Origin:   Origin{Caller: own, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"},
	}
	if command != "" {
		e.Input, _ = json.Marshal(map[string]string{"command": command, "description": "What it is for"})
	}
	if kind == Asks {
		e.Event, e.Call = "PermissionRequest", ""
	}
	return e
}

// ofSession is an event of no call.
func ofSession(kind HookKind) HookEvent {
	e := event(kind, "", "")
	e.Tool = ""
	return e
}

// send gives the watcher events, one after the other.
func send(t *testing.T, w *Watcher, events ...HookEvent) {
	t.Helper()
	for _, e := range events {
		if !w.Hook(e) {
			t.Fatalf("%s of %s was not taken", e.Kind, e.Socket)
		}
		synctest.Wait()
	}
}

// proofs are the proofs among what was heard since the last time. A proof is told at every look until another
// prompt is there.
func proofs(a *audience) string {
	var all []string
	for _, s := range a.take() {
		if s.Proof != "" && !slices.Contains(all, s.Proof) {
			all = append(all, s.Proof)
		}
	}
	return strings.Join(all, " ")
}

func TestStateOfADeadSessionIsForgotten(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, _ *audience) {
		server := w.serverAt("/tmp/s")
		fill := func() {
			send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
			if got := server.sessions["%1"]; got == nil || len(got.calls) != 1 {
				t.Fatalf("the session is %+v", got)
			}
		}
		forgotten := func(when string) {
			t.Helper()
			synctest.Wait()
			if len(server.sessions) != 0 {
				t.Errorf("%s: %+v", when, server.sessions["%1"])
			}
		}
		fill()
		s.run("%1", shell())
		poll(1)
		forgotten("the agent has exited")
		s.run("%1", runs("claude"))
		poll(2)
		fill()
		s.do(func() { s.life.Start++; s.owner = "" })
		poll(1)
		forgotten("the server was restarted")
		poll(1)
		fill()
		s.do(func() { delete(s.panes, "%1") })
		poll(1)
		forgotten("the pane is closed")
	})
	sn := &session{}
	now := time.Now()
	for i := range 10 * callsLimit {
		sn.hear(event(Asks, fmt.Sprint("cmd", i), ""), now)
	}
	if len(sn.calls) > callsLimit || len(sn.openCalls(now)) != 0 {
		t.Errorf("%d calls are kept, %d count", len(sn.calls), len(sn.openCalls(now)))
	}
	sn.hear(ofSession(Before), now.Add(callAge+time.Hour))
	if len(sn.calls) != 1 {
		t.Errorf("%d calls are kept for ever", len(sn.calls))
	}
}

func TestANewSessionReplacesTheOld(t *testing.T) {
	next := func(e HookEvent) HookEvent { e.Session = "s2"; return e }
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, ofSession(Started), event(Before, "old", "c1"), event(Asks, "old", ""))
		send(t, w, next(ofSession(Started)), next(event(Before, tallCommand(), "c2")), next(event(Asks, tallCommand(), "")))
		s.show("%1", screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"))
		later()
		if p := prompted(t, a); p.Partial {
			t.Error("the old session's request still counts")
		}
		s.show("%1", "busy")
		send(t, w, ofSession(Stopped))
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("the old session's end proves %q", got)
		}
	})
}

func TestEventsThatAreLostProveNothing(t *testing.T) {
	sn := &session{}
	now := time.Now()
	sn.hear(event(Asks, "ls", ""), now)
	sn.overflow()
	sn.hear(event(Asks, "pwd", ""), now)
	if open := sn.openCalls(now); len(open) != 0 {
		t.Errorf("%d calls count as all there are", len(open))
	}
	sn.hear(ofSession(Stopped), now)
	sn.hear(event(Asks, "pwd", ""), now)
	if open := sn.openCalls(now); len(open) != 1 {
		t.Errorf("after the turn %d calls count", len(open))
	}
	w := newServerWatcher(NewWatcher(WatchConfig{}), newStage(t), ownerMark{}, func() {})
	w.sessions["%1"] = &session{}
	for range maxPending + 1 {
		w.postpone(receivedEvent{HookEvent: event(Asks, "ls", "")})
	}
	if known := w.sessionOf("%2", speaker{}); len(w.pending) != maxPending || !w.sessions["%1"].incomplete || !known.incomplete {
		t.Errorf("%d events wait, and a session that may have lost some is complete", len(w.pending))
	}
	w = newServerWatcher(NewWatcher(WatchConfig{}), newStage(t), ownerMark{}, func() {})
	w.sessions["%1"], w.life.PID = &session{}, os.Getpid()
	for range maxQueuedEvents + 1 {
		w.events.put(receivedEvent{HookEvent: ofSession(Unrelated)})
	}
	if w.takeEvents(); !w.sessions["%1"].incomplete {
		t.Error("a session is complete after events had no room")
	}
	b := newEventQueue()
	for range maxQueuedEvents + 1 {
		b.put(receivedEvent{HookEvent: event(Before, "ls", "c1")})
	}
	if events, lost := b.take(); len(events) != maxQueuedEvents || !lost {
		t.Errorf("%d events, lost %v", len(events), lost)
	}
	if events, lost := b.take(); len(events) != 0 || lost {
		t.Errorf("then %d events, lost %v", len(events), lost)
	}
}

func TestWhatEventsKeepInMemoryIsBounded(t *testing.T) {
	body := []byte(`{"hook_event_name":"PermissionRequest","session_id":"s","tool_name":"Write","tool_input":{"file_path":"/p/x","content":"` +
		strings.Repeat("line\\n", 2<<20/6) + `"},"last_assistant_message":"` + strings.Repeat("y", 1<<19) + `"}`)
	var m runtime.MemStats
	kept := func() int {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	onePane(t, "busy", func(w *Watcher, _ *stage, _ *audience) {
		before := kept()
		for i, caller := range []int{own, unrelatedProcess, 0} {
			for range 4 {
				e, err := ParseHook("claude", body, fmt.Sprintf("/tmp/s,%d,0", os.Getpid()), "%1")
				if err != nil {
					t.Fatal(err)
				}
				e.Session, e.Caller = fmt.Sprint("s", i), caller
				send(t, w, e)
			}
		}
		if grown := kept() - before; grown > 4<<20 {
			t.Errorf("12 events keep %d MB", grown>>20)
		}
	})
	// Inputs that are just small enough to be kept whole, while the server hangs.
	q := newEventQueue()
	before := kept()
	for range 3 * maxQueuedBytes / maxInput {
		e := event(Before, strings.Repeat("z", maxInput-100), "c1")
		q.put(receivedEvent{HookEvent: e})
	}
	if grown := kept() - before; grown > maxQueuedBytes+2<<20 {
		t.Errorf("a full queue keeps %d MB", grown>>20)
	}
	s := session{}
	before = kept()
	for i := range 3 * callsBytes / maxInput {
		s.hear(event(Asks, strings.Repeat("z", maxInput-200)+fmt.Sprint(i), ""), time.Now())
	}
	if grown := kept() - before; grown > callsBytes+1<<20 {
		t.Errorf("a session keeps %d MB", grown>>20)
	}
	runtime.KeepAlive(q)
	runtime.KeepAlive(s)
}

// TestAnEventWaitsForItsServer: what it told still counts when the server is met soon after.
func TestAnEventWaitsForItsServer(t *testing.T) {
	s := newStage(t)
	s.err = tmux.ErrNoServer
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		s.add("%1", "claude", screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"))
		send(t, w, event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""))
		later()
		s.do(func() { s.err = nil })
		poll(1)
		if p := prompted(t, a); p.Source != screen.FromEvent {
			t.Errorf("the text of the prompt is from %q", p.Source)
		}
	})
}

func TestAHookOfAServerThatWasNotMetPollsAtOnce(t *testing.T) {
	s := newStage(t)
	s.err = tmux.ErrNoServer
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(100 * time.Millisecond)
		s.add("%1", "claude", screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"))
		s.do(func() { s.err = nil })
		send(t, w, event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""))
		later()
		if p := prompted(t, a); p.Partial {
			t.Error("what the event told was lost while its server was not known")
		}
		polls := s.looks()
		stale := ofSession(Asks)
		stale.ServerPID = 1 << 30
		if w.Hook(stale) {
			t.Error("an event of a server that does not run was taken")
		}
		later()
		if s.looks() != polls {
			t.Errorf("%d looks for an event of a server that does not run", s.looks()-polls)
		}
		s.do(func() { s.life.Start++; s.owner = "" })
		poll(1)
		a.take()
		s.do(func() { s.err, s.life.PID = nil, os.Getppid() })
		later()
		next := event(Asks, tallCommand(), "")
		next.ServerPID = os.Getppid()
		send(t, w, next)
		later()
		if got := w.Panes(); len(got) != 1 || got[0].Pane.Server.PID != os.Getppid() {
			t.Errorf("the new life's panes are %s", brief(got))
		}
	})
}

// payload is what Claude Code reports of a call, with changes in the event and in the tool's input.
func payload(t *testing.T, name string, event, input map[string]any) HookEvent {
	t.Helper()
	given := map[string]any{"command": "git push --force", "description": "Push it", "timeout": 1000}
	maps.Copy(given, input)
	fields := map[string]any{"session_id": "s", "cwd": "/p", "permission_mode": "auto", "tool_name": "Bash", "tool_input": given}
	maps.Copy(fields, event)
	fields["hook_event_name"] = name
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ParseHook("claude", text, "/tmp/s,1,0", "%1")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestOnlyTheVeryCallHasItsExactName: before it is made and when it asks it has the same one, and whatever else is told of a call, its command
// being the same, has another.
func TestOnlyTheVeryCallHasItsExactName(t *testing.T) {
	t.Parallel()
	before, asks := payload(t, "PreToolUse", nil, nil), payload(t, "PermissionRequest", nil, nil)
	if ExactCall(before) == "" || ExactCall(before) != ExactCall(asks) {
		t.Error("one call has two names")
	}
	values := []any{"other", 7, true, nil, []string{"x"}, map[string]any{"a": 1}}
	for range 2000 {
		event, input := map[string]any{}, map[string]any{}
		in := event
		names := []string{"session_id", "cwd", "permission_mode", "tool_name", "agent_id"}
		if rand.IntN(2) == 0 {
			in, names = input, []string{"timeout", "run_in_background", "dangerouslyDisableSandbox", "description", "\u00e9", ""}
		}
		name := names[rand.IntN(len(names))]
		in[name] = values[rand.IntN(len(values))]
		if name == "agent_id" && in[name] == nil {
			continue // it says nothing
		}
		e := payload(t, "PermissionRequest", event, input)
		if ExactCall(e) == ExactCall(asks) {
			t.Fatalf("%s %v: another call has the same name", name, in[name])
		}
		if name == "agent_id" && !e.Subagent {
			t.Fatalf("agent_id %v: a part's call counts for the session's own", in[name])
		}
	}
}

// TestAPromptIsOfTheCallThatAsks, though one with the same command was announced before.
func TestAPromptIsOfTheCallThatAsks(t *testing.T) {
	t.Parallel()
	s := &session{}
	announced, asks := payload(t, "PreToolUse", nil, nil), payload(t, "PermissionRequest", nil, map[string]any{"timeout": 2000})
	now := time.Now()
	s.hear(announced, now)
	s.hear(asks, now)
	if c := s.request(now); c == nil || c.exact != ExactCall(asks) || c.exact == ExactCall(announced) {
		t.Errorf("the prompt is of %+v", c)
	}
}
