package monitor

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// writerLines makes this binary write a number of lines, 500 a second, every tenth of which matches.
const writerLines = "TEST_MONITOR_LINES"

func writeTestLines(n int) {
	out := bufio.NewWriter(os.Stdout)
	for began, i := time.Now(), 0; i < n; i++ {
		word := "fine"
		if i%10 == 0 {
			word = "FAIL"
		}
		fmt.Fprintf(out, "2026-03-01T12:00:00Z pkg/server/handler_%d_test.go: %s after 1.234s in a line of an ordinary length\n", i, word)
		if i%50 == 49 {
			out.Flush()
			time.Sleep(time.Until(began.Add(time.Duration(i+1) * time.Second / 500)))
		}
	}
	out.Flush()
}

// BenchmarkTwentyMonitors measures the cost of twenty monitors with 10,000 lines a second in all, and checks
// that no match is lost. -benchtime=1x is one run of ten seconds.
func BenchmarkTwentyMonitors(b *testing.B) {
	const monitors, lines = 20, 5000
	for b.Loop() {
		w := newWorld(b, filepath.Join(b.TempDir(), "nod.db"))
		before, began := cpu(b), time.Now()
		for i := range monitors {
			_, err := w.Start(Spec{
				Name: "m" + strconv.Itoa(i), Match: `FAIL|panic: `, Argv: []string{os.Args[0]}, Cwd: b.TempDir(),
				Env: []string{writerLines + "=" + strconv.Itoa(lines)},
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		w.until("all to end", func() bool {
			ended := 0
			for _, r := range w.told() {
				if r.Ended != "" {
					ended++
				}
			}
			return ended == monitors
		})
		took := time.Since(began)
		found, told := int64(0), 0
		for _, s := range w.List(true) {
			found += s.Matches
		}
		for _, r := range w.told() {
			told += r.Count
		}
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(float64(monitors*lines)/took.Seconds(), "lines/s")
		b.ReportMetric(100*float64(cpu(b)-before)/float64(took), "%cpu")
		b.ReportMetric(float64(memory.Sys)/(1<<20), "MB")
		b.ReportMetric(float64(monitors*lines/10-int(found)), "matches-lost")
		b.ReportMetric(float64(monitors*lines/10-told), "matches-untold")
	}
}

// BenchmarkFlood measures the cost of one monitor whose child writes as fast as it can.
func BenchmarkFlood(b *testing.B) {
	for b.Loop() {
		w := newWorld(b, filepath.Join(b.TempDir(), "nod.db"))
		before, began := cpu(b), time.Now()
		if _, err := w.Start(Spec{Name: "flood", Match: "FAIL", Argv: []string{"yes"}, Cwd: b.TempDir()}); err != nil {
			b.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		took := time.Since(began)
		var memory runtime.MemStats
		runtime.ReadMemStats(&memory)
		b.ReportMetric(100*float64(cpu(b)-before)/float64(took), "%cpu")
		b.ReportMetric(float64(memory.Sys)/(1<<20), "MB")
		if err := w.Stop("flood"); err != nil {
			b.Fatal(err)
		}
	}
}

// cpu returns the processor time of this process, without its children.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
