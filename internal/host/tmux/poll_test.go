package tmux_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// first are captures of panes that were never captured.
func first(panes ...string) []tmux.Capture {
	var captures []tmux.Capture
	for _, pane := range panes {
		captures = append(captures, tmux.Capture{Pane: tmux.Pane{ID: pane}})
	}
	return captures
}

// settled polls until the panes are captured no more, which takes the rest of a second, and returns
// their last captures and the last listing.
func settled(t *testing.T, s *tmux.Server, panes ...string) ([]tmux.Capture, tmux.Listing) {
	t.Helper()
	known := first(panes...)
	for range 100 {
		listing, captures, err := s.Poll(t.Context(), known, tmux.Listing{})
		if err != nil {
			t.Fatal(err)
		}
		if len(captures) == 0 {
			return known, listing
		}
		for i := range known {
			for _, capture := range captures {
				if capture.Pane.ID == known[i].Pane.ID {
					known[i] = capture
				}
			}
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("still panes are captured again and again")
	return nil, tmux.Listing{}
}

func TestPollCapturesWhatChanged(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	still := show(t, real, "still", 40, 6)
	pane := show(t, real, "changing", 40, 6)
	other := real.Pane("cat", 40, 6)
	known, last := settled(t, s, still, pane)

	changes := map[string]func(){
		"output":    func() { real.Type(pane, "x"); real.UntilShows(pane, "x") },
		"copy mode": func() { real.Run("copy-mode", "-t", pane) },
		"resize":    func() { real.Run("resize-window", "-t", pane, "-x", "50") },
		"respawn":   func() { real.Run("respawn-pane", "-k", "-t", pane); real.UntilShows(pane, "READY") },
	}
	for name, change := range changes {
		change()
		var listing tmux.Listing
		var captures []tmux.Capture
		for range tillWhole {
			before, err := slices.Clone(last.Panes), error(nil)
			listing, captures, err = s.Poll(t.Context(), known, last)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(last.Panes, before) {
				t.Errorf("%s: the listing before has changed", name)
			}
			if len(captures) > 0 {
				break
			}
			last = listing
		}
		if len(listing.Panes) != 3 || !listing.Fresh[pane] {
			t.Errorf("%s: %d panes are listed, want 3, and %s among the fresh %v", name, len(listing.Panes), pane, listing.Fresh)
		}
		if len(captures) != 1 || captures[0].Pane.ID != pane || !strings.Contains(captures[0].Text, "changing") {
			t.Errorf("%s: captured %+v, want pane %s alone", name, captures, pane)
		}
		known, last = settled(t, s, still, pane)
	}
	for _, capture := range known {
		if capture.Pane.ID == other {
			t.Errorf("pane %s was captured, which nobody asked for", other)
		}
	}
}

func TestPollSeesAChangeInTheSameSecond(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "", 200, 10)
	known, last := first(pane), tmux.Listing{}
	for i := range 20 {
		real.Type(pane, fmt.Sprintf("<%d>", i))
		real.UntilShows(pane, fmt.Sprintf("<%d>", i))
		listing, captures, err := s.Poll(t.Context(), known, last)
		if err != nil {
			t.Fatal(err)
		}
		if len(captures) != 1 || !strings.Contains(strings.ReplaceAll(captures[0].Text, "\n", ""), fmt.Sprintf("<%d>", i)) {
			t.Fatalf("output %d was missed: %+v", i, captures)
		}
		if !listing.Fresh[pane] {
			t.Errorf("output %d is not known to be fresh", i)
		}
		known, last = captures, listing
	}
}

// TestAPollMissesNothing draws, resizes, zooms, respawns, kills, moves and makes panes at random moments of a second, several to a window,
// some in copy mode, some dead, some in two sessions. By the next poll that asks for all, every pane is known as a look at it shows it.
func TestAPollMissesNothing(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	panes := []string{show(t, real, "", 60, 20), show(t, real, "", 60, 20)}
	panes = append(panes, real.Run("split-window", "-t", panes[0], "-P", "-F", "#{pane_id}", "stty -echo; exec cat"))
	real.Run("set-option", "-g", "remain-on-exit", "on")
	real.Run("new-session", "-d", "-t", real.Run("display-message", "-p", "-t", panes[0], "#{session_name}"))
	known := map[string]tmux.Capture{}
	var last tmux.Listing
	poll := func() {
		var asked []tmux.Capture
		for _, pane := range panes {
			k := known[pane]
			k.Pane.ID = pane
			asked = append(asked, k)
		}
		listing, captures, err := s.Poll(t.Context(), asked, last)
		if err != nil {
			t.Fatal(err)
		}
		for _, pane := range panes {
			k := known[pane]
			if k.Taken = listing.Taken; listing.Missed[pane] {
				k.Taken = time.Time{}
			}
			known[pane] = k
		}
		for _, c := range captures {
			known[c.Pane.ID] = c
		}
		last = listing
	}
	for i := range testrun.Rounds(6, 30) {
		for range rnd.IntN(3) {
			pane := panes[rnd.IntN(len(panes))]
			switch rnd.IntN(12) {
			case 0:
				real.Run("copy-mode", "-t", pane)
			case 1:
				real.Run("copy-mode", "-q", "-t", pane)
			case 2:
				real.Run("resize-window", "-t", pane, "-x", fmt.Sprint(30+rnd.IntN(60)))
			case 3:
				real.Run("resize-pane", "-Z", "-t", pane)
			case 4:
				real.Run("respawn-pane", "-k", "-t", pane, "echo again; exec cat")
			case 5:
				real.Run("set-option", "-p", "-t", pane, tmux.AgentOption, fmt.Sprintf("a #{pid},} %d", rnd.IntN(3)))
			case 6:
				end(t, real, pane)
			case 7:
				real.Run("swap-pane", "-d", "-s", pane, "-t", panes[0])
			case 8:
				panes = append(panes, real.Run("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat"))
			default:
				real.Run("send-keys", "-t", pane, "-l", "--", fmt.Sprintf("<%d>", i))
			}
		}
		time.Sleep(time.Duration(rnd.IntN(200)) * time.Millisecond)
		if rnd.IntN(6) == 0 {
			time.Sleep(time.Second) // by now tmux's seconds tell this round from the one before
		}
		wrong := "not polled"
		for n := 0; wrong != "" && n <= tillWhole; n++ {
			poll()
			wrong = differs(t, s, last, known)
		}
		if wrong != "" {
			t.Fatalf("seed %d, round %d: %s", seed, i, wrong)
		}
	}
}

// TestAPollOfPanesThatDrawEachSecondIsOneProcess: what had drawn a moment before is captured with the question what has drawn.
func TestAPollOfPanesThatDrawEachSecondIsOneProcess(t *testing.T) {
	if !testrun.Apart(t) {
		return
	}
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "", 40, 6)
	program, err := exec.LookPath("tmux")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	counting := fmt.Sprintf("#!/bin/sh\necho >> '%s/count'\nexec '%s' \"$@\"\n", dir, program)
	if err := testrun.WriteProgram(filepath.Join(dir, "tmux"), []byte(counting)); err != nil {
		t.Fatal(err)
	}
	known, last := first(pane), tmux.Listing{}
	once := 0 // on a busy machine a poll may come in the next second but one
	for i := 0; i < 4 && once == 0; i++ {
		// The pane draws late in one second, and the poll comes early in the next.
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1600 * time.Millisecond)))
		real.Type(pane, fmt.Sprint("<", i))
		real.UntilShows(pane, fmt.Sprint("<", i))
		time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(1100 * time.Millisecond)))
		if err := os.WriteFile(filepath.Join(dir, "count"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		listing, captures, err := s.Poll(t.Context(), known, last)
		if err != nil || len(captures) != 1 || captures[0].Text == known[0].Text {
			t.Fatalf("poll %d: %+v, %v", i, captures, err)
		}
		if count, _ := os.ReadFile(filepath.Join(dir, "count")); i > 0 && len(count) == 1 {
			once++
		}
		known, last = captures, listing
	}
	if once == 0 {
		t.Error("each of three polls took more than one process")
	}
}

func TestAGonePaneHidesNoOther(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	a, gone, b := show(t, real, "aaa", 40, 6), show(t, real, "gone", 40, 6), show(t, real, "bbb", 40, 6)
	known, _ := settled(t, s, a, gone, b)
	real.Run("kill-pane", "-t", gone)
	for _, pane := range []string{a, b} {
		real.Type(pane, "x")
		real.UntilShows(pane, "x")
	}
	for name, known := range map[string][]tmux.Capture{
		"seen before": known, "never seen": first(a, gone, b), "no pane id": first(a, "nonsense ; kill-server", b),
	} {
		_, captures, err := s.Poll(t.Context(), known, tmux.Listing{})
		if err != nil || len(captures) != 2 || captures[0].Pane.ID != a || captures[1].Pane.ID != b {
			t.Errorf("%s: %+v, %v", name, captures, err)
		}
	}
}

func TestNoScreenForgesARecord(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "S1 2 x\r\nP%7 1 0000000 80 24\r\n%end 1 2 3\r\n\r\nX7", 40, 9)
	l, captures, err := s.Poll(t.Context(), first(pane), tmux.Listing{})
	if err != nil || len(l.Panes) != 1 || len(captures) != 1 || len(strings.Split(captures[0].Text, "\n")) != 9 {
		t.Errorf("%+v, %+v, %v", l, captures, err)
	}
}

func TestABlankPaneIsCaptured(t *testing.T) {
	real := tmuxtest.New(t)
	pane := real.Pane("stty -echo; cat", 40, 1)
	_, captures, err := tmux.New(real.Socket).Poll(t.Context(), first(pane), tmux.Listing{})
	if err != nil || len(captures) != 1 || captures[0].Text != "" {
		t.Errorf("%+v, %v", captures, err)
	}
}

// TestACaptureKeepsNoOther polls panes whose screens all change and keeps one capture of each poll, as of panes that come to rest one after
// another.
func TestACaptureKeepsNoOther(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	var panes []string
	for range 8 {
		panes = append(panes, real.Pane(`i=0; while [ $i -lt 49 ]; do printf '%0190d\n' $i; i=$((i+1)); done; exec cat`, 200, 50))
	}
	for _, pane := range panes {
		real.UntilShows(pane, "00048")
	}
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	var kept []tmux.Capture
	before, size := heap(), 0
	for i := range 40 {
		_, captures, err := s.Poll(t.Context(), first(panes...), tmux.Listing{})
		if err != nil || len(captures) != len(panes) {
			t.Fatalf("%d captured, %v", len(captures), err)
		}
		kept = append(kept, captures[i%len(panes)])
		size += len(kept[i].Text)
	}
	if grown := heap() - before; grown > 3*size {
		t.Errorf("%d captures of %d KB keep %d KB", len(kept), size>>10, grown>>10)
	}
	runtime.KeepAlive(kept)
}

// TestScreensAreToldApartByTheirRows has panes of several heights, some gone, some of whose rows are blank, be captured with what lists them; a
// hook of the user's that prints something among them hides none, and gives none the rows of another.
func TestScreensAreToldApartByTheirRows(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	var panes []string
	for i := range 5 {
		panes = append(panes, show(t, real, fmt.Sprint("pane", i), 40, 4+i))
	}
	known, last, err := first(panes...), tmux.Listing{}, error(nil)
	round := 0
	poll := func(want int) {
		t.Helper()
		round++
		for _, pane := range panes {
			if pane != "" {
				real.Type(pane, fmt.Sprint("<", round))
				real.UntilShows(pane, fmt.Sprint("<", round))
			}
		}
		if last, known, err = s.Poll(t.Context(), known, last); err != nil || len(known) != want {
			t.Fatalf("captured %+v, %v", known, err)
		}
		for _, capture := range known {
			i := slices.Index(panes, capture.Pane.ID)
			if rows := strings.Split(capture.Text, "\n"); rows[0] != fmt.Sprint("pane", i) || len(rows) < capture.Pane.Height || !strings.Contains(capture.Text, fmt.Sprint("<", round)) {
				t.Errorf("pane %d shows\n%s", i, capture.Text)
			}
		}
	}
	poll(5)
	poll(5)
	real.Run("resize-window", "-t", panes[2], "-y", "9")
	poll(5)
	real.Run("kill-pane", "-t", panes[1])
	panes[1] = ""
	poll(4)
	real.Run("set-hook", "-g", "after-capture-pane", "display-message -p row")
	poll(4)
}
