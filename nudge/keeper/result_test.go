package keeper_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// TestARefusalAfterTheFirstStepIsNotedThoughNodStops: once the typing has begun, only the typist knows the
// outcome. If it were not recorded, a refused answer would be unknown after the next start.
func TestARefusalAfterTheFirstStepIsNotedThoughNodStops(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		typing := make(chan struct{})
		w.typist.typing = func() { close(typing); time.Sleep(time.Second) }
		w.typist.after = deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed, Detail: reason.Why{Said: "another prompt"}}
		w.deliver()
		<-typing
		w.stop()
		if got := w.wantState(n.ID, nudge.Refused); got.Reason != deliver.Changed {
			w.Errorf("the reason is %q", got.Reason)
		}
	})
}

// TestNoResultForWhatIsOver: a result for a nudge that nobody waits for changes neither its record nor the
// trail.
func TestNoResultForWhatIsOver(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		w.typist.typing = func() {
			err := w.store.Update(func(tx *store.Tx) error {
				over := tx.Nudge(n.ID)
				over.State, over.Ended = nudge.Unknown, tx.Now()
				tx.Put(over)
				tx.Note(over.EndedEvent(tx.Now()))
				return nil
			})
			if err != nil {
				w.Error(err)
			}
		}
		w.deliver()
		synctest.Wait()
		w.wantState(n.ID, nudge.Unknown)
		lines, err := w.store.Tail(100)
		if err != nil {
			w.Fatal(err)
		}
		ends := 0
		for _, line := range lines {
			if line.Kind == nudge.KeyTyped {
				w.Errorf("noted %s", line.Kind)
			}
			if line.Kind == nudge.NudgeEnded {
				ends++
			}
		}
		if ends != 1 {
			w.Errorf("noted %d ends", ends)
		}
	})
}

// TestStoppedBeforeTheFirstStepKeepsTheClaim: the other half of the rule. An answer that has not begun
// continues after the next start.
func TestStoppedBeforeTheFirstStepKeepsTheClaim(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		w.typist.result = func(ctx context.Context, _ deliver.Request) deliver.Result {
			<-ctx.Done()
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.Unreadable, Detail: reason.Why{Said: "it is shutting down"}}
		}
		w.deliver()
		w.stop()
		w.wantState(n.ID, nudge.Claimed)
	})
}
