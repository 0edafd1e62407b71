package desk

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// BenchmarkAThousandCards has a thousand cards, of which sixty change in a second: questions come and go, and screens scroll. It
// tells which part of a core the feed takes for two readers, and fails where a reader does not hear of all of it.
func BenchmarkAThousandCards(b *testing.B) {
	const cards, perSecond, lasts = 1000, 60, 5 * time.Second
	w := newWorld()
	w.panes, w.open.Nudges = make([]detect.Sighting, cards), make([]nudge.Nudge, cards/2)
	text := func(step int) string { return fmt.Sprintf("make test-%d && rm -rf build", step) }
	steps := make([]int, cards) // what each card shows
	show := func(k, step int) {
		if steps[k] = step; k%2 == 0 {
			w.panes[k] = at(k, screen.Working, "on it", text(step))
		} else {
			w.panes[k], w.open.Nudges[k/2] = asking(k, text(step))
		}
	}
	for k := range cards {
		show(k, k)
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	go func() { _ = w.Run(ctx) }()
	var told [2]sync.Map // by pane
	for i := range told {
		go func() {
			_ = w.Watch(ctx, func(c Change) error {
				for _, card := range c.Cards {
					told[i].Store(card.Pane, fmt.Sprint(card.Screen, card.About()))
				}
				return nil
			})
		}()
	}
	arrived := func() (late time.Duration) {
		began := time.Now()
		for i := range told {
			for k := range cards {
				for {
					if now, ok := told[i].Load(fmt.Sprint("%", k)); ok && strings.Count(now.(string), text(steps[k])) == 1+k%2 {
						break
					}
					if late = time.Since(began); late > time.Minute {
						b.Fatalf("reader %d never heard that card %d shows %q", i, k, text(steps[k]))
					}
					time.Sleep(10 * time.Millisecond)
				}
			}
		}
		return late
	}
	arrived() // all is masked for the first time
	for step := cards; b.Loop(); {
		before, began := cpu(b), time.Now()
		for ; time.Since(began) < lasts; step++ {
			w.set(func() { show(step*7%cards, step) })
			w.Saw()
			time.Sleep(time.Second / perSecond)
		}
		b.ReportMetric(100*float64(cpu(b)-before)/float64(time.Since(began)), "%core")
		b.ReportMetric(arrived().Seconds(), "s-late")
	}
}

// cpu is how long this process has computed.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
