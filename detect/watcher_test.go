package detect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// stage is a tmux server for tests on fake time: panes whose screens a test sets.
type stage struct {
	mu      sync.Mutex
	socket  string
	life    tmux.Life
	panes   map[string]tmux.Pane
	screens map[string]string
	fronts  map[int][]proc.Process
	clients []tmux.Client
	owner   string
	err     error         // of every poll
	slow    time.Duration // of every poll
	blind   map[string]bool
	procErr error
	polls   int
}

// A life whose process is this test, so that it is alive.
func newStage(t *testing.T) *stage {
	return &stage{
		socket: "/tmp/s", life: tmux.Life{Socket: "/tmp/s", PID: os.Getpid(), Start: 1},
		panes: map[string]tmux.Pane{}, screens: map[string]string{}, fronts: map[int][]proc.Process{},
		blind: map[string]bool{},
	}
}

func (s *stage) Socket() string { return s.socket }

func (s *stage) Poll(ctx context.Context, known []tmux.Shot) (tmux.Listing, []tmux.Shot, error) {
	s.mu.Lock()
	slow := s.slow
	s.mu.Unlock()
	select {
	case <-ctx.Done():
		return tmux.Listing{}, nil, ctx.Err()
	case <-time.After(slow):
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.polls++
	if s.err != nil {
		return tmux.Listing{}, nil, s.err
	}
	l := tmux.Listing{Life: s.life, Clients: s.clients, Owner: s.owner}
	for _, id := range slices.Sorted(maps.Keys(s.panes)) {
		l.Panes = append(l.Panes, s.panes[id])
	}
	var shots []tmux.Shot
	for _, k := range known {
		p, ok := s.panes[k.Pane.ID]
		if !ok || s.blind[p.ID] || !k.Taken.IsZero() && k.Capture == s.screens[p.ID] {
			continue
		}
		shots = append(shots, tmux.Shot{Pane: p, Taken: time.Now(), Capture: s.screens[p.ID]})
	}
	return l, shots, nil
}

func (s *stage) SetOwner(_ context.Context, life tmux.Life, was, next string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if life != s.life || was != s.owner {
		return tmux.ErrStale
	}
	s.owner = next
	return nil
}

func (s *stage) processes([]int) (map[int][]proc.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.fronts), s.procErr
}

// looks is how often the server was polled.
func (s *stage) looks() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls
}

// do changes the stage.
func (s *stage) do(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// runs is a process of that name; this test's own, so that it is alive.
func runs(name string) []proc.Process {
	id, err := proc.Of(os.Getpid())
	if err != nil {
		panic(err)
	}
	return []proc.Process{{ID: id, Comm: name, Exe: "/usr/bin/" + name, Args: []string{name}}}
}

// shell is the foreground of a pane whose agent has exited.
func shell() []proc.Process {
	return []proc.Process{{ID: proc.ID{PID: 1 << 30}, Comm: "bash", Exe: "/bin/bash", Args: []string{"-bash"}}}
}

// add puts an agent's pane on the stage.
func (s *stage) add(id, agent, screen string) {
	s.do(func() {
		p := tmux.Pane{ID: id, PID: 1000 + len(s.panes), Width: 80, Height: 24, Session: "main", Window: len(s.panes)}
		s.panes[id], s.screens[id] = p, screen
		s.fronts[p.PID] = runs(agent)
	})
}

// show changes what a pane shows.
func (s *stage) show(id, screen string) { s.do(func() { s.screens[id] = screen }) }

// run gives a pane's foreground to other processes.
func (s *stage) run(id string, front []proc.Process) {
	s.do(func() { s.fronts[s.panes[id].PID] = front })
}

// audience is who hears of sightings.
type audience struct {
	mu      sync.Mutex
	all     []Sighting
	effects []Effect
}

func (a *audience) ran(e Effect) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.effects = append(a.effects, e)
}

// results returns the effects that were heard since the last time.
func (a *audience) results() []Effect {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.effects
	a.effects = nil
	return all
}

func (a *audience) see(s Sighting) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, s)
}

// take returns what was heard since the last time.
func (a *audience) take() []Sighting {
	a.mu.Lock()
	defer a.mu.Unlock()
	all := a.all
	a.all = nil
	return all
}

// brief is sightings as short words: pane, state, first word of the subject, marks.
func brief(all []Sighting) string {
	var words []string
	for _, s := range all {
		word := s.Pane.ID + ":" + string(s.State)
		if s.Prompt != nil {
			subject, _, _ := strings.Cut(s.Prompt.Subject, "\n")
			word += "(" + subject + ")"
		}
		if s.Unseen {
			word += "!"
		}
		if s.Proof != "" {
			word += "=" + s.Proof
		}
		if s.By != "poll" {
			word += "@" + s.By
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// watch runs a Watcher on stages in a bubble while test runs. Time passes only where test sleeps.
func watch(t *testing.T, stages []*stage, test func(w *Watcher, a *audience)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		a := &audience{}
		var names []string
		bySocket := map[string]*stage{}
		for _, s := range stages {
			names = append(names, s.socket)
			bySocket[s.socket] = s
		}
		w := NewWatcher(WatchConfig{
			Settings: func() WatchSettings {
				return WatchSettings{Servers: names, Interval: 2 * time.Second, StablePolls: 2}
			},
			See:     a.see,
			Ran:     a.ran,
			Log:     slog.New(slog.NewTextHandler(t.Output(), nil)),
			Lineage: lineage,
			Screens: func(name string) Screens { return bySocket[name] },
			Processes: func(pids []int) (map[int][]proc.Process, error) {
				all := map[int][]proc.Process{}
				var err error
				for _, s := range stages {
					fronts, e := s.processes(pids)
					maps.Copy(all, fronts)
					err = errors.Join(err, e)
				}
				return all, err
			},
		})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		synctest.Wait()
		test(w, a)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// screenOf is a recorded screen of an agent.
func screenOf(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// ask is a claude that asks about command.
func ask(t testing.TB, command string) string {
	t.Helper()
	screen := screenOf(t, "claude/2.1.329-bash-80x24.ansi")
	const asked = "touch rig-bash-ran && rm -rf build"
	if !strings.Contains(screen, asked) {
		t.Fatalf("the recorded screen does not ask about %q:\n%s", asked, screen)
	}
	return strings.ReplaceAll(screen, asked, command)
}

// expect compares what was heard since the last time.
func expect(t *testing.T, a *audience, when, want string) {
	t.Helper()
	if got := brief(a.take()); got != want {
		t.Errorf("%s: heard %q, want %q", when, got, want)
	}
}

const interval = 2 * time.Second

// poll lets n polls pass.
func poll(n int) {
	time.Sleep(time.Duration(n) * interval)
	synctest.Wait()
}

func TestAPromptIsToldOnceItIsStable(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		expect(t, a, "at first", "%1:working")
		poll(1)
		expect(t, a, "after a second look", "%1:permission(ls)")
		poll(1)
		expect(t, a, "after a third", "%1:permission(ls)")
		s.show("%1", ask(t, "rm x"))
		poll(1)
		expect(t, a, "another prompt, seen once", "%1:permission!")
		poll(1)
		expect(t, a, "another prompt, seen twice", "%1:permission(rm x)")
		if p := w.Panes(); len(p) != 1 || p[0].Prompt == nil || p[0].Where != "main:0.0" || p[0].Agent != "claude" {
			t.Errorf("the panes are %+v", p)
		}
	})
}

func TestAPromptThatLeavesIsUnseenFirst(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.show("%1", "nothing known")
		poll(1)
		expect(t, a, "one look without it", "%1:permission!")
		poll(1)
		expect(t, a, "two", "%1:working")
	})
}

func TestOneLookWithoutThePromptIsNotItsEnd(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.show("%1", "")
		poll(1)
		s.show("%1", ask(t, "ls"))
		poll(2)
		expect(t, a, "a redraw", "%1:permission! %1:permission %1:permission(ls)")
	})
}

func TestOneFailedReadIsNotGone(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		for _, err := range []error{tmux.ErrHung, tmux.ErrDenied, tmux.ErrProtocol, errors.New("no more processes"), tmux.ErrNoServer} {
			a.take()
			s.do(func() { s.err = fmt.Errorf("poll: %w", err) })
			poll(2)
			expect(t, a, err.Error(), "")
			if h := w.Health(); len(h) != 1 || !strings.HasSuffix(h[0], ".") {
				t.Errorf("%v: health %q", err, h)
			}
			if p := w.Panes(); len(p) != 1 || p[0].Prompt == nil {
				t.Errorf("%v: panes %+v", err, p)
			}
			s.do(func() { s.err = nil })
			poll(1)
			expect(t, a, "again well", "%1:permission(ls)")
			if h := w.Health(); len(h) != 0 {
				t.Errorf("again well, but health is %q", h)
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
		poll(1)
		expect(t, a, "two of three can be read", "%1:working %2:working %1:permission(ls) %2:permission(pwd)")
		s.do(func() { s.blind["%1"], s.screens["%1"] = true, "else" })
		time.Sleep(wholeEvery) // a look at everything is among these
		synctest.Wait()
		heard := map[string]int{}
		for _, sighting := range a.take() {
			heard[sighting.Pane.ID]++
			if sighting.State == Gone || sighting.Prompt == nil {
				t.Errorf("heard %s", brief([]Sighting{sighting}))
			}
		}
		// The look at everything could not read the blind one, so it told nothing of it.
		if heard["%1"] != heard["%2"]-1 {
			t.Errorf("heard %v", heard)
		}
	})
}

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
		if _, err := w.Look(context.Background(), old); !errors.Is(err, tmux.ErrNoPane) {
			t.Errorf("the old pane is looked at: %v", err)
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
			t.Errorf("a server that does not run is said to be wrong: %q", h)
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
		poll(1)
		expect(t, a, "beside a hung server", "%1:working %1:permission(ls)")
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
		poll(2)
		expect(t, a, "an agent is started", "%2:working %2:permission(ls)")
		s.run("%2", shell())
		poll(2)
		expect(t, a, "it exits", "%2:shell %2:shell")
		s.run("%2", runs("claude"))
		poll(2)
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
		if h := w.Health(); len(h) != 1 || !strings.Contains(h[0], "process table") {
			t.Errorf("health %q", h)
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
		poll(1)
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
		poll(1)
		expect(t, a, "at first", "%1:working %1:permission(ls)")
		for i := range 3 {
			children(i + 1)
			poll(1)
			expect(t, a, "another child", "%1:permission(ls)")
		}
	})
}

func TestSilentAfterTwoMinutes(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "nothing that is known")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		began := time.Now()
		time.Sleep(silentAfter - time.Millisecond)
		synctest.Wait()
		for _, heard := range a.take() {
			if heard.State != Working {
				t.Fatalf("after %v it is %s", heard.At.Sub(began), heard.State)
			}
		}
		poll(1)
		expect(t, a, "after two minutes", "%1:silent")
		s.show("%1", "something else")
		poll(1)
		expect(t, a, "output", "%1:working")
	})
}

func TestTypingIntoTheInputBoxIsIdle(t *testing.T) {
	s := newStage(t)
	const draft = "half typed draft"
	idle := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt")
	s.add("%1", "claude", idle)
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		expect(t, a, "at first", "%1:working")
		poll(1)
		expect(t, a, "an input box that is still", "%1:idle")
		for i := range 5 {
			s.show("%1", strings.Replace(idle, draft, draft+strings.Repeat("x", i+1), 1))
			poll(1)
			expect(t, a, "somebody types", "%1:idle")
		}
	})
}

func TestSinceIsWhenTheStateBegan(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		at := time.Now()
		poll(5)
		heard := a.take()
		if last := heard[len(heard)-1]; !last.Since.Equal(at) || !last.At.Equal(at.Add(5*interval)) {
			t.Errorf("since %v at %v, want since %v", last.Since, last.At, at)
		}
	})
}

func TestPresenceIsTold(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	s.add("%2", "claude", ask(t, "ls"))
	here, near := time.Unix(1000, 0), time.Unix(2000, 0)
	s.clients = []tmux.Client{{Pane: "%1", Activity: here}, {Pane: "%7", Activity: near}}
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		p := w.Panes()
		if !p[0].Here.Equal(here) || !p[0].Near.Equal(near) || !p[1].Here.IsZero() || !p[1].Near.Equal(near) {
			t.Errorf("presence %v %v, %v %v", p[0].Here, p[0].Near, p[1].Here, p[1].Near)
		}
	})
}

func TestASecondNodKeepsQuiet(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	parent, err := proc.Of(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	boot, err := proc.BootID()
	if err != nil {
		t.Fatal(err)
	}
	s.owner = owner{ID: parent, boot: boot}.String()
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(2)
		expect(t, a, "another nod owns the server", "")
		if h := w.Health(); len(h) != 1 || !strings.Contains(h[0], fmt.Sprintf("process %d", parent.PID)) {
			t.Errorf("health %q", h)
		}
		if w.Server("/tmp/s") != nil {
			t.Error("a key may be typed on another nod's server")
		}
		if w.Hook(HookEvent{Kind: Asks, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}) {
			t.Error("an event of another nod's server was taken")
		}
		s.do(func() { s.owner = owner{ID: proc.ID{PID: 1 << 30}, boot: boot}.String() })
		poll(2)
		if got := brief(a.take()); !strings.HasPrefix(got, "%1:working %1:permission(ls)") || len(w.Health()) != 0 || w.Server("/tmp/s") == nil {
			t.Errorf("the other nod has ended: heard %q, health %q", got, w.Health())
		}
	})
	if s.owner != "" {
		t.Errorf("a nod that has ended still marks the server: %q", s.owner)
	}
}

func TestAHookIsReadAtOnce(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		event := HookEvent{Agent: "claude", Kind: Asks, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}
		poll(3)
		a.take()
		time.Sleep(100 * time.Millisecond)
		if !w.Hook(event) {
			t.Fatal("the event was not taken")
		}
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		expect(t, a, "before the dialog is drawn", "")
		s.show("%1", ask(t, "ls"))
		time.Sleep(2 * fast)
		synctest.Wait()
		expect(t, a, "the dialog is drawn", "%1:permission(ls)@hook")
		polls := s.looks()
		time.Sleep(time.Second)
		synctest.Wait()
		if s.looks() != polls {
			t.Errorf("%d more looks after the dialog was seen", s.looks()-polls)
		}
	})
}

func TestAHookWaitsForAnotherDialogThanTheOneThatStands(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(100 * time.Millisecond)
		a.take()
		w.Hook(HookEvent{Kind: Asks, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"})
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		expect(t, a, "the dialog that stood there", "%1:permission(ls)@hook")
		s.show("%1", ask(t, "rm x"))
		time.Sleep(3 * fast)
		synctest.Wait()
		expect(t, a, "the next one", "%1:permission(rm x)@hook")
	})
}

func TestAHookWithoutADialogGivesUp(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		w.Hook(HookEvent{Kind: Asks, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"})
		time.Sleep(patience + slower)
		synctest.Wait()
		polls := s.looks()
		poll(5)
		if got := s.looks() - polls; got != 5 {
			t.Errorf("%d looks in 5 polls", got)
		}
	})
}

func TestAHookEnrolsAPane(t *testing.T) {
	s := newStage(t)
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(500 * time.Millisecond)
		s.add("%9", "codex", "starting")
		w.Hook(HookEvent{Kind: Started, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%9"})
		time.Sleep(4 * fast)
		synctest.Wait()
		if p := w.Panes(); len(p) != 1 || p[0].Agent != "codex" {
			t.Errorf("panes %+v after %s", p, brief(a.take()))
		}
	})
}

func TestHooksOfOtherServersChangeNothing(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		poll(1)
		polls := s.looks()
		for _, e := range []HookEvent{
			{Kind: Asks, Socket: "/tmp/other", ServerPID: os.Getpid(), Pane: "%1"},
			{Kind: Asks, Socket: "/tmp/s", ServerPID: 1 << 30, Pane: "%1"},
			{Kind: Asks, Socket: "/tmp/s", ServerPID: os.Getpid()},
			{Kind: Asks},
		} {
			if w.Hook(e) {
				t.Errorf("%+v was taken", e)
			}
		}
		if !w.Hook(HookEvent{Kind: Unrelated, Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}) {
			t.Error("an event of a watched server is called another's")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s.looks() != polls {
			t.Errorf("%d looks", s.looks()-polls)
		}
	})
}

func TestLookReadsTwice(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(100 * time.Millisecond)
		s.show("%1", ask(t, "ls"))
		a.take()
		began := time.Now()
		heard, err := w.Look(context.Background(), PaneRef{Server: s.life, ID: "%1"})
		if err != nil || brief([]Sighting{heard}) != "%1:permission(ls)" || time.Since(began) > 2*fast {
			t.Errorf("after %v: %s, %v", time.Since(began), brief([]Sighting{heard}), err)
		}
		expect(t, a, "a look", "%1:permission(ls)")
		polls := s.looks()
		if _, err := w.Look(context.Background(), PaneRef{Server: s.life, ID: "%1"}); err != nil || s.looks() != polls+2 {
			t.Errorf("%d looks at a still pane, %v", s.looks()-polls, err)
		}
		if _, err := w.Look(context.Background(), PaneRef{Server: s.life, ID: "%7"}); !errors.Is(err, tmux.ErrNoPane) {
			t.Errorf("a pane that is not there: %v", err)
		}
		other := s.life
		other.Socket = "/tmp/other"
		if _, err := w.Look(context.Background(), PaneRef{Server: other, ID: "%1"}); !errors.Is(err, tmux.ErrNoPane) {
			t.Errorf("a server that is not watched: %v", err)
		}
	})
}

func TestProjectIsTheGitTopLevel(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "api", "src", "auth")
	tree := filepath.Join(root, "worktree")
	for _, dir := range []string{deep, filepath.Join(root, "api", ".git"), tree} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p project
	for path, want := range map[string]string{
		deep: "api", filepath.Join(root, "api"): "api", tree: "worktree", root: filepath.Base(root), "": "",
		filepath.Join(root, "not there"): "not there",
	} {
		if got := p.of(path); got != want {
			t.Errorf("%s is of project %q, want %q", path, got, want)
		}
	}
}
