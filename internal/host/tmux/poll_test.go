package tmux_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
		before := slices.Clone(last.Panes)
		listing, captures, err := s.Poll(t.Context(), known, last)
		if !slices.Equal(last.Panes, before) {
			t.Errorf("%s: the listing before has changed", name)
		}
		if err != nil {
			t.Fatal(err)
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
// some in copy mode, some dead, some in two sessions. By each poll that goes by the one before, or by the next one where something was drawn meanwhile, every pane
// is known as a look at it shows it.
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
		poll()
		wrong := ""
		for range 3 {
			if wrong = differs(t, s, last, known); wrong == "" {
				break
			}
			poll()
		}
		if wrong != "" {
			t.Fatalf("seed %d, round %d: %s", seed, i, wrong)
		}
	}
}

// TestTwoPollsOfStillPanesKnowEveryChange: of a still server each second gate tells of windows alone. What changes in a pane without
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
			for range testrun.Rounds(2, 3) { // from a brief gate, and from a whole one
				poll()
				change(real, pane)
				poll()
				poll()
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
		// Of a dead pane tmux says so in its last row a while later, and no activity tells of that.
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
	if err := os.WriteFile(filepath.Join(dir, "tmux"), []byte(counting), 0o700); err != nil {
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

// cpu is what the server and all finished children of this process have used.
func cpu(b *testing.B, pid int) (server, client time.Duration) {
	b.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
	if err != nil {
		b.Skip("the server's use of the CPU can't be read here: ", err)
	}
	ns, err := strconv.ParseInt(strings.Fields(string(text))[0], 10, 64)
	if err != nil {
		b.Fatal(err)
	}
	var children syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &children); err != nil {
		b.Fatal(err)
	}
	return time.Duration(ns), time.Duration(children.Utime.Nano() + children.Stime.Nano())
}

// BenchmarkPoll measures a look at all panes in CPU of tmux clients and server together: one
// capture-pane process a pane, against one poll in which no pane, a fifth, or every pane changed.
func BenchmarkPoll(b *testing.B) {
	for _, n := range []int{1, 10, 50, 200} {
		real := tmuxtest.New(b)
		s := tmux.New(real.Socket)
		pid := real.PID()
		var panes []string
		for range n {
			panes = append(panes, real.Pane(`i=0; while [ $i -lt 39 ]; do echo "row $i of a screen that an agent has filled with text"; i=$((i+1)); done; exec cat`, 120, 40))
		}
		for _, pane := range panes {
			real.UntilShows(pane, "row 38")
		}
		last, still, err := s.Poll(b.Context(), first(panes...), tmux.Listing{})
		if err != nil {
			b.Fatal(err)
		}
		for i := range still {
			still[i].Taken = time.Now().Add(time.Hour) // nothing changes before
		}
		last.Taken = time.Now().Add(time.Hour)
		measure := func(look func()) time.Duration {
			server, client := cpu(b, pid)
			const times = 5
			for range times {
				look()
			}
			server2, client2 := cpu(b, pid)
			return (server2 - server + client2 - client) / times
		}
		poll := func(changed int) func() {
			known := append(first(panes[:changed]...), still[changed:]...)
			return func() {
				if _, _, err := s.Poll(b.Context(), known, last); err != nil {
					b.Fatal(err)
				}
			}
		}
		for _, changed := range slices.Compact([]int{0, (n + 4) / 5, n}) {
			b.Run(fmt.Sprintf("panes=%d/changed=%d", n, changed), func(b *testing.B) {
				var each, one time.Duration
				for range b.N {
					each += measure(func() {
						for _, pane := range panes {
							cmd := exec.Command("tmux", "-N", "-u", "-S", real.Socket, "capture-pane", "-e", "-p", "-t", pane)
							if err := cmd.Run(); err != nil {
								b.Fatal(err)
							}
						}
					})
					one += measure(poll(changed))
				}
				b.ReportMetric(float64(each.Microseconds())/float64(b.N)/1000, "process-per-pane-ms")
				b.ReportMetric(float64(one.Microseconds())/float64(b.N)/1000, "poll-ms")
				b.ReportMetric(float64(each)/float64(one), "times-less")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
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
