package tmux_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// watched polls some panes as a watcher does.
type watched struct {
	*tmux.Watch
	t      *testing.T
	ctx    context.Context
	every  time.Duration
	panes  []string
	spared []string
	known  map[string]tmux.Capture
	last   tmux.Listing
	polled time.Time // when the last poll was over
	ahead  int       // polls whose look had been asked for beforehand
	late   int       // polls that came much too late, as on a busy machine

	captured map[string]int // how often each pane was captured; nil: nobody counts
}

func newWatched(t *testing.T, real *tmuxtest.Server, every time.Duration, panes ...string) *watched {
	return &watched{Watch: tmux.NewWatch(real.Socket), t: t, ctx: t.Context(), every: every, panes: panes, known: map[string]tmux.Capture{}}
}

// inTurn waits until the next look is due, and polls.
func (w *watched) inTurn() error {
	untilNext(w.last)
	if !w.polled.IsZero() && time.Since(w.polled) > w.every+50*time.Millisecond {
		w.late++
	}
	w.last.Every = w.every
	return w.poll()
}

// untilNext waits until the poll after a listing is due.
func untilNext(l tmux.Listing) {
	select {
	case <-l.Came:
	case <-time.After(time.Until(l.Next)):
	}
}

func (w *watched) poll() error {
	var asked []tmux.Capture
	for _, pane := range w.panes {
		k := w.known[pane]
		k.Pane.ID, k.Spared = pane, slices.Contains(w.spared, pane)
		asked = append(asked, k)
	}
	began := time.Now()
	listing, captures, err := w.Poll(w.ctx, asked, w.last)
	if err != nil {
		return err
	}
	if listing.Taken.After(time.Now()) || listing.Taken.Before(began.Add(-time.Second)) {
		w.t.Errorf("a poll at %v reports %v", began, listing.Taken)
	}
	for _, pane := range w.panes {
		k := w.known[pane]
		switch {
		case listing.Missed[pane] && !slices.Contains(w.spared, pane):
			k.Taken = time.Time{}
		case !listing.Missed[pane]:
			k.Taken = listing.Taken
		}
		w.known[pane] = k
	}
	for _, c := range captures {
		w.known[c.Pane.ID] = c
		if w.captured != nil {
			w.captured[c.Pane.ID]++
		}
	}
	w.polled = time.Now()
	if w.last = listing; listing.Came != nil {
		w.ahead++
	} else if listing.Next.IsZero() {
		w.last.Next = began.Add(w.every)
	}
	return nil
}

// TestALookAskedForBeforehandMissesNothing draws in two panes of a window and one of another until a random moment of a second. Two looks
// later all is known as it is.
func TestALookAskedForBeforehandMissesNothing(t *testing.T) {
	t.Parallel()
	for n := range testrun.Rounds(1, 4) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			looksMissNothing(t, testrun.Rounds(4, 20))
		})
	}
}

func looksMissNothing(t *testing.T, rounds int) {
	real := tmuxtest.New(t)
	panes := []string{show(t, real, "", 60, 20), show(t, real, "", 60, 20)}
	panes = append(panes, real.Run("split-window", "-t", panes[0], "-P", "-F", "#{pane_id}", "stty -echo; exec cat"))
	w := newWatched(t, real, 150*time.Millisecond, panes...)
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range rounds {
		end := time.Now().Add(rand.N(1500 * time.Millisecond))
		for n := 0; time.Now().Before(end); n++ {
			pane := panes[rnd.IntN(len(panes))]
			real.Run("send-keys", "-t", pane, "-l", "--", fmt.Sprintf("<%d.%d>", i, n), ";", "send-keys", "-t", pane, "Enter")
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(30 * time.Millisecond) // until cat has answered
		for range 2 {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		if wrong := differs(t, w.Server, w.last, w.known); wrong != "" {
			t.Fatalf("seed %d, round %d: %s", seed, i, wrong)
		}
	}
	if w.ahead < 5 && w.late < 5 && !hoards(t) {
		t.Errorf("%d polls had been asked for beforehand", w.ahead)
	}
}

// whenBusy is how many polls a busy machine has time for to come to one that is not late: a late one is asked for by itself.
const whenBusy = 60

// TestChangesWithoutOutputAreSeenBeforehand, and those of the panes that there are. The changes follow each other; of each part those
// before it are made before the first look.
func TestChangesWithoutOutputAreSeenBeforehand(t *testing.T) {
	t.Parallel()
	for part := range 3 {
		t.Run(fmt.Sprint(part), func(t *testing.T) {
			t.Parallel()
			changesAreSeen(t, 4*part, 4*part+4)
		})
	}
}

func changesAreSeen(t *testing.T, from, to int) {
	real := tmuxtest.New(t)
	real.Run("set-option", "-g", "remain-on-exit", "on")
	pane, other := show(t, real, "a", 40, 6), show(t, real, "b", 40, 6)
	split := real.Run("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "exec cat")
	w := newWatched(t, real, 200*time.Millisecond, pane, other, split)
	changes := []func(){
		func() {},
		func() { real.Run("copy-mode", "-t", pane) },
		func() { real.Run("resize-pane", "-Z", "-t", split) },
		func() { real.Run("resize-window", "-t", pane, "-x", "50") },
		func() { real.Run("copy-mode", "-q", "-t", pane) },
		func() { real.Run("set-option", "-p", "-t", pane, tmux.AgentOption, "claude") },
		func() { real.Run("respawn-pane", "-k", "-t", split, "echo again; exec cat") },
		func() { end(t, real, other) },
		func() { real.Run("swap-pane", "-d", "-s", pane, "-t", other) },
		func() { w.panes = append(w.panes, real.Run("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat")) },
		func() { real.Run("kill-pane", "-t", split) },
	}
	for _, change := range changes[:from] {
		change()
	}
	time.Sleep(1100 * time.Millisecond) // the panes have drawn in a second before
	for _, change := range changes[from:min(to, len(changes))] {
		ahead := w.ahead
		for n := 0; n < 3 || w.ahead == ahead && n < whenBusy && !hoards(t); n++ {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		if w.ahead == ahead && w.late == 0 && !hoards(t) {
			t.Error("no look had been asked for beforehand")
		}
		change()
		time.Sleep(50 * time.Millisecond)
		for range tillWhole {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		if wrong := differs(t, w.Server, w.last, w.known); wrong != "" {
			t.Error(wrong)
		}
	}
}

// TestAllIsListedNowAndThen, by a client that looks several times as by one for each poll: what a poll may go by of the one before ends by
// itself. A look out of turn does not list all for that.
func TestAllIsListedNowAndThen(t *testing.T) {
	t.Parallel()
	const wholeEvery = 15
	real := tmuxtest.New(t)
	pane := show(t, real, "still", 40, 6)
	for _, turn := range []time.Duration{100 * time.Millisecond, time.Nanosecond} {
		w := newWatched(t, real, turn, pane)
		for n := range 4 * wholeEvery {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
			if w.last.Whole != (n%wholeEvery == 0) || w.last.Whole == (w.last.Panes[0].Title == "before") {
				t.Fatalf("every %v: poll %d reports %+v", turn, n, w.last)
			}
			w.last.Panes[0].Title = "before"
			last := w.last
			last.Every = 0
			if l, _, err := w.Server.Poll(t.Context(), nil, last); err != nil || l.Whole {
				t.Fatalf("every %v: a look out of turn after poll %d: %v, %+v", turn, n, err, l)
			}
		}
		if turn > time.Millisecond && w.ahead < wholeEvery && w.late == 0 && !hoards(t) {
			t.Errorf("%d polls had been asked for beforehand", w.ahead)
		}
	}
}

// TestManyPollsAreOneProcess: of a pane that is still, one that ticks, and with a look out of turn between them.
func TestManyPollsAreOneProcess(t *testing.T) {
	if !testrun.Apart(t) {
		return
	}
	polls, late := processes(t, "cat")
	for tries := 1; polls > 8 && late > 0 && tries < 5; tries++ { // polls that come late are asked for by themselves
		polls, late = processes(t, "cat")
	}
	if polls > 8 && late == 0 && !hoards(t) {
		t.Errorf("20 polls took %d processes", polls)
	}
}

// TestAServerThatHoardsScriptsGetsNone: what tmux 3.2 keeps of each look would be hundreds of megabytes in a month.
func TestAServerThatHoardsScriptsGetsNone(t *testing.T) {
	testrun.InFull(t)
	if !testrun.Apart(t) {
		return
	}
	if polls, _ := processes(t, "sed -uE 's/ v[^ ]+ / v3.2a /'"); polls < 20 {
		t.Errorf("20 polls took %d processes", polls)
	}
}

// hoards reports whether the tests run with such a tmux.
func hoards(t *testing.T) bool {
	version, err := tmux.Version(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(version, "3.2")
}

// processes is how many processes 20 polls take of a server whose answers pass a filter, and how many of them came late.
func processes(t *testing.T, filter string) (polls, late int) {
	real := tmuxtest.New(t)
	still, ticks := show(t, real, "still", 40, 6), real.Pane("while echo tick; do sleep 0.1; done", 40, 6)
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	counting := fmt.Sprintf("#!/bin/sh\necho >> '%s/count'\n'%s' \"$@\" | %s\n", dir, program, filter)
	if err := testrun.WriteProgram(filepath.Join(dir, "tmux"), []byte(counting)); err != nil {
		t.Fatal(err)
	}
	w := newWatched(t, real, 250*time.Millisecond, still, ticks)
	for range 20 {
		if err := w.inTurn(); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Look(t.Context(), ticks); err != nil {
			t.Fatal(err)
		}
	}
	count, err := os.ReadFile(filepath.Join(dir, "count"))
	if err != nil {
		t.Fatal(err)
	}
	return len(count) - 20, w.late
}

// TestNobodySeesTheClientThatLooks: it is in no list, keeps no server alive, and ends with its watcher.
func TestNobodySeesTheClientThatLooks(t *testing.T) {
	testrun.InFull(t)
	if hoards(t) {
		t.Skip("this tmux gets no such client")
	}
	t.Parallel()
	real := tmuxtest.New(t)
	w := newWatched(t, real, 400*time.Millisecond, show(t, real, "", 40, 6))
	ctx, stop := context.WithCancel(t.Context())
	w.ctx = ctx
	clients := func() int {
		out, _ := exec.Command("pgrep", "-f", "tmux -N -u -S "+real.Socket).Output()
		return strings.Count(string(out), "\n")
	}
	until := func(what string, is func() bool) {
		t.Helper()
		for range 40 {
			if is() {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("%s: %d clients", what, clients())
	}
	looked := func() { // by then a client is there for seven more
		for n := 0; n < 8 || clients() != 1 && n < whenBusy; n++ {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
	}
	there := false // a client ran before the lists were asked for, and still did afterwards
	for n := 0; n < 5 && !there; n++ {
		looked()
		before := clients()
		listed, attached := real.Run("list-clients"), real.Run("display-message", "-p", "-t", w.panes[0], "#{session_attached}")
		there = before == 1 && clients() == 1
		if before > 1 || listed != "" || attached != "0" {
			t.Errorf("%d clients run, listed are %q, attached %s", before, listed, attached)
		}
	}
	if !there {
		t.Skip("on so busy a machine each poll comes late, and is asked for by itself")
	}
	stop()
	until("after the watcher has ended", func() bool { return clients() == 0 })

	w.ctx = t.Context()
	looked()
	real.Run("set-option", "-g", "exit-empty", "on", ";", "kill-session", "-t", w.panes[0])
	err := error(nil)
	for range 3 {
		if err = w.inTurn(); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("a server whose last session has ended answers still")
	}
	until("after the server has ended", func() bool { return clients() == 0 })
}
