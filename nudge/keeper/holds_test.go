package keeper_test

import (
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// TestFormsAndDeniedCallsSpendOneBudget per turn and agent. Another agent, and the next turn, have their own.
func TestFormsAndDeniedCallsSpendOneBudget(t *testing.T) {
	inBubble(t, func(w *world) {
		const budget = 2 * time.Minute
		at := is("%1", screen.Working)
		w.see(at)
		form := func(whose detect.Whereabouts) time.Duration {
			until, err := w.Hold(whose, budget)
			if err != nil {
				w.Fatal(err)
			}
			if until.IsZero() {
				return 0
			}
			time.Sleep(50 * time.Second)
			if err := w.Release(whose, until); err != nil {
				w.Fatal(err)
			}
			return time.Until(until) + 50*time.Second
		}
		if wait := form(at.Whereabouts); wait != budget {
			w.Errorf("the first is held for %v", wait)
		}
		of, wait := w.deny("make", budget)
		if wait != 70*time.Second {
			w.Errorf("a denied call is held for %v after a form", wait)
		}
		time.Sleep(40 * time.Second)
		if _, err := w.EndHold(of, false, false); err != nil {
			w.Fatal(err)
		}
		time.Sleep(time.Minute) // the agent works
		if wait := form(at.Whereabouts); wait != 30*time.Second {
			w.Errorf("a form is held for %v after both", wait)
		}
		if wait := form(at.Whereabouts); wait != 0 {
			w.Errorf("a form is held for %v, and nothing is left", wait)
		}
		other := at.Whereabouts
		other.Process = proc.ID{PID: 8, Start: 1}
		if wait := form(other); wait != budget {
			w.Errorf("one of another agent is held for %v", wait)
		}
		if err := w.EndTurn(at.Whereabouts, time.Time{}); err != nil {
			w.Fatal(err)
		}
		if wait := form(at.Whereabouts); wait != budget {
			w.Errorf("one of the next turn is held for %v", wait)
		}
	})
}

// TestACrashKeepsWhatWasSpent of a turn's budget by a hook that was waiting and that nobody has ended.
func TestACrashKeepsWhatWasSpent(t *testing.T) {
	inBubble(t, func(w *world) {
		const budget = 2 * time.Minute
		at := is("%1", screen.Working)
		w.see(at)
		w.deny("make", budget)
		time.Sleep(45 * time.Second)
		w.restart()
		if err := w.Interrupt(); err != nil {
			w.Fatal(err)
		}
		w.see(at)
		time.Sleep(time.Hour)
		if _, wait := w.deny("make 2", budget); wait != budget-45*time.Second {
			w.Errorf("the next is held for %v", wait)
		}
	})
}
