package desk

import (
	"context"
	"fmt"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"nod/detect/screen"
)

// BenchmarkAThousandCards has a thousand cards, of which sixty change in a second: questions come and go, and screens scroll. It
// tells which part of a core the feed takes for two readers.
func BenchmarkAThousandCards(b *testing.B) {
	const cards, perSecond, lasts = 1000, 60, 5 * time.Second
	w := newWorld()
	for i := range cards {
		s, n := asking(i, fmt.Sprintf("make test-%d && rm -rf build", i))
		if i%2 == 0 {
			s = at(i, screen.Working, "on it", fmt.Sprint("step ", i))
		} else {
			w.open.Nudges = append(w.open.Nudges, n)
		}
		w.panes = append(w.panes, s)
	}
	ctx, stop := context.WithCancel(b.Context())
	defer stop()
	go func() { _ = w.Run(ctx) }()
	var told atomic.Int64
	for range 2 {
		go func() {
			_ = w.Watch(ctx, func(c Change) error { told.Add(int64(len(c.Cards))); return nil })
		}()
	}
	time.Sleep(3 * time.Second) // all is masked for the first time
	for b.Loop() {
		before, began := cpu(b), time.Now()
		for i := 0; time.Since(began) < lasts; i++ {
			k := i * 7 % cards
			w.set(func() {
				if k%2 == 0 {
					w.panes[k] = at(k, screen.Working, "on it", fmt.Sprint("step ", i))
				} else {
					_, n := asking(k, fmt.Sprintf("make test-%d", i))
					w.open.Nudges[k/2] = n
				}
			})
			w.Saw(w.panes[k])
			time.Sleep(time.Second / perSecond)
		}
		b.ReportMetric(100*float64(cpu(b)-before)/float64(time.Since(began)), "%core")
	}
	b.ReportMetric(float64(told.Load()), "cards-told")
}

// cpu is how long this process has computed.
func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
