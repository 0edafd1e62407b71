package fleet

import (
	"context"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
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

// TestWhatAWholeStateToldIsToldOnce: no delta repeats it, but effects come, and a pane that is gone by then is never told.
func TestWhatAWholeStateToldIsToldOnce(t *testing.T) {
	g := newGround(t)
	g.ask("%1", "make a")
	o := newOutbox(nil)
	look := g.pane("%1").sighting()
	gone := look
	gone.Pane.ID, gone.State, gone.Prompt = "%2", screen.Gone, nil
	o.see(look)
	o.see(gone)
	whole := o.whole()
	if len(whole) != 1 || len(whole[0].State.Panes) != 1 || len(o.deltas()) != 0 {
		t.Fatalf("told %+v, and then %+v", whole, o.deltas())
	}
	o.ran(detect.Effect{Fingerprint: "f"})
	whole = o.whole()
	deltas := o.deltas()
	if len(deltas) != 1 || len(deltas[0].Delta.Panes) != 0 || len(deltas[0].Delta.Effects) != 1 || deltas[0].Delta.From != whole[0].State.Seq || deltas[0].Delta.To <= whole[0].State.Seq {
		t.Errorf("after %+v come %+v", whole[0].State, deltas)
	}
}

// TestAScreenIsMaskedOnceAsItsRowsAre: what is shown twice of a pane hides the same.
func TestAScreenIsMaskedOnceAsItsRowsAre(t *testing.T) {
	mask := func(text string) string { return strings.ReplaceAll(text, "secret", "[masked]") }
	look := detect.Sighting{Above: []string{"a", "the secret"}, Tail: []string{"b", "secret too"}}
	for _, row := range slices.Concat(look.Above, look.Tail) {
		look.Screen = append(look.Screen, screen.Drawn{Role: screen.Subject, Text: row})
	}
	before := slices.Clone(look.Screen)
	got := passed(look, filter{mask: mask})
	for i, row := range slices.Concat(got.Above, got.Tail) {
		if d := got.Screen[i]; d.Text != row || d.Role != screen.Subject || strings.Contains(row, "secret") {
			t.Errorf("row %d is %q in the screen, and %q below it", i, d.Text, row)
		}
	}
	if !slices.Equal(look.Screen, before) {
		t.Error("the look itself was changed")
	}
	if look.Screen[1].Text = "another secret"; passed(look, filter{mask: mask}).Screen[1].Text != "another [masked]" {
		t.Error("a screen that is not its rows is not masked by itself")
	}
}
