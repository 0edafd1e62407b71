package detect

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

func TestFateOfAPaneThatIsNotWatched(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	s.add("%2", "bash", "$ ")
	s.run("%2", shell())
	dead := tmux.Life{Socket: "/tmp/s", PID: 1 << 30, Start: 1}
	pane := func(life tmux.Life, id string) PaneRef { return PaneRef{Server: life, ID: id} }
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		expect := func(when string, ref PaneRef, want State) {
			t.Helper()
			if got := w.Fate(ref); got != want {
				t.Errorf("%s: the fate of %v is %q, want %q", when, ref, got, want)
			}
		}
		expect("after one listing", pane(s.life, "%2"), "")
		expect("after one listing", pane(s.life, "%7"), Gone)
		expect("after one listing", pane(dead, "%1"), Gone)
		expect("not watched", pane(tmux.Life{Socket: "/tmp/other", PID: 1 << 30}, "%1"), "")
		poll(1)
		expect("after two listings", pane(s.life, "%2"), Shell)
		expect("an agent runs there", pane(s.life, "%1"), "")
		s.run("%2", runs("claude"))
		poll(1)
		expect("an agent is back", pane(s.life, "%2"), "")
		s.run("%2", nil)
		poll(3)
		expect("its processes can't be told", pane(s.life, "%2"), "")

		s.do(func() { s.err = tmux.ErrHung })
		poll(2)
		expect("the server hangs", pane(s.life, "%1"), "")
		s.do(func() { s.err = tmux.ErrNoServer })
		poll(1)
		expect("no server is there, and its process is another's", pane(s.life, "%1"), Gone)
		expect("no server is there, nor its process", pane(dead, "%1"), Gone)
		s.do(func() { s.err, s.owner, s.life.Start = nil, "", 2 })
		poll(2)
		expect("another life", pane(tmux.Life{Socket: "/tmp/s", PID: s.life.PID, Start: 1}, "%1"), Gone)
	})
}

func TestFateIsNotKnownBeforeTheFirstLook(t *testing.T) {
	s := newStage(t)
	s.slow = time.Minute
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		for _, ref := range []PaneRef{{Server: s.life, ID: "%7"}, {Server: tmux.Life{Socket: "/tmp/s", PID: 1 << 30}, ID: "%7"}} {
			if got := w.Fate(ref); got != "" {
				t.Errorf("the fate of %v is %q", ref, got)
			}
		}
	})
}

func TestReadyWaitsForEveryServer(t *testing.T) {
	slow, well := newStage(t), newStage(t)
	slow.socket, slow.slow, slow.err = "/tmp/slow", 10*time.Second, tmux.ErrHung
	well.add("%1", "claude", "busy")
	watch(t, []*stage{slow, well}, func(w *Watcher, _ *audience) {
		began := time.Now()
		ctx, stop := context.WithTimeout(context.Background(), time.Second)
		defer stop()
		if w.Ready(ctx); time.Since(began) != time.Second {
			t.Errorf("it waited for %v beyond its context", time.Since(began))
		}
		if w.Ready(context.Background()); time.Since(began) != slow.slow {
			t.Errorf("ready after %v, want %v", time.Since(began), slow.slow)
		}
		if w.Ready(context.Background()); time.Since(began) != slow.slow {
			t.Errorf("ready again after %v", time.Since(began))
		}
	})
}

func TestReadyBeforeRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := NewWatcher(WatchConfig{})
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		w.Ready(ctx)
		if ctx.Err() == nil {
			t.Error("ready before any server was looked at")
		}
		if at := w.Polled(); !at.IsZero() {
			t.Errorf("polled at %v", at)
		}
	})
}

func TestPolledIsOfTheServerThatWaitsLongest(t *testing.T) {
	well, hung := newStage(t), newStage(t)
	hung.socket = "/tmp/hung"
	watch(t, []*stage{well, hung}, func(w *Watcher, _ *audience) {
		poll(5)
		if since := time.Since(w.Polled()); since >= interval {
			t.Errorf("polled %v ago", since)
		}
		hung.do(func() { hung.err = tmux.ErrNoServer })
		poll(5)
		if since := time.Since(w.Polled()); since >= interval {
			t.Errorf("polls that fail are polls: %v ago", since)
		}
		hung.do(func() { hung.slow = time.Hour })
		poll(10)
		if since := time.Since(w.Polled()); since < 8*interval {
			t.Errorf("one server has not been polled for long, but %v ago", since)
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

func TestAtIsWhenTheScreenWasRead(t *testing.T) {
	s := newStage(t)
	s.slow = 500 * time.Millisecond
	s.add("%1", "claude", "busy")
	var seen []Sighting
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(4)
		seen = a.take()
	})
	for i, got := range seen {
		if got.At.IsZero() || i > 0 && got.At.Before(seen[i-1].At) {
			t.Errorf("look %d is of %v", i, got.At)
		}
	}
	if len(seen) < 2 {
		t.Fatal("too few looks")
	}
	// A screen that is as it was is so since the poll began, at least.
	if late := seen[len(seen)-1].At.Sub(seen[0].At) % interval; late != interval-s.slow {
		t.Errorf("a look that found nothing new is %v off a poll's end", late)
	}
}

func TestSpeaker(t *testing.T) {
	process := func(pid, group int, name string, args ...string) proc.Process {
		return proc.Process{ID: proc.ID{PID: pid}, Group: group, Comm: name, Exe: "/usr/bin/" + name, Args: append([]string{name}, args...)}
	}
	agent, hook := process(10, 10, "claude"), process(99, 10, "sh", "-c", "nod hook claude")
	for name, tt := range map[string]struct {
		line  []proc.Process
		who   role
		voice int
		depth int
	}{
		"a hook":                   {[]proc.Process{process(100, 10, "nod", "hook", "claude"), hook, agent, process(1, 1, "systemd")}, itself, 10, 0},
		"through a wrapper":        {[]proc.Process{hook, process(11, 10, "claude"), agent}, itself, 11, 1},
		"an agent in a shell":      {[]proc.Process{hook, process(12, 12, "claude"), process(11, 11, "bash", "-c", "x"), agent}, nested, 0, 0},
		"one in the same group":    {[]proc.Process{hook, process(12, 10, "claude"), process(11, 10, "bash", "-c", "x"), agent}, nested, 0, 0},
		"one that bash became":     {[]proc.Process{hook, process(12, 12, "claude"), agent}, nested, 0, 0},
		"another kind of agent":    {[]proc.Process{hook, process(12, 10, "codex"), agent}, nested, 0, 0},
		"another pane's":           {[]proc.Process{hook, process(20, 20, "claude"), process(1, 1, "systemd")}, stranger, 0, 0},
		"nobody's":                 {nil, stranger, 0, 0},
		"a shell the agent opened": {[]proc.Process{process(98, 98, "bash"), agent}, itself, 10, 0},
	} {
		who, voice, depth := speaker(tt.line, "claude", agent.ID)
		if who != tt.who || voice.PID != tt.voice || depth != tt.depth {
			t.Errorf("%s: %v, voice %v, depth %d, want %v, %d, %d", name, who, voice, depth, tt.who, tt.voice, tt.depth)
		}
	}
}

// An agent inside that is heard before the agent itself, as after a restart of nod, is put right by the first
// event of the latter.
func TestTheAgentItselfIsHeardBeforeOneInside(t *testing.T) {
	l := newLookout(NewWatcher(WatchConfig{}), newStage(t), owner{}, func() {})
	me := runs("claude")[0].ID
	parent, err := proc.Of(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	inside := l.session("%1", parent, 1)
	if itself := l.session("%1", me, 0); itself == nil || itself == inside {
		t.Error("the agent itself does not replace one inside")
	}
	if l.session("%1", parent, 1) != nil {
		t.Error("one inside is heard again")
	}
	delete(l.sessions, "%1")
	l.session("%1", proc.ID{PID: 1 << 30}, 0)
	if l.session("%1", me, 0) == nil {
		t.Error("an agent that follows one that is dead is not heard")
	}
}
