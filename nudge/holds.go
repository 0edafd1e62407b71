package nudge

import (
	"slices"
	"time"

	"nod/detect"
	"nod/internal/host/proc"
)

// Holds is how long hooks of one turn of an agent were held for a supervisor's word: those of denied calls and of forms spend one budget.
type Holds struct {
	Pane    detect.PaneRef
	Process proc.ID
	Spent   time.Duration // by those that are over
	Since   time.Time     // when the first of those was held that are held now, or the last
	Held    []time.Time   // until when each of those is that are held now, at most
}

// Of reports whether h is of that agent.
func (h *Holds) Of(w detect.Whereabouts) bool { return h.Pane == w.Pane && h.Process == w.Process }

// Hold has one more hook held, until a time at most; zero: the budget is spent. Those side by side spend it together.
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

// End takes in that the hook that was held until a time, at most, is held no more.
func (h *Holds) End(until, now time.Time) {
	h.pass(now)
	if i := slices.IndexFunc(h.Held, until.Equal); i >= 0 {
		h.Held = slices.Delete(h.Held, i, i+1)
		h.spend(now)
	}
}

// Lose takes in that no hook is held any more, as after a crash: until now they may have been.
func (h *Holds) Lose(now time.Time) {
	h.pass(now)
	if len(h.Held) > 0 {
		h.Held = nil
		h.spend(now)
	}
}

// pass ends those that nobody has ended.
func (h *Holds) pass(now time.Time) {
	if len(h.Held) == 0 {
		return
	}
	last := slices.MaxFunc(h.Held, time.Time.Compare)
	h.Held = slices.DeleteFunc(h.Held, func(until time.Time) bool { return !now.Before(until) })
	h.spend(last)
}

// spend counts how long hooks were held, if none is any more.
func (h *Holds) spend(ended time.Time) {
	if len(h.Held) == 0 {
		h.Spent += max(0, ended.Sub(h.Since))
	}
}

// Begin takes in that another turn begins. A hook that is held yet spends that one's budget.
func (h *Holds) Begin(now time.Time) { h.Spent, h.Since = 0, now }

// Shift moves h by as much as the clock was set.
func (h *Holds) Shift(by time.Duration) {
	h.Since = h.Since.Add(by)
	for i := range h.Held {
		h.Held[i] = h.Held[i].Add(by)
	}
}

// Old reports whether no turn that h may be of goes on.
func (h *Holds) Old(now time.Time) bool { return now.Sub(h.Since) >= denialsLast }
