package detect

import (
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/tmux"
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
