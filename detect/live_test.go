package detect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/reason"
	"nod/internal/testrun"
)

// live runs a Watcher on a real tmux server until the test ends.
func live(t *testing.T, socket string) (*Watcher, *audience) {
	t.Helper()
	a := &audience{}
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings {
			return WatchSettings{Servers: []string{socket}, Interval: 100 * time.Millisecond, StablePolls: 2}
		},
		See: a.see,
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return w, a
}

// hear waits until something is heard that satisfies ok, and returns it.
func hear(t *testing.T, a *audience, what string, ok func(Sighting) bool) Sighting {
	t.Helper()
	var heard []Sighting
	for end := time.Now().Add(tmuxtest.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, s := range a.take() {
			heard = append(heard, s)
			if ok(s) {
				return s
			}
		}
	}
	t.Fatalf("never heard %s, but %s", what, brief(heard))
	return Sighting{}
}

// asks reports whether a prompt is there that asks about a command of one line.
func asks(s Sighting, command string) bool {
	if s.Prompt == nil {
		return false
	}
	first, _, _ := strings.Cut(s.Prompt.Subject, "\n")
	return first == command
}

// actor makes a program called claude that draws a recorded screen, and another one for every line
// that it reads.
func actor(t *testing.T, screens ...string) string {
	t.Helper()
	dir := t.TempDir()
	script := "#!/bin/sh\nstty -echo\n"
	for i, screen := range screens {
		file := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(strings.TrimRight(screen, "\n"), "\n", "\r\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		script += fmt.Sprintf("printf '\\033[2J\\033[H'; cat '%s'; read line\n", file)
	}
	path := filepath.Join(dir, "claude")
	if err := testrun.WriteProgram(path, []byte(script)); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRealPanesAreWatched(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	first, second := ask(t, "ls"), ask(t, "rm -rf build")
	shellPane := real.Pane("", 80, 24)
	w, a := live(t, real.Socket)
	real.Type(shellPane, actor(t, first, second), "Enter")

	s := hear(t, a, "the first prompt", func(s Sighting) bool { return s.Prompt != nil })
	if s.State != screen.Permission || !asks(s, "ls") || s.Agent != "claude" || s.Pane.ID != shellPane || !proc.Alive(s.Process) || len(s.Tail) != 15 {
		t.Errorf("the first prompt is %+v", s)
	}
	real.Type(shellPane, "Enter")
	hear(t, a, "the second prompt", func(s Sighting) bool { return asks(s, "rm -rf build") })
	real.Type(shellPane, "Enter")
	hear(t, a, "a shell", func(s Sighting) bool { return s.State == screen.Shell })

	another := real.Pane("exec "+actor(t, first), 80, 24)
	hear(t, a, "a second pane", func(s Sighting) bool { return s.Pane.ID == another && s.Prompt != nil })
	real.Run("copy-mode", "-t", another)
	real.Run("kill-pane", "-t", shellPane)
	hear(t, a, "that the shell's pane is gone", func(s Sighting) bool { return s.Pane.ID == shellPane && s.State == screen.Gone })
	hear(t, a, "the prompt under copy mode", func(s Sighting) bool { return s.Pane.ID == another && s.Prompt != nil })
	if len(w.Panes()) != 1 || w.Count() != 1 || len(w.Health()) != 0 {
		t.Errorf("panes %s, health %+v", brief(w.Panes()), w.Health())
	}

	real.Kill()
	hear(t, a, "that all is gone", func(s Sighting) bool { return s.Pane.ID == another && s.State == screen.Gone })
	real.Start()
	again := real.Pane("exec "+actor(t, second), 80, 24)
	back := hear(t, a, "a pane of the new server", func(s Sighting) bool { return s.Prompt != nil })
	if back.Pane.ID != again || again != shellPane || back.Pane == s.Pane {
		t.Errorf("the new server's pane is %v, the old one's was %v", back.Pane, s.Pane)
	}
}

func TestARealPromptIsHookedInAMoment(t *testing.T) {
	real := tmuxtest.New(t)
	pane := real.Pane("exec "+actor(t, "busy", ask(t, "ls")), 80, 24)
	real.UntilShows(pane, "busy") // by then the agent runs, and the one poll of this test finds it
	a := &audience{}
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings {
			return WatchSettings{Servers: []string{real.Socket}, Interval: time.Minute, StablePolls: 2}
		},
		See: a.see,
	})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() { _ = w.Run(ctx) }()
	hear(t, a, "the pane", func(s Sighting) bool { return s.Pane.ID == pane })

	if !w.Hook(HookEvent{Agent: "claude", Kind: Asks, Origin: Origin{Socket: real.Socket, ServerPID: real.PID(), Pane: pane}}) {
		t.Fatal("the event was not taken")
	}
	real.Type(pane, "Enter")
	s := hear(t, a, "the prompt", func(s Sighting) bool { return s.Prompt != nil })
	if s.By != "hook" {
		t.Errorf("the prompt was found by %s", s.By)
	}
}

func TestAServerThatHangsIsToldAndComesBack(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	real := tmuxtest.New(t)
	real.Pane("exec "+actor(t, ask(t, "ls")), 80, 24)
	w, a := live(t, real.Socket)
	hear(t, a, "the prompt", func(s Sighting) bool { return s.Prompt != nil })
	thaw := real.Freeze()
	for end := time.Now().Add(tmuxtest.Patience); len(w.Health()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is said to be wrong")
		}
	}
	if h := w.Health(); h[0].Kind != reason.ServerUnwatched || !strings.Contains(h[0].What, "does not answer") {
		t.Errorf("health %+v", h)
	}
	for _, s := range a.take() {
		if s.State == screen.Gone {
			t.Error("a pane of a server that hangs is gone")
		}
	}
	thaw()
	hear(t, a, "the prompt", func(s Sighting) bool { return s.Prompt != nil })
	if w.Server(real.Socket) == nil || w.Server("/tmp/elsewhere") != nil {
		t.Error("only a watched server may be typed on")
	}
}

func TestWatchingLeavesNothingBehind(t *testing.T) {
	real := tmuxtest.New(t)
	real.Pane("exec "+actor(t, ask(t, "ls")), 80, 24)
	a := &audience{}
	w := NewWatcher(WatchConfig{
		Settings: func() WatchSettings {
			return WatchSettings{Servers: []string{real.Socket}, Interval: 50 * time.Millisecond, StablePolls: 2}
		},
		See: a.see,
	})
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- w.Run(ctx) }()
	hear(t, a, "the prompt", func(s Sighting) bool { return s.Prompt != nil })
	if clients := real.Run("list-clients"); clients != "" {
		t.Errorf("watching is seen by people: %s", clients)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	l, err := tmux.New(real.Socket).List(t.Context())
	if err != nil || l.Owner != "" || len(w.Panes()) != 0 {
		t.Errorf("owner %q, panes %s, %v", l.Owner, brief(w.Panes()), err)
	}
	if options, buffers := real.Run("show-options", "-s"), real.Run("list-buffers"); strings.Contains(options, "@nod") || buffers != "" {
		t.Errorf("options %s, buffers %s", options, buffers)
	}
}

func TestStateOfPanesOfARealServer(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	agent := real.Pane("exec "+actor(t, ask(t, "ls")), 80, 24)
	other := real.Pane("", 80, 24)
	w, a := live(t, real.Socket)
	ref := hear(t, a, "the prompt", func(s Sighting) bool { return s.Prompt != nil }).Pane
	becomes := func(when string, pane string, want screen.State) {
		t.Helper()
		ref := PaneRef{Server: ref.Server, ID: pane}
		for end := time.Now().Add(tmuxtest.Patience); w.StateOf(ref) != want; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: the state of %s is %q, want %q", when, pane, w.StateOf(ref), want)
			}
		}
	}
	becomes("a shell", other, screen.Shell)
	becomes("no such pane", "%77", screen.Gone)
	if got := w.StateOf(ref); got != "" {
		t.Errorf("the state of a watched pane is %q", got)
	}

	// Without its socket nobody listens, and yet all panes live on.
	if err := os.Rename(real.Socket, real.Socket+".away"); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(tmuxtest.Patience); len(w.Health()) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing is said to be wrong")
		}
	}
	for _, pane := range []string{agent, other, "%77"} {
		if got := w.StateOf(PaneRef{Server: ref.Server, ID: pane}); got != "" {
			t.Errorf("the server can't be reached: the state of %s is %q", pane, got)
		}
	}
	if err := os.Rename(real.Socket+".away", real.Socket); err != nil {
		t.Fatal(err)
	}
	becomes("well again", other, screen.Shell)
	real.Kill()
	becomes("the server has ended", agent, screen.Gone)
}
