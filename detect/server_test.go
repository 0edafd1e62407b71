package detect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

func TestOneFailedReadIsNotGone(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		for _, err := range []error{tmux.ErrHung, tmux.ErrDenied, tmux.ErrProtocol, errors.New("no more processes"), tmux.ErrNoServer} {
			a.take()
			s.do(func() { s.err = fmt.Errorf("poll: %w", err) })
			kind := reason.ServerUnwatched
			if err == tmux.ErrNoServer { // its process lives on
				kind = reason.SocketSilent
			}
			poll(2)
			expect(t, a, err.Error(), "")
			if h := w.Health(); len(h) != 1 || h[0].Kind != kind {
				t.Errorf("%v: health %+v", err, h)
			}
			if p := w.Panes(); len(p) != 1 || p[0].Prompt == nil {
				t.Errorf("%v: panes %+v", err, p)
			}
			s.do(func() { s.err = nil })
			poll(1)
			expect(t, a, "again well", "%1:permission(ls)")
			if h := w.Health(); len(h) != 0 {
				t.Errorf("again well, but health is %+v", h)
			}
		}
	})
}

func TestNoAnswerIsNotTheServersEnd(t *testing.T) {
	s := newStage(t)
	s.life.PID = 1 << 30
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.do(func() { s.err = tmux.ErrHung })
		poll(5)
		expect(t, a, "no answer", "")
	})
}

func TestOneBlindPaneHidesNoOther(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	s.add("%2", "claude", ask(t, "pwd"))
	s.add("%3", "claude", ask(t, "never seen"))
	s.blind["%3"] = true
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		later()
		expect(t, a, "two of three can be read", "%1:working %2:working %1:permission(ls) %2:permission(pwd)")
		s.do(func() { s.blind["%1"], s.screens["%1"] = true, "else" })
		time.Sleep(captureAllEvery) // a look at everything is among these
		synctest.Wait()
		heard := map[string]int{}
		for _, sighting := range a.take() {
			heard[sighting.Pane.ID]++
			if sighting.State == screen.Gone || sighting.Prompt == nil {
				t.Errorf("heard %s", brief([]Sighting{sighting}))
			}
		}
		// The look at everything could not read the blind one, so it told nothing of it.
		if heard["%1"] != heard["%2"]-1 {
			t.Errorf("heard %v", heard)
		}
	})
}

func TestAServerThatEndsTakesItsPanesAlong(t *testing.T) {
	s := newStage(t)
	s.life.PID = 1 << 30 // no such process: it has ended
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		a.take()
		s.do(func() { s.err = tmux.ErrNoServer; s.owner = "" })
		poll(2)
		expect(t, a, "the server has ended", "%1:gone")
		if h := w.Health(); len(h) != 0 {
			t.Errorf("a server that does not run is said to be wrong: %+v", h)
		}
		s.do(func() { s.err, s.life.Start = nil, 99 })
		poll(2)
		if got := brief(a.take()); !strings.HasPrefix(got, "%1:working %1:permission(ls)") {
			t.Errorf("it came back: heard %q", got)
		}
	})
}

func TestAHungServerHoldsUpNoOther(t *testing.T) {
	hung, well := newStage(t), newStage(t)
	hung.socket, hung.slow, hung.err = "/tmp/hung", time.Hour, tmux.ErrHung
	well.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{hung, well}, func(_ *Watcher, a *audience) {
		later()
		expect(t, a, "beside a hung server", "%1:working %1:permission(ls)")
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
