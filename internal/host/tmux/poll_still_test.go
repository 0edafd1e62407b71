package tmux_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// TestTwoPollsOfStillPanesKnowEveryChange: of a still server each second gate reports windows alone. What changes in a pane without
// output is known by the one after it, and which panes there are by each.
func TestTwoPollsOfStillPanesKnowEveryChange(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(real *tmuxtest.Server, pane string){
		"a mode": func(real *tmuxtest.Server, pane string) { real.Run("copy-mode", "-t", pane) },
		"a size": func(real *tmuxtest.Server, pane string) { real.Run("resize-window", "-t", pane, "-x", "50") },
		"a program": func(real *tmuxtest.Server, pane string) {
			real.Run("respawn-pane", "-k", "-t", pane, "exec sleep 1000")
		},
		"the option": func(real *tmuxtest.Server, pane string) {
			real.Run("set-option", "-p", "-t", pane, tmux.AgentOption, "codex")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			real := tmuxtest.New(t)
			s := tmux.New(real.Socket)
			pane, other := show(t, real, "one", 40, 6), show(t, real, "two", 40, 6)
			known, last := settled(t, s, pane, other)
			time.Sleep(2 * time.Second) // nothing has drawn in the second before
			poll := func() {
				listing, captures, err := s.Poll(t.Context(), known, last)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range captures {
					known[slices.IndexFunc(known, func(k tmux.Capture) bool { return k.Pane.ID == c.Pane.ID })] = c
				}
				last = listing
			}
			for range testrun.Rounds(2, 5) { // from a whole gate, and from each of the brief ones
				poll()
				change(real, pane)
				for range tillWhole {
					poll()
				}
				if wrong := differs(t, s, last, map[string]tmux.Capture{pane: known[0], other: known[1]}); wrong != "" {
					t.Fatal(wrong)
				}
			}
			real.Run("kill-pane", "-t", other)
			if poll(); len(last.Panes) != 1 {
				t.Errorf("%d panes are known once one is gone", len(last.Panes))
			}
		})
	}
}

// tillWhole is how many polls of still panes it takes at most until one says what has changed in a pane without output.
const tillWhole = 4

// differs says where the panes and screens that polls told are not as looks show them; empty: nowhere.
func differs(t *testing.T, s *tmux.Server, last tmux.Listing, known map[string]tmux.Capture) string {
	t.Helper()
	listing, err := s.List(t.Context())
	if err != nil || len(listing.Panes) != len(last.Panes) {
		t.Fatalf("%d panes, and %d by the last poll: %v", len(listing.Panes), len(last.Panes), err)
	}
	for _, p := range listing.Panes {
		look, err := s.Look(t.Context(), p.ID)
		if err != nil {
			t.Fatal(err)
		}
		q := last.Panes[slices.IndexFunc(last.Panes, func(q tmux.Pane) bool { return q.ID == p.ID })]
		if q.PID != p.PID || q.Dead != p.Dead || q.InMode != p.InMode || q.Width != p.Width || q.Height != p.Height || q.Agent != p.Agent {
			return fmt.Sprintf("pane %+v is listed as %+v", p, q)
		}
		// Of a dead pane tmux says so in its last row a while later, and no activity reports that.
		if got := known[p.ID].Text; got != look.Capture && !p.Dead {
			return fmt.Sprintf("pane %s shows\n%s\nand is known as\n%s", p.ID, look.Capture, got)
		}
	}
	return ""
}

func TestWhatIsStillIsNotListedAgain(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane, other := show(t, real, "still", 40, 6), show(t, real, "other", 40, 6)
	known, last := settled(t, s, pane, other)
	for i := range known {
		known[i].Taken = last.Taken
	}
	last.Panes[0].Title = "what the listing before said"
	listing, captures, err := s.Poll(t.Context(), known, last)
	if err != nil || len(captures) != 0 || len(listing.Panes) != 2 || listing.Panes[0].Title != last.Panes[0].Title || len(listing.Fresh) != 0 {
		t.Errorf("%+v, %+v, %v", listing, captures, err)
	}
	real.Run("kill-pane", "-t", other)
	if listing, _, err = s.Poll(t.Context(), known, last); err != nil || len(listing.Panes) != 1 || listing.Panes[0].Title == last.Panes[0].Title {
		t.Errorf("after a pane was killed: %+v, %v", listing, err)
	}
}

// end kills the program of a pane.
func end(t *testing.T, real *tmuxtest.Server, pane string) {
	t.Helper()
	// That of a pane which is dead may be another program by now.
	if dead, pid, _ := strings.Cut(real.Run("display-message", "-p", "-t", pane, "#{?pane_dead,1,0} #{pane_pid}"), " "); dead == "0" {
		if pid, err := strconv.Atoi(pid); err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
			t.Fatalf("pane %s: process %d, %v", pane, pid, err)
		}
	}
}

// TestWhatIsStillIsKnownByTheGate on a server of any shape: else all would be listed at each poll, which no other test sees.
func TestWhatIsStillIsKnownByTheGate(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	real.Run("set-option", "-g", "remain-on-exit", "on")
	pane := show(t, real, "", 60, 20)
	session, window := real.Run("display-message", "-p", "-t", pane, "#{session_name}"), real.Run("display-message", "-p", "-t", pane, "#{window_id}")
	split := real.Run("split-window", "-t", pane, "-P", "-F", "#{pane_id}", "exec cat")
	real.Run("resize-pane", "-Z", "-t", split)
	dead := show(t, real, "", 60, 20)
	end(t, real, dead)
	real.Until(dead, func(string) bool { return real.Run("display-message", "-p", "-t", dead, "#{pane_dead}") == "1" })
	real.Run("new-session", "-d", "-t", session)
	for i := range 12 {
		real.Run("new-session", "-d", "-s", fmt.Sprint("s", i), "exec cat")
		real.Run("link-window", "-d", "-s", window, "-t", fmt.Sprintf("s%d:%d", i, 9-i%3))
	}
	real.Run("copy-mode", "-t", pane)
	real.Run("set-option", "-p", "-t", pane, tmux.AgentOption, "a#{pid},};#[x] 'ü")
	time.Sleep(2 * time.Second) // tmux counts in seconds, and names windows after their programs in the first one
	known, last := settled(t, s, pane, split, dead)
	last.Panes[0].Title = "what the listing before said"
	listing, captures, err := s.Poll(t.Context(), known, last)
	if err != nil || len(captures) > 0 || len(listing.Fresh) > 0 || listing.Panes[0].Title != last.Panes[0].Title {
		t.Errorf("%d captured, fresh %v, %v", len(captures), listing.Fresh, err)
	}
}
