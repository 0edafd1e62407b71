package main

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"nod/internal/testrun"
)

var (
	crashPoint = flag.Int("crash-point", 0, "the number of the one point of TestCrashPoint to kill nod at")
	crashCount = flag.Bool("crash-count", false, "write testdata/crash.txt: how many points of each kind each way has")
)

// crashFile has the number of points of each kind in each way, without a kill. A point's number is its place
// in the file, so that the same number is the same point on every machine.
const crashFile = "testdata/crash.txt"

// manyLives are enough to say how many points a run meets: nod looks at panes more or less often than when they were counted.
const manyLives = 20

type crashAt struct {
	number int
	way    *way
	kind   string
	nth    int
}

func (p crashAt) String() string {
	return fmt.Sprintf("point %d: %s, %s, the %d. time", p.number, p.way.name, p.kind, p.nth)
}

func crashPoints(t *testing.T) (all []crashAt) {
	t.Helper()
	text, err := os.ReadFile(crashFile)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), "\t")
		at := slices.IndexFunc(ways, func(w *way) bool { return w.name == f[0] })
		count, err := strconv.Atoi(f[2])
		if at < 0 || err != nil {
			t.Fatalf("%s: %q", crashFile, line)
		}
		for i := range count {
			all = append(all, crashAt{len(all) + 1, ways[at], f[1], i + 1})
		}
	}
	return all
}

// TestCrashPoint kills the real nod at each point of each way and starts it again. Nothing may be lost, no
// key may come twice or go to another prompt, and the chat must be right.
func TestCrashPoint(t *testing.T) {
	if *crashCount {
		countCrashPoints(t)
		return
	}
	t.Parallel()
	all := crashPoints(t)
	if len(all) < 500 {
		t.Errorf("only %d points", len(all))
	}
	proof := testrun.Prove(t, len(all), 20)
	var killed, tried atomic.Int32
	t.Run("at", func(t *testing.T) {
		rounds := proof.Rounds()
		if *crashPoint != 0 {
			rounds = []int{*crashPoint - 1}
		}
		for _, i := range rounds {
			p := all[i]
			t.Run(strconv.Itoa(p.number), func(t *testing.T) {
				t.Parallel()
				c := newCrash(t, p.way, p.kind, p.nth)
				if err := c.live(); err != nil {
					t.Fatalf("%s: %v\n%s", p, err, c.story())
				}
				tried.Add(1)
				if c.wasKilled() { // a point that was not met is tried again
					killed.Add(1)
					proof.Passed(t, i)
				}
			})
		}
	})
	t.Logf("%d lives, %d of them killed", tried.Load(), killed.Load())
	points, met := int(tried.Load())+proof.Before(), int(killed.Load())+proof.Before()
	if points >= manyLives && 2*met < points {
		t.Errorf("of %d points only %d were met: write %s again with -crash-count", points, met, crashFile)
	}
}

// countCrashPoints writes the file of the points. It counts 40 of the looks at panes, which continue as long
// as a question waits.
func countCrashPoints(t *testing.T) {
	var b strings.Builder
	for _, w := range ways {
		c := newCrash(t, w, "none", 1)
		if err := c.live(); err != nil {
			t.Fatalf("%s: %v\n%s", w.name, err, c.story())
		}
		c.mu.Lock()
		for _, kind := range slices.Sorted(maps.Keys(c.seen)) {
			count := c.seen[kind]
			if strings.HasPrefix(kind, "tmux") {
				count = min(count, 40)
			}
			fmt.Fprintf(&b, "%s\t%s\t%d\n", w.name, kind, count)
		}
		c.mu.Unlock()
	}
	if err := os.WriteFile(crashFile, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
