package nudge

import (
	"slices"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// Escape records that the person at the terminal decided at the given time. Calls that were denied before it
// can't be allowed any more.
func (d *Denials) Escape(at, now time.Time) (changed bool) {
	return d.void(func(c Denial) bool { return !c.At.After(at) }, reason.Why{Kind: reason.DenialAtTerminal}, now)
}

// void ends all that may still be decided about some of the calls, and d if those are all of them. A screen
// that still shows the turn would have the calls reported once more, so d lasts as long as such a turn.
func (d *Denials) void(some func(Denial) bool, why reason.Why, now time.Time) (changed bool) {
	others := slices.ContainsFunc(d.Calls, func(c Denial) bool { return !some(c) })
	switch {
	case !d.Ended.IsZero():
		return false
	case !others && (d.Turn == "" || d.TurnOver):
		d.end(why, now)
		return true
	}
	for i := range d.Calls {
		c := &d.Calls[i]
		if !some(*c) {
			continue
		}
		ended := c.Grant.End(grant.Void)
		if c.open() {
			c.Flaw, ended = why, true
		}
		if d.Again(i) != "" {
			c.Told, ended = true, true
		}
		changed = changed || ended
	}
	if changed {
		d.Drawn++
	}
	return changed
}

// stopping is how long after a "no" typed by nod an agent may take to log that a person has stopped it.
const stopping = 10 * time.Second

// RefusedBefore reports whether the agent's log entry "stopped by a person" at that time comes from nod's own
// answer, one that was not a yes.
func (n *Nudge) RefusedBefore(at time.Time) bool {
	c := n.Claim
	return c != nil && c.Decision != screen.Approve && !at.Before(c.At) && at.Sub(c.At) < stopping
}
