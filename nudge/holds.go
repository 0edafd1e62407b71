package nudge

import (
	"slices"
	"time"

	"nod/detect"
	"nod/internal/host/proc"
)

// Holds is how long the hooks of one turn of an agent were made to wait for a supervisor. Hooks of denied
// calls and of forms share one budget.
type Holds struct {
	Pane    detect.PaneRef
	Process proc.ID
	Spent   time.Duration // by hooks that no longer wait
	Since   time.Time     // when the first of the waiting hooks began, or of the last ones if none waits
	Held    []time.Time   // the latest time for each hook that waits now
}

// Of reports whether h belongs to that agent.
func (h *Holds) Of(w detect.Whereabouts) bool { return h.Pane == w.Pane && h.Process == w.Process }

// Hold makes one more hook wait and returns until when, at most; zero: the budget is spent. Hooks that wait
// at the same time spend it together.
func (h *Holds) Hold(budget time.Duration, now time.Time) (until time.Time) {
	h.pass(now)
	if len(h.Held) == 0 {
		h.Since = now
	}
	left := budget - h.Spent - max(0, now.Sub(h.Since))
	if left <= 0 {
		return time.Time{}
	}
	until = now.Add(left)
	h.Held = append(h.Held, until)
	return until
}

// End records that the hook with that latest time no longer waits.
func (h *Holds) End(until, now time.Time) {
	h.pass(now)
	if i := slices.IndexFunc(h.Held, until.Equal); i >= 0 {
		h.Held = slices.Delete(h.Held, i, i+1)
		h.spend(now)
	}
}

// Lose records that no hook waits any more, as after a crash. All of them count as having waited until now.
func (h *Holds) Lose(now time.Time) {
	h.pass(now)
	if len(h.Held) > 0 {
		h.Held = nil
		h.spend(now)
	}
}

// pass removes the hooks whose time has passed without End.
func (h *Holds) pass(now time.Time) {
	if len(h.Held) == 0 {
		return
	}
	last := slices.MaxFunc(h.Held, time.Time.Compare)
	h.Held = slices.DeleteFunc(h.Held, func(until time.Time) bool { return !now.Before(until) })
	h.spend(last)
}

// spend adds the time until ended to the budget that is spent, if no hook waits any more.
func (h *Holds) spend(ended time.Time) {
	if len(h.Held) == 0 {
		h.Spent += max(0, ended.Sub(h.Since))
	}
}

// Begin records that the next turn begins. A hook that still waits spends the new turn's budget.
func (h *Holds) Begin(now time.Time) { h.Spent, h.Since = 0, now }

// Shift moves h's times by a step of the clock.
func (h *Holds) Shift(by time.Duration) {
	h.Since = h.Since.Add(by)
	for i := range h.Held {
		h.Held[i] = h.Held[i].Add(by)
	}
}

// Old reports whether the turn of h must be over.
func (h *Holds) Old(now time.Time) bool { return now.Sub(h.Since) >= denialsLast }
