package desk

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/text/redact"
	"nod/nudge"
	"nod/nudge/keeper"
)

// world is what a Feed reads, as a test sets it.
type world struct {
	*Feed
	mu      sync.Mutex
	open    keeper.Open
	panes   []detect.Sighting
	changed chan struct{}
	viewed  []detect.PaneRef
	reads   int // of what waits
}

func newWorld() *world {
	w := &world{changed: make(chan struct{})}
	w.Feed = NewFeed(FeedConfig{
		Open: func(time.Time) (keeper.Open, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.reads++
			o := w.open
			o.Nudges = slices.Clone(o.Nudges)
			return o, nil
		},
		Changes: func() <-chan struct{} { w.mu.Lock(); defer w.mu.Unlock(); return w.changed },
		Panes:   func() []detect.Sighting { w.mu.Lock(); defer w.mu.Unlock(); return slices.Clone(w.panes) },
		View:    func(p detect.PaneRef, _ time.Time) { w.viewed = append(w.viewed, p) },
		Style:   func() Style { return Style{Redact: redact.Mask} },
		Health:  func() []string { return nil },
		Log:     slog.New(slog.DiscardHandler),
	})
	return w
}

// set changes what waits.
func (w *world) set(change func()) {
	w.mu.Lock()
	change()
	close(w.changed)
	w.changed = make(chan struct{})
	w.mu.Unlock()
}

// run runs the feed while test runs, on fake time, and sees to it that nothing of it is left.
func run(t *testing.T, test func(t *testing.T, w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- w.Run(ctx) }()
		test(t, w)
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// hears reads the feed into a list until ctx ends.
type hears struct {
	mu   sync.Mutex
	list []Change
	slow chan struct{} // each change waits for one; nil: none does
}

func (w *world) reader(ctx context.Context, slow chan struct{}) *hears {
	h := &hears{slow: slow}
	go func() {
		_ = w.Watch(ctx, func(c Change) error {
			if h.slow != nil {
				<-h.slow
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.list = append(h.list, c)
			return nil
		})
	}()
	return h
}

// take is what was heard since the last time.
func (h *hears) take() []Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	list := h.list
	h.list = nil
	return list
}

// soon lets the feed compute.
func soon() {
	time.Sleep(time.Second)
	synctest.Wait()
}

func paneRef(i int) detect.PaneRef {
	return detect.PaneRef{Server: tmux.Life{Socket: "/tmp/s", PID: 7, Start: 1}, ID: fmt.Sprint("%", i)}
}

// at is a pane whose agent is in a state, with these rows.
func at(i int, state screen.State, rows ...string) detect.Sighting {
	s := detect.Sighting{
		Whereabouts: detect.Whereabouts{Pane: paneRef(i), Process: proc.ID{PID: 100 + i}, Agent: "claude", Project: "api", Where: fmt.Sprintf("main:%d.0", i)},
		State:       state, Since: time.Unix(int64(1000+i), 0),
	}
	for _, row := range rows {
		s.Screen = append(s.Screen, screen.Drawn{Role: screen.Outside, Text: row})
	}
	return s
}

// asking is a permission in a pane.
func asking(i int, subject string, options ...screen.Option) (detect.Sighting, nudge.Nudge) {
	p := &screen.Prompt{
		Content: screen.Content{Agent: "claude", Subject: subject, Options: options}, Fingerprint: fmt.Sprint("f", subject),
		Ways: screen.Ways{Approve: []string{"1"}, Deny: []string{"3"}},
	}
	s := at(i, screen.Permission, subject, "Do you want to proceed?")
	s.Prompt = p
	n := nudge.Open(fmt.Sprint("n", i), nudge.Permission{Prompt: p}, s, nil, nudge.Rules{Expiry: time.Hour}, time.Unix(int64(2000+i), 0))
	return s, *n
}

// TestTheFirstLineIsASnapshotAndEachNextOneCounts: what a reader has is always what a snapshot would say.
func TestTheFirstLineIsASnapshotAndEachNextOneCounts(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		s, n := asking(1, "rm -rf build", screen.Option{Label: "Yes", Scope: screen.Once}, screen.Option{Label: "Yes, always", Scope: screen.Always}, screen.Option{Label: "No", Scope: screen.No})
		w.set(func() {
			w.panes, w.open.Nudges = []detect.Sighting{s, at(2, screen.Working, "busy"), at(3, screen.Shell)}, []nudge.Nudge{n}
		})
		ctx, stop := context.WithCancel(t.Context())
		h := w.reader(ctx, nil)
		soon()
		first := h.take()
		if len(first) != 1 || !first[0].Snapshot || first[0].Seq == 0 || len(first[0].Cards) != 2 || first[0].Health == nil {
			t.Fatalf("%+v", first)
		}
		card := first[0].Cards[0]
		if card.Section != Needs || card.Asks == nil || card.Asks.Nudge != "n1" || card.Asks.Subject != "rm -rf build" || card.Asks.Fingerprint != n.Drawn() ||
			!slices.Contains(card.Asks.Minds, "deletes files") || len(card.Screen) != 2 {
			t.Errorf("%+v %+v", card, card.Asks)
		}
		if o := card.Asks.Options; len(o) != 3 || o[0].Refused != "" || o[1].Refused == "" || o[1].Lasts == "" || o[2].Number != 3 {
			t.Errorf("%+v", o)
		}
		if a := card.Actions; a[0] != (Action{Do: Yes}) || a[1] != (Action{Do: No}) || a[2] != (Action{Do: DenyWords}) || a[len(a)-1] != (Action{Do: Tell}) {
			t.Errorf("%+v", a)
		}

		w.set(func() {
			over := n
			over.State, over.Ended, over.Claim = nudge.Delivered, time.Now(), &nudge.Claim{Said: nudge.Said{Decision: screen.Approve}, By: nudge.Person{Name: "ann"}}
			w.open.Nudges, w.open.Answered = nil, []nudge.Nudge{over}
		})
		soon()
		over := h.take()
		if len(over) != 1 || len(over[0].Cards) != 1 || over[0].Cards[0].Section != Working || over[0].Cards[0].Asks != nil {
			t.Fatalf("what was answered still waits: %+v", over)
		}
		if a := over[0].Answered; len(a) != 1 || a[0].Subject != "rm -rf build" || a[0].Answer != "approved" || a[0].By != "ann" {
			t.Errorf("%+v", a)
		}
		first = over

		w.set(func() {
			w.panes[1], w.open.Nudges = at(2, screen.Idle, "done"), nil
			w.panes[0] = at(1, screen.Working, "on it")
		})
		soon()
		next := h.take()
		if len(next) != 1 || next[0].Snapshot || next[0].Seq != first[0].Seq+1 || len(next[0].Cards) != 2 {
			t.Fatalf("%+v", next)
		}
		w.set(func() { w.panes = w.panes[:1] })
		soon()
		if gone := h.take(); len(gone) != 1 || gone[0].Seq != next[0].Seq+1 || !slices.Equal(gone[0].Gone, []string{paneRef(2).String()}) {
			t.Errorf("%+v", gone)
		}
		soon()
		if more := h.take(); len(more) > 0 {
			t.Errorf("nothing has changed, and %+v is told", more)
		}
		stop()
	})
}

// TestASlowReaderIsNoBrake: who takes nothing keeps nobody waiting, costs a bounded number of changes, and goes on with a snapshot.
func TestASlowReaderIsNoBrake(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		ctx, stop := context.WithCancel(t.Context())
		slow := make(chan struct{})
		lags, h := w.reader(ctx, slow), w.reader(ctx, nil)
		soon()
		for i := range 3 * kept {
			w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, fmt.Sprint(i))} })
			soon()
		}
		quick := h.take()
		if len(quick) != 3*kept+1 {
			t.Errorf("the quick reader heard %d changes of %d", len(quick), 3*kept+1)
		}
		last := quick[len(quick)-1]
		close(slow)
		soon()
		heard := lags.take()
		now := heard[len(heard)-1]
		if len(heard) > kept+2 || !now.Snapshot || now.Seq != last.Seq || now.Cards[0].Screen[0].Text != last.Cards[0].Screen[0].Text {
			t.Errorf("the slow one heard %d, last %+v, want the snapshot of %d", len(heard), now, last.Seq)
		}
		stop()
	})
}

// TestNobodyReadsNothingIsComputed, and the last who leaves takes along all that was kept.
func TestNobodyReadsNothingIsComputed(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		w.Saw()
		soon()
		if w.reads != 0 {
			t.Errorf("computed %d times for nobody", w.reads)
		}
		for range 3 {
			ctx, stop := context.WithCancel(t.Context())
			h := w.reader(ctx, nil)
			soon()
			w.Saw()
			if got := h.take(); len(got) != 1 || len(got[0].Cards) != 1 {
				t.Errorf("%+v", got)
			}
			stop()
			soon()
			if w.state != nil || len(w.readers)+len(w.viewed) != 0 {
				t.Errorf("left behind: %+v %v %v", w.state, w.readers, w.viewed)
			}
		}
	})
}

// TestNoMoreThanTenTimesASecond, however much changes.
func TestNoMoreThanTenTimesASecond(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		ctx, stop := context.WithCancel(t.Context())
		w.reader(ctx, nil)
		soon()
		before := w.reads
		for range 600 {
			w.set(func() {})
			time.Sleep(10 * time.Millisecond)
		}
		synctest.Wait()
		if reads := w.reads - before; reads < 50 || reads > 61 {
			t.Errorf("computed %d times in six seconds", reads)
		}
		stop()
	})
}

// TestAPaneThatIsLookedAtIsReadMoreOften.
func TestAPaneThatIsLookedAtIsReadMoreOften(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		w.set(func() { w.panes = []detect.Sighting{at(1, screen.Working, "0")} })
		ctx, stop := context.WithCancel(t.Context())
		w.reader(ctx, nil)
		soon()
		w.View(paneRef(1).String())
		w.View("none")
		if !slices.Equal(w.viewed, []detect.PaneRef{paneRef(1)}) {
			t.Errorf("%v", w.viewed)
		}
		stop()
	})
}
