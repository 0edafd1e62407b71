package nudge

import (
	"slices"
	"time"
)

// Kept is how long a nudge is stored after its end. Until then an answer to its messages gets the reply that
// it is over, and its id is not reused.
const Kept = 30 * 24 * time.Hour

// Next returns the next time at which n changes without any event: a reminder, the expiry, or the deletion of
// its record. Zero: never. The store builds its due index from Next; there is no other timer.
func (n *Nudge) Next() time.Time {
	switch {
	case n.State == Pending:
		next := n.Expires
		for _, t := range []time.Time{n.Due, n.abandoned()} {
			if !t.IsZero() && t.Before(next) {
				next = t
			}
		}
		return next
	case n.State.Over() && !n.Standing:
		return n.Ended.Add(Kept)
	}
	return time.Time{}
}

// Tick raises the reminder that is due and ends n if its time is up. seen: nod has had a look at n's pane
// since it started, and no look says that the pane is gone. Tick reports whether n ended.
func (n *Nudge) Tick(seen bool, r Rules, now time.Time) bool {
	n.raise(now)
	if left := n.abandoned(); !left.IsZero() && !left.After(now) {
		return n.Withdraw(now)
	}
	return !n.Expires.After(now) && n.expire(seen, r, now)
}

// expire ends n if its time is up. A pending prompt expires, unless it is on a watched pane and could not be
// sent to anybody who may answer yet, because the machine slept or was offline. Any other nudge waits as long as
// its pane is watched, and is gone if nod has not seen the pane since it started. expire reports whether n ended.
func (n *Nudge) expire(seen bool, r Rules, now time.Time) bool {
	switch {
	case n.Asks() && !(seen && n.untold(r)):
		return n.end(Expired, now)
	case seen:
		n.Expires = now.Add(max(r.Expiry, time.Minute))
		return false
	}
	return n.end(Gone, now)
}

// untold reports whether a prompt on a screen has not been sent to anybody who may answer although there are
// supervisors. A program's question ends at the time that the program set.
func (n *Nudge) untold(r Rules) bool {
	return n.Program() == nil && len(r.Supervisors) > 0 && !slices.ContainsFunc(n.Copies, func(c Copy) bool { return r.Reaches(c.Place) })
}

// raise sets Reminder to the step that the cadence has reached at now. Steps that could not be sent become
// one. It reports whether there is a new step.
func (n *Nudge) raise(now time.Time) bool {
	if !n.Away.IsZero() {
		n.Due = time.Time{}
		return false
	}
	if n.Snoozed.After(now) {
		n.Due = n.Snoozed
		return false
	}
	woken := !n.Snoozed.IsZero()
	if n.Snoozed = (time.Time{}); woken {
		n.Round, n.Raised = n.Round+1, now
	}
	return n.climb(now) || woken
}

// climb is raise for a nudge that is not snoozed.
func (n *Nudge) climb(now time.Time) bool {
	reached := 0
	n.Due = time.Time{}
	for _, after := range n.Cadence {
		due := n.Detected.Add(after)
		if due.After(now) {
			n.Due = due
			break
		}
		reached++
	}
	if reached <= n.Reminder {
		return false
	}
	if n.Reminder == 0 || n.reached() {
		n.Raised = now
	}
	n.Reminder = reached
	return true
}

// reached reports whether some place has the current reminder of n.
func (n *Nudge) reached() bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return !c.Unseen && c.Round == n.Round && c.Reminder == n.Reminder
	})
}

// Shift moves n's times by a step of the clock, so that every wait keeps its length. The times of an ended
// nudge and the dates of messages stay as they are.
func (n *Nudge) Shift(by time.Duration) {
	if n.State.Over() {
		return
	}
	for _, t := range []*time.Time{&n.Detected, &n.Away, &n.Due, &n.Snoozed, &n.Raised, &n.Expires, &n.Asked, &n.Listed} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	if p := n.Program(); p != nil && !p.Left.IsZero() {
		p.Left = p.Left.Add(by)
		n.About = *p
	}
	if n.State != Pending {
		n.Claim.At = n.Claim.At.Add(by)
	}
}
