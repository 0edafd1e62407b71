package control

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"nod/nudge"
	"nod/store"
)

// eventsAfter listens until see fails.
func (w *world) eventsAfter(ctx context.Context, after uint64, see func(store.Line) error) error {
	return w.client.Stream(ctx, "events", EventsParams{After: after}, func(text json.RawMessage) error {
		var line store.Line
		if err := json.Unmarshal(text, &line); err != nil {
			return err
		}
		return see(line)
	})
}

// TestEventsComeAsTheyHappen: no earlier ones, then each once and in order.
func TestEventsComeAsTheyHappen(t *testing.T) {
	w := newWorld(t)
	w.queued(t, w.own) // before anybody listens
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	lines, ended := make(chan store.Line, 100), make(chan error, 1)
	go func() {
		ended <- w.eventsAfter(ctx, 0, func(line store.Line) error { lines <- line; return nil })
	}()
	next := func() (line store.Line) {
		t.Helper()
		for end := time.After(10 * time.Second); ; {
			if err := w.cfg.Keeper.Report(nudge.MonitorReport{Monitor: "ci", Count: 1}); err != nil {
				t.Fatal(err)
			}
			select {
			case line := <-lines:
				return line
			case <-end:
				t.Fatal("nothing came")
			case <-time.After(50 * time.Millisecond): // it does not listen yet
			}
		}
	}
	first := next()
	if second := next(); first.Kind != nudge.MonitorMatched || second.Seq != first.Seq+1 {
		t.Errorf("it begins with %+v, %+v", first, second)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	var again []uint64
	err := w.eventsAfter(t.Context(), 1, func(line store.Line) error {
		if again = append(again, line.Seq); len(again) == 2 {
			return io.EOF
		}
		return nil
	})
	if err != io.EOF || !slices.Equal(again, []uint64{2, 3}) {
		t.Errorf("from the second on: %v, %v", again, err)
	}
}
