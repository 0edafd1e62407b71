package bench

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	program = flag.String("nod", "", "the nod to measure; the page is written where it is given")
	part    = flag.String("part", "", "measure one part alone: cpu, latency or startup; page only writes the page again")
)

const (
	measuredFile = "testdata/measured.json"
	pageFile     = "../../../docs/performance.md"
	plotFile     = "../../../docs/performance.svg"
)

// parts are what can be measured by itself, in this order.
var parts = []struct {
	name    string
	measure func(b *testing.B) map[string]float64
}{{"cpu", cpuAndMemory}, {"latency", latency}, {"startup", startup}}

// goal is a number of a part that is to be no higher than a limit.
type goal struct {
	part, value, what, unit string
	limit                   float64
}

// allPanes is how many panes the goals are about.
const allPanes = 200

var goals = []goal{
	{"cpu", "still-200", "200 panes that stand still", "% of a core", 0.7},
	{"cpu", "fifth-200", "200 panes, 40 of which draw each second", "% of a core", 1},
	{"cpu", "hooked-200", "the same where their agents' hooks tell nod of their questions", "% of a core", 1},
	{"cpu", "all-200", "200 panes, all of which draw each second", "% of a core", 4},
	{"cpu", "of-naive-50", "a poll of 50 still panes, against a capture process a pane", "of it", 1.0 / 20},
	{"cpu", "memory-200", "resident memory of nod with 200 panes that have stood still for a minute", "MB", 25},
	{"cpu", "drawn-memory-200", "the same where all of them have just drawn each second", "MB", 25},
	{"latency", "poll-p50", "a dialog drawn to the message sent, half of them", "ms", 1000},
	{"latency", "poll-p99", "a dialog drawn to the message sent, 99 of 100", "ms", 2000},
	{"latency", "hook-p50", "the same where the agent's hook tells nod, half of them", "ms", 50},
	{"latency", "hook-p99", "the same where the agent's hook tells nod, 99 of 100", "ms", 250},
	{"latency", "key-p99", "a reply to its key in the pane, 99 of 100", "ms", 100},
	{"startup", "p50", "start with 100,000 nudges kept, until nod is ready", "ms", 300},
}

// measured is what one run of a part has found.
type measured struct {
	When    string // the day and the minute
	Machine string
	Load    string // of the machine before the run
	Short   bool   // a trial, too short to go by
	Values  map[string]float64
}

// BenchmarkNod measures the parts that -part names and writes the page, with what was measured before of the others.
func BenchmarkNod(b *testing.B) {
	if *program == "" {
		b.Skip("make bench measures")
	}
	if *part == "page" {
		writePage(b, readMeasured(b))
	}
	for _, p := range parts {
		if *part != "" && *part != p.name {
			continue
		}
		b.Run(p.name, func(b *testing.B) {
			m := measured{When: time.Now().Format("2006-01-02 15:04"), Machine: machine(), Load: load(), Short: testing.Short()}
			m.Values = p.measure(b)
			b.ReportMetric(0, "ns/op")
			for _, g := range goals {
				if g.part == p.name {
					b.ReportMetric(m.Values[g.value], g.value)
				}
			}
			all := readMeasured(b)
			all[p.name] = m
			writePage(b, all)
		})
	}
}

// TestThePageSaysWhatWasMeasured: no number of docs/performance.md is written by hand, and no goal is left out.
func TestThePageSaysWhatWasMeasured(t *testing.T) {
	all := readMeasured(t)
	for file, want := range map[string]string{pageFile: page(all), plotFile: plot(all["cpu"].Values)} {
		if got, err := os.ReadFile(file); err != nil || string(got) != want {
			t.Errorf("%s is not what was measured; `make bench PART=page` writes it again (%v)", file, err)
		}
	}
	for _, g := range goals {
		if _, ok := all[g.part].Values[g.value]; !ok {
			t.Errorf("%s of %s was not measured: %s", g.value, g.part, g.what)
		}
		if strings.Count(page(all), "\n| "+g.what+" |") != 1 {
			t.Errorf("the page does not name the goal %q once", g.what)
		}
	}
}

func readMeasured(tb testing.TB) map[string]measured {
	tb.Helper()
	all := map[string]measured{}
	text, err := os.ReadFile(measuredFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		tb.Fatal(err)
	}
	return all
}

func writePage(tb testing.TB, all map[string]measured) {
	tb.Helper()
	text, err := json.MarshalIndent(all, "", "\t")
	if err != nil {
		tb.Fatal(err)
	}
	for file, text := range map[string]string{measuredFile: string(text) + "\n", pageFile: page(all), plotFile: plot(all["cpu"].Values)} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
}

// machine is what the numbers are of: processors, system, tmux.
func machine() string {
	cpu := "an unknown processor"
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if _, name, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(line, "model name") {
				cpu = strings.TrimSpace(name)
				break
			}
		}
	}
	tmux, _ := exec.Command("tmux", "-V").Output()
	return fmt.Sprintf("%d cores of %s, %s, %s, %s", runtime.NumCPU(), cpu, runtime.GOOS, bytes.TrimSpace(tmux), runtime.Version())
}

// load is how busy the machine was in the last minute.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// percentile is what p of 100 took no longer than, in milliseconds: the nearest rank.
func percentile(took []time.Duration, p int) float64 {
	slices.Sort(took)
	at := int(math.Ceil(float64(len(took)*p)/100)) - 1
	return float64(took[max(at, 0)].Microseconds()) / 1000
}
