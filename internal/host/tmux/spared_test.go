package tmux_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// sparedFor is longer than it takes until a spared pane that has stopped drawing is captured.
const sparedFor = 2 * time.Second

// TestASparedPaneIsCapturedOnceItStops draws in a pane that is spared and in one that is not until a random moment of a second. Until then
// the spared one is captured at few polls, the other as ever; then both are known as they are.
func TestASparedPaneIsCapturedOnceItStops(t *testing.T) {
	t.Parallel()
	for _, every := range []time.Duration{0, 150 * time.Millisecond} { // asked for by itself, and beforehand
		t.Run(every.String(), func(t *testing.T) {
			t.Parallel()
			sparesUntilItStops(t, every, testrun.Rounds(1, 4))
		})
	}
}

func sparesUntilItStops(t *testing.T, every time.Duration, rounds int) {
	real := tmuxtest.New(t)
	spared, other := show(t, real, "", 60, 20), show(t, real, "", 60, 20)
	w := newWatched(t, real, every, spared, other)
	look := func() {
		t.Helper()
		if err := w.inTurn(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(max(0, 100*time.Millisecond-every))
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for i := range rounds {
		w.spared = nil
		w.last = tmux.Listing{Every: every}
		look()
		w.spared, w.captured = []string{spared}, map[string]int{}
		polls, without := 0, 0 // in a row, without a capture of the spared pane
		for end := time.Now().Add(3*time.Second + rand.N(time.Second)); time.Now().Before(end); polls++ {
			for _, pane := range []string{spared, other} {
				real.Run("send-keys", "-t", pane, "-l", "--", fmt.Sprintf("<%d.%d.%d>", i, polls, rnd.IntN(100)), ";", "send-keys", "-t", pane, "Enter")
			}
			before := w.captured[spared]
			if look(); w.captured[spared] > before {
				without = 0
			} else if without++; without >= tillWhole {
				t.Errorf("seed %d, round %d: %d polls did not capture a pane that draws", seed, i, without)
			}
		}
		if got, all := w.captured[spared], w.captured[other]; got > polls/3+1 || all < polls-2 {
			t.Errorf("seed %d, round %d: of %d polls %d captured the spared pane, and %d the other", seed, i, polls, got, all)
		}
		for stopped := time.Now(); time.Since(stopped) < sparedFor; {
			look()
		}
		if wrong := differs(t, w.Server, w.last, w.known); wrong != "" {
			t.Fatalf("seed %d, round %d: %s", seed, i, wrong)
		}
	}
}

// TestWhatHappensToASparedPaneIsSeen where it goes on to draw: its size, a mode, and its process change no later than without.
func TestWhatHappensToASparedPaneIsSeen(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	pane := real.Pane("while echo tick; do sleep 0.05; done", 60, 20)
	w := newWatched(t, real, 100*time.Millisecond, pane)
	w.spared = []string{pane}
	for name, change := range map[string][]string{
		"its size":    {"resize-window", "-t", pane, "-x", "50", "-y", "15"},
		"a mode":      {"copy-mode", "-t", pane},
		"its process": {"respawn-pane", "-k", "-t", pane, "while echo tock; do sleep 0.05; done"},
	} {
		for range 7 {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		real.Run(change...)
		w.captured = map[string]int{}
		for range tillWhole {
			if err := w.inTurn(); err != nil {
				t.Fatal(err)
			}
		}
		listing, err := w.List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		now := listing.Panes[slices.IndexFunc(listing.Panes, func(p tmux.Pane) bool { return p.ID == pane })]
		if was := w.known[pane].Pane; w.captured[pane] == 0 || was.PID != now.PID || was.InMode != now.InMode || was.Width != now.Width {
			t.Errorf("%s has changed: %+v, known is %+v, of %d captures", name, now, was, w.captured[pane])
		}
	}
}
