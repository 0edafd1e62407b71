package detect

import (
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

func TestStateOfAPaneThatIsNotWatched(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	s.add("%2", "bash", "$ ")
	s.run("%2", shell())
	dead := tmux.Life{Socket: "/tmp/s", PID: 1 << 30, Start: 1}
	pane := func(life tmux.Life, id string) PaneRef { return PaneRef{Server: life, ID: id} }
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		expect := func(when string, ref PaneRef, want screen.State) {
			t.Helper()
			if got := w.StateOf(ref); got != want {
				t.Errorf("%s: the state of %v is %q, want %q", when, ref, got, want)
			}
		}
		expect("after one listing", pane(s.life, "%2"), "")
		expect("after one listing", pane(s.life, "%7"), screen.Gone)
		expect("after one listing", pane(dead, "%1"), screen.Gone)
		expect("not watched", pane(tmux.Life{Socket: "/tmp/other", PID: 1 << 30}, "%1"), "")
		poll(1)
		expect("after two listings", pane(s.life, "%2"), screen.Shell)
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
		expect("no server is there, and its process is another's", pane(s.life, "%1"), screen.Gone)
		expect("no server is there, nor its process", pane(dead, "%1"), screen.Gone)
		s.do(func() { s.err, s.owner, s.life.Start = nil, "", 2 })
		poll(2)
		expect("another life", pane(tmux.Life{Socket: "/tmp/s", PID: s.life.PID, Start: 1}, "%1"), screen.Gone)
	})
}

func TestTheStateIsNotKnownBeforeTheFirstLook(t *testing.T) {
	s := newStage(t)
	s.slow = time.Minute
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		for _, ref := range []PaneRef{{Server: s.life, ID: "%7"}, {Server: tmux.Life{Socket: "/tmp/s", PID: 1 << 30}, ID: "%7"}} {
			if got := w.StateOf(ref); got != "" {
				t.Errorf("the state of %v is %q", ref, got)
			}
		}
	})
}

// TestAWatchedPaneIsNotLost: an editor in front of the agent makes a listing without an agent.
func TestAWatchedPaneIsNotLost(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		poll(1)
		s.run("%1", shell())
		poll(3)
		if got := w.StateOf(PaneRef{Server: s.life, ID: "%1"}); got != "" {
			t.Errorf("lost as %s", got)
		}
		if panes := w.Panes(); len(panes) != 1 || panes[0].State != screen.Shell {
			t.Errorf("watched: %s", brief(panes))
		}
	})
}

// TestTheLogTellsOfAServerWhatIsTrue: one that has ended does not work again, and its trouble is told as the reason that it is.
func TestTheLogTellsOfAServerWhatIsTrue(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	server := exec.Command("sleep", "600")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	s.life.PID = server.Process.Pid
	var log strings.Builder
	watchWith(t, []*stage{s}, func(w *Watcher) {
		w.cfg.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if why, is := a.Value.Any().(reason.Why); is {
				a.Value = slog.StringValue("because of " + string(why.Kind))
			}
			return a
		}}))
	}, func(_ *Watcher, _ *audience) {
		const again, why = "works again", "because of " + string(reason.ServerUnwatched)
		told := func(what string, want bool) {
			t.Helper()
			if got := strings.Contains(log.String(), what); got != want {
				t.Errorf("%q is told: %v\n%s", what, got, log.String())
			}
			log.Reset()
		}
		poll(2)
		told(again, false)
		s.do(func() { s.err = tmux.ErrHung })
		poll(1)
		told(why, true)
		_ = server.Process.Kill()
		_ = server.Wait()
		s.do(func() { s.err = tmux.ErrNoServer })
		poll(2)
		told(again, false)
		s.do(func() { s.err, s.life.PID, s.owner = nil, os.Getpid(), "" })
		poll(2)
		s.do(func() { s.err = tmux.ErrHung })
		poll(1)
		told(why, true)
		s.do(func() { s.err = nil })
		poll(1)
		told(again, true)
	})
}
