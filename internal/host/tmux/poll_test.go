package tmux_test

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
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
// their last captures.
func settled(t *testing.T, s *tmux.Server, panes ...string) []tmux.Capture {
	t.Helper()
	known := first(panes...)
	for range 100 {
		_, captures, err := s.Poll(t.Context(), known)
		if err != nil {
			t.Fatal(err)
		}
		if len(captures) == 0 {
			return known
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
	return nil
}

func TestPollCapturesWhatChanged(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	still := show(t, real, "still", 40, 6)
	pane := show(t, real, "changing", 40, 6)
	other := real.Pane("cat", 40, 6)
	known := settled(t, s, still, pane)

	changes := map[string]func(){
		"output":    func() { real.Type(pane, "x"); real.UntilShows(pane, "x") },
		"copy mode": func() { real.Run("copy-mode", "-t", pane) },
		"resize":    func() { real.Run("resize-window", "-t", pane, "-x", "50") },
		"respawn":   func() { real.Run("respawn-pane", "-k", "-t", pane); real.UntilShows(pane, "READY") },
	}
	for name, change := range changes {
		change()
		listing, captures, err := s.Poll(t.Context(), known)
		if err != nil {
			t.Fatal(err)
		}
		if len(listing.Panes) != 3 {
			t.Errorf("%s: %d panes are listed, want 3", name, len(listing.Panes))
		}
		if len(captures) != 1 || captures[0].Pane.ID != pane || !strings.Contains(captures[0].Text, "changing") {
			t.Errorf("%s: captured %+v, want pane %s alone", name, captures, pane)
		}
		known = settled(t, s, still, pane)
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
	known := first(pane)
	for i := range 20 {
		real.Type(pane, fmt.Sprintf("<%d>", i))
		real.UntilShows(pane, fmt.Sprintf("<%d>", i))
		_, captures, err := s.Poll(t.Context(), known)
		if err != nil {
			t.Fatal(err)
		}
		if len(captures) != 1 || !strings.Contains(strings.ReplaceAll(captures[0].Text, "\n", ""), fmt.Sprintf("<%d>", i)) {
			t.Fatalf("output %d was missed: %+v", i, captures)
		}
		known = captures
	}
}

func TestAGonePaneHidesNoOther(t *testing.T) {
	t.Parallel()
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	a, gone, b := show(t, real, "aaa", 40, 6), show(t, real, "gone", 40, 6), show(t, real, "bbb", 40, 6)
	known := settled(t, s, a, gone, b)
	real.Run("kill-pane", "-t", gone)
	for _, pane := range []string{a, b} {
		real.Type(pane, "x")
		real.UntilShows(pane, "x")
	}
	for name, known := range map[string][]tmux.Capture{
		"seen before": known, "never seen": first(a, gone, b), "no pane id": first(a, "nonsense ; kill-server", b),
	} {
		_, captures, err := s.Poll(t.Context(), known)
		if err != nil || len(captures) != 2 || captures[0].Pane.ID != a || captures[1].Pane.ID != b {
			t.Errorf("%s: %+v, %v", name, captures, err)
		}
	}
}

func TestNoScreenForgesARecord(t *testing.T) {
	real := tmuxtest.New(t)
	s := tmux.New(real.Socket)
	pane := show(t, real, "S1 2 x\r\nP%7 1 0000000 80 24\r\n%end 1 2 3\r\n\r\nX7", 40, 9)
	l, captures, err := s.Poll(t.Context(), first(pane))
	if err != nil || len(l.Panes) != 1 || len(captures) != 1 || len(strings.Split(captures[0].Text, "\n")) != 9 {
		t.Errorf("%+v, %+v, %v", l, captures, err)
	}
}

func TestABlankPaneIsCaptured(t *testing.T) {
	real := tmuxtest.New(t)
	pane := real.Pane("stty -echo; cat", 40, 1)
	_, captures, err := tmux.New(real.Socket).Poll(t.Context(), first(pane))
	if err != nil || len(captures) != 1 || captures[0].Text != "" {
		t.Errorf("%+v, %v", captures, err)
	}
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
	for _, n := range []int{1, 10, 50} {
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
		_, still, err := s.Poll(b.Context(), first(panes...))
		if err != nil {
			b.Fatal(err)
		}
		for i := range still {
			still[i].Taken = time.Now().Add(time.Hour) // nothing changes before
		}
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
				if _, _, err := s.Poll(b.Context(), known); err != nil {
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
