package detect

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

func TestPanesThatLeaveAreGone(t *testing.T) {
	s := newStage(t)
	for i, id := range []string{"%1", "%2", "%3", "%4"} {
		s.add(id, "claude", ask(t, fmt.Sprintf("cmd%d", i)))
	}
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.do(func() {
			delete(s.panes, "%1")
			respawned := s.panes["%2"]
			respawned.PID = 2000
			s.panes["%2"], s.fronts[2000] = respawned, shell()
			dead := s.panes["%3"]
			dead.Dead = true
			s.panes["%3"] = dead
			unwatched := s.panes["%4"]
			unwatched.Agent = tmux.Unwatched
			s.panes["%4"] = unwatched
		})
		poll(1)
		expect(t, a, "closed, respawned, dead, unwatched", "%1:gone %2:gone %3:gone %4:gone")
		poll(2)
		expect(t, a, "later", "")
	})
}

func TestPaneIdsOfANewServerAreOtherPanes(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		old := a.take()[0].Pane
		s.do(func() { s.life.Start++; s.owner = "" })
		poll(2)
		heard := a.take()
		if got := brief(heard); !strings.HasPrefix(got, "%1:gone %1:working %1:permission(ls)") {
			t.Fatalf("heard %q", got)
		}
		if heard[0].Pane != old || heard[1].Pane == old {
			t.Errorf("gone is %v, then came %v; the first pane was %v", heard[0].Pane, heard[1].Pane, old)
		}
		polls := s.looks()
		w.LookSoon(old)
		time.Sleep(2 * fastInterval)
		synctest.Wait()
		if s.looks() != polls {
			t.Error("the old pane is looked at")
		}
	})
}

func TestOnlyPanesWithAgentsAreWatched(t *testing.T) {
	s := newStage(t)
	s.add("%1", "vim", "some text")
	s.add("%2", "bash", "$ ")
	s.run("%2", shell())
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(2)
		expect(t, a, "an editor and a shell", "")
		s.run("%2", runs("claude"))
		s.show("%2", ask(t, "ls"))
		poll(1)
		later()
		expect(t, a, "an agent is started", "%2:working %2:permission(ls)")
		s.run("%2", shell())
		poll(2)
		expect(t, a, "it exits", "%2:shell %2:shell")
		s.run("%2", runs("claude"))
		poll(1)
		later()
		expect(t, a, "it is started again", "%2:working %2:permission(ls)")
	})
}

func TestAnUnknownForegroundChangesNothing(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		a.take()
		s.do(func() {
			s.fronts, s.procErr = map[int][]proc.Process{}, errors.New("read the process table: too many open files")
		})
		poll(1)
		expect(t, a, "no process table", "%1:permission(ls)")
		if h := w.Health(); len(h) != 1 || h[0].Kind != reason.ServerUnwatched || !strings.Contains(h[0].What, "process table") {
			t.Errorf("health %+v", h)
		}
	})
}

func TestNoKeysWhileAnotherProgramCoversTheAgent(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.run("%1", []proc.Process{{ID: proc.ID{PID: 1 << 30}, Comm: "vim", Exe: "/usr/bin/vim", Args: []string{"vim"}}})
		poll(1)
		expect(t, a, "an editor in the foreground", "%1:permission")
		s.run("%1", runs("claude"))
		poll(1)
		expect(t, a, "the agent again", "%1:permission(ls)")
	})
}

func TestWatchAndUnwatchByOption(t *testing.T) {
	s := newStage(t)
	s.add("%1", "ssh", ask(t, "ls"))
	set := func(agent string) {
		s.do(func() { p := s.panes["%1"]; p.Agent, p.Name = agent, "far"; s.panes["%1"] = p })
	}
	set("claude")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		later()
		expect(t, a, "an agent behind ssh", "%1:working %1:permission(ls)")
		if p := w.Panes()[0]; p.Name != "far" || p.Process != runs("ssh")[0].ID {
			t.Errorf("the pane is %+v", p)
		}
		s.run("%1", shell())
		poll(1)
		expect(t, a, "ssh ended", "%1:shell")
		set(tmux.Unwatched)
		poll(2)
		expect(t, a, "unwatched", "%1:gone")
	})
}

func TestAScriptWhoseChildrenComeAndGoIsOneAgent(t *testing.T) {
	s := newStage(t)
	s.add("%1", "sh", ask(t, "ls"))
	s.do(func() { p := s.panes["%1"]; p.Agent = "claude"; s.panes["%1"] = p })
	children := func(n int) {
		s.run("%1", append(runs("sh"), proc.Process{ID: proc.ID{PID: 1<<30 + n}, Comm: "docker", Exe: "/usr/bin/docker"}))
	}
	children(0)
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		later()
		expect(t, a, "at first", "%1:working %1:permission(ls)")
		for i := range 3 {
			children(i + 1)
			poll(1)
			expect(t, a, "another child", "%1:permission(ls)")
		}
	})
}

// TestAPaneIsNamedAsAnAgentIs: any program there can set its option, and what one called nod asks would look like nod's own question.
func TestAPaneIsNamedAsAnAgentIs(t *testing.T) {
	for option, want := range map[string]string{"": "claude", "codex": "codex", "nod": "claude", "Ann's phone": "claude", "a\nb": "claude"} {
		if name, _, ok := agentIn(tmux.Pane{Agent: option}, runs("claude")); !ok || name != want {
			t.Errorf("%q: %q, %t", option, name, ok)
		}
	}
}
