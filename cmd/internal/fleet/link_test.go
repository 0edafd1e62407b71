package fleet

import (
	"context"
	"io"
	"math/rand/v2"
	"sync"
	"time"
)

// fault is what becomes of one frame.
type fault struct {
	name  string
	copy  int           // how often it arrives
	delay time.Duration // of the first, and as much more of each further one
	cut   bool          // the link ends with it
}

var faults = []fault{
	{name: "lost"},
	{name: "doubled", copy: 2},
	{name: "doubled late", copy: 2, delay: 7 * time.Second},
	{name: "late", copy: 1, delay: 3 * time.Second},
	{name: "too late", copy: 1, delay: 20 * time.Second},
	{name: "much too late", copy: 3, delay: 70 * time.Second},
	{name: "cut before", cut: true},
	{name: "cut after", copy: 1, cut: true},
}

// wire is a link in memory whose frames meet what fate says, by their number.
type wire struct {
	fate func(n int, frame []byte) fault

	mu    sync.Mutex
	n     int
	ended chan struct{}
	ends  sync.Once
	hub   *end
	edge  *end
}

// end is one end of a wire.
type end struct {
	of    *wire
	other *end
	in    chan []byte
}

func newWire(fate func(int, []byte) fault) *wire {
	w := &wire{fate: fate, ended: make(chan struct{})}
	w.hub, w.edge = &end{of: w, in: make(chan []byte, 4096)}, &end{of: w, in: make(chan []byte, 4096)}
	w.hub.other, w.edge.other = w.edge, w.hub
	return w
}

func (e *end) Send(_ context.Context, frame []byte) error {
	w := e.of
	w.mu.Lock()
	f := fault{copy: 1}
	if w.fate != nil {
		f = w.fate(w.n, frame)
	}
	w.n++
	w.mu.Unlock()
	select {
	case <-w.ended:
		return io.ErrClosedPipe
	default:
	}
	for i := range f.copy {
		late := f.delay * time.Duration(i+1)
		if i == 0 && f.name == "doubled late" {
			late = 0
		}
		if late == 0 {
			e.other.in <- frame
			continue
		}
		time.AfterFunc(late, func() {
			select {
			case e.other.in <- frame:
			default:
			}
		})
	}
	if f.cut {
		w.end()
	}
	return nil
}

func (w *wire) end() { w.ends.Do(func() { close(w.ended) }) }

func (e *end) Receive(ctx context.Context) ([]byte, error) {
	select {
	case frame := <-e.in:
		return frame, nil
	default:
	}
	select {
	case frame := <-e.in:
		return frame, nil
	case <-e.of.ended:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *end) Close() error {
	e.of.end()
	return nil
}

// anyFault is a fault of few frames, by chance.
func anyFault(r *rand.Rand) func(int, []byte) fault {
	return func(int, []byte) fault {
		if r.IntN(8) > 0 {
			return fault{copy: 1, delay: time.Duration(r.IntN(3)) * 40 * time.Millisecond}
		}
		f := faults[r.IntN(len(faults))]
		f.delay = time.Duration(float64(f.delay) * (0.2 + 1.5*r.Float64()))
		return f
	}
}
