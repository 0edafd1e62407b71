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
