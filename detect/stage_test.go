package detect

import (
	"context"
	"errors"
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

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/reason"
)

// onePane is a stage with one claude, met and polled.
func onePane(t *testing.T, screen string, test func(w *Watcher, s *stage, a *audience)) {
	t.Helper()
	s := newStage(t)
	s.add("%1", "claude", screen)
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		test(w, s, a)
	})
}

// moment is shorter than a poll's interval, and longer than it takes to look at a prompt again.
const moment = 300 * time.Millisecond

// later lets a moment pass.
func later() {
	time.Sleep(moment)
	synctest.Wait()
}

// prompted is the last prompt that was heard of.
func prompted(t *testing.T, a *audience) *screen.Prompt {
	t.Helper()
	var last *screen.Prompt
	for _, s := range a.take() {
		if s.Prompt != nil {
			last = s.Prompt
		}
	}
	if last == nil {
		t.Fatal("no prompt was heard of")
	}
	return last
}

const (
	wholeEvery  = 15 // after how many polls a stage lists all panes
	sparedUntil = 4  // after how many it captures those that are spared
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
	gates   int           // polls since all panes were listed
	read    int           // captures
	spared  int           // captures that were not made, since the watcher spared them
	traced  int           // panes whose processes were asked for
	taken   time.Duration // how long before a poll its look was taken
	next    time.Duration // after a poll the next look comes; zero: none was asked for
	drew    chan string   // gets the pane that draws next
	came    chan struct{} // gets a value when a look has come that was asked for beforehand
	stable  int           // NOD_STABLE_POLLS
}

// A life whose process is this test, so that it is alive.
func newStage(testing.TB) *stage {
	return &stage{
		socket: "/tmp/s", life: tmux.Life{Socket: "/tmp/s", PID: os.Getpid(), Start: 1},
		panes: map[string]tmux.Pane{}, screens: map[string]string{}, fronts: map[int][]proc.Process{},
		blind: map[string]bool{}, stable: 2,
	}
}

func (s *stage) Socket() string { return s.socket }

func (s *stage) Poll(ctx context.Context, known []tmux.Capture, last tmux.Listing) (tmux.Listing, []tmux.Capture, error) {
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
	l := tmux.Listing{Life: s.life, Clients: s.clients, Owner: s.owner, Taken: time.Now().Add(-s.taken), Fresh: map[string]bool{}, Drew: s.drew, Came: s.came}
	if last.Every > 0 {
		s.gates++
	}
	if l.Whole = last.Taken.IsZero() || s.gates >= wholeEvery; l.Whole {
		s.gates = 0
	}
	if s.next > 0 {
		l.Next = time.Now().Add(s.next)
	}
	for _, id := range slices.Sorted(maps.Keys(s.panes)) {
		l.Panes = append(l.Panes, s.panes[id])
		l.Fresh[id] = true
	}
	var captures []tmux.Capture
	for _, k := range known {
		p, ok := s.panes[k.Pane.ID]
		if !ok || s.blind[p.ID] || !k.Taken.IsZero() && k.Text == s.screens[p.ID] {
			continue
		}
		if k.Spared && !k.Taken.IsZero() && s.polls%sparedUntil != 0 {
			s.spared++
			l.Missed = map[string]bool{p.ID: true}
			continue
		}
		s.read++
		captures = append(captures, tmux.Capture{Pane: p, Taken: time.Now(), Text: s.screens[p.ID]})
	}
	return l, captures, nil
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

func (s *stage) processes(pids []int) (map[int][]proc.Process, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.traced += len(pids)
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
		p := tmux.Pane{ID: id, PID: 1000 + len(s.panes), Width: 80, Height: 24, Position: tmux.Position{Session: "main", Window: len(s.panes)}}
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
	left    []reason.Why // why servers were left alone
}

func (a *audience) leave(why reason.Why) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = append(a.left, why)
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
	watchWith(t, stages, func(*Watcher) {}, test)
}

// watchWith is watch with a Watcher that prepare has changed before it runs.
func watchWith(t *testing.T, stages []*stage, prepare func(*Watcher), test func(w *Watcher, a *audience)) {
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
				return WatchSettings{Servers: names, Interval: 2 * time.Second, StablePolls: stages[0].stable}
			},
			See:     a.see,
			Ran:     a.ran,
			Left:    a.leave,
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
		prepare(w)
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
	text, err := os.ReadFile(filepath.Join("agents", "testdata", file))
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
