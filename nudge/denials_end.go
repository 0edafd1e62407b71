package nudge

import (
	"slices"
	"time"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge/grant"
)

// EndTurn records that the agent has another instruction. Grants that are not taken yet stay. EndTurn reports
// whether d changed.
func (d *Denials) EndTurn(now time.Time) bool {
	changed := !d.TurnOver && d.Ended.IsZero()
	d.TurnOver = true
	return d.settle(now) || changed
}

// settle ends d if its turn is over and every call is settled.
func (d *Denials) settle(now time.Time) bool {
	if !d.Ended.IsZero() || !d.TurnOver || slices.ContainsFunc(d.Calls, func(c Denial) bool { return !c.settled() }) {
		return false
	}
	d.end(reason.Why{Kind: reason.DenialTurn}, now)
	return true
}

// Pass applies the passing of time to d and reports whether d changed.
func (d *Denials) Pass(now time.Time) (changed bool) {
	for i := range d.Calls {
		if c := &d.Calls[i]; c.Taking != OnList || c.Grant.State == grant.Open { // Finish ends the grants of keys
			changed = c.Grant.Pass(now) || changed
		}
	}
	if changed {
		d.Drawn++
	}
	if !now.Before(d.Due) {
		changed = d.void(func(Denial) bool { return true }, reason.Why{Kind: reason.DenialUnanswered}, now) || changed
	}
	return d.settle(now) || changed
}

// Depart ends d if a look shows that its agent has left the pane. It reports whether it did.
func (d *Denials) Depart(s detect.Sighting, now time.Time) bool {
	why := d.otherAgent(s)
	if !d.Ended.IsZero() || s.Pane != d.Pane || why.IsZero() {
		return false
	}
	d.end(why, now)
	return true
}

// Orphan ends d if its agent has no pane and, according to alive, no longer runs. It reports whether it did.
func (d *Denials) Orphan(alive func(detect.Whereabouts) bool, now time.Time) bool {
	if !d.Ended.IsZero() || d.Pane.ID != "" || alive(d.Whereabouts) {
		return false
	}
	d.end(reason.Why{Kind: reason.AgentExited, Agent: d.Agent}, now)
	return true
}

func (d *Denials) end(why reason.Why, now time.Time) {
	for i := range d.Calls {
		d.Calls[i].Grant.End(grant.Void)
	}
	d.Ended, d.Detail = now, why
	d.Drawn++
}

func (d *Denials) over() reason.Why {
	how := d.Detail
	return reason.Why{Kind: reason.DenialOver, Nudge: d.ID, Because: &how}
}

// Shift moves the times that d waits for by a step of the clock.
func (d *Denials) Shift(by time.Duration) {
	d.Due = d.Due.Add(by)
	for i := range d.Calls {
		if c := &d.Calls[i]; !c.Held.IsZero() {
			c.Held = c.Held.Add(by)
		}
		d.Calls[i].Grant.Shift(by)
	}
}

// Live reports whether something may still have to be done or said about d.
func (d *Denials) Live() bool { return d.Ended.IsZero() || d.Copies.open() }

// Forget drops the message records of d if d ended before the given time, because nobody can be told there
// any more. It reports whether d was that old.
func (d *Denials) Forget(before time.Time) bool {
	old := !d.Ended.IsZero() && d.Ended.Before(before)
	if old {
		d.Copies = nil
	}
	return old
}
