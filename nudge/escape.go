package nudge

import (
	"slices"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// Escape takes in that the person at the terminal has decided at that time: nothing that was denied before it may be allowed any more.
func (d *Denials) Escape(at, now time.Time) (changed bool) {
	why := reason.Why{Kind: reason.DenialAtTerminal}
	before := func(c Denial) bool { return !c.At.After(at) }
	if d.Ended.IsZero() && !slices.ContainsFunc(d.Calls, func(c Denial) bool { return !before(c) }) {
		d.end(why, now)
		return true
	}
	for i := range d.Calls {
		c := &d.Calls[i]
		if !before(*c) || !d.Ended.IsZero() {
			continue
		}
		ended := c.Grant.End(grant.Void)
		if c.open() {
			c.Flaw, ended = why, true
		}
		changed = changed || ended
	}
	if changed {
		d.Drawn++
	}
	return changed
}

// stopping is how long after a no that nod has typed an agent may take to note that a person has stopped it.
const stopping = 10 * time.Second

// RefusedBefore reports whether an answer of nod's that is no yes is what an agent notes at that time as that a person has stopped it.
func (n *Nudge) RefusedBefore(at time.Time) bool {
	c := n.Claim
	return c != nil && c.Decision != screen.Approve && !at.Before(c.At) && at.Sub(c.At) < stopping
}
