package nudge

import (
	"slices"
	"time"
)

// Kept is how long a nudge stays on record after its end. Until then its messages can be answered
// (the answer is that it is over) and its id is not given out again.
const Kept = 30 * 24 * time.Hour

// Next is when time alone changes n: a reminder, the expiry, or the end of its record. Zero: never.
// The store's due index is made of it, and that index is the only timer there is.
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

// Tick does the work of this moment: a reminder goes up, and what has waited for as long as it may ends. seen says that looks
// at n's pane have come since nod started, and none that it is gone. It reports whether n ended.
func (n *Nudge) Tick(seen bool, r Rules, now time.Time) bool {
	n.raise(now)
	if left := n.abandoned(); !left.IsZero() && !left.After(now) {
		return n.Withdraw(now)
	}
	return !n.Expires.After(now) && n.expire(seen, r, now)
}

// expire ends n when it has waited for as long as it may: a prompt is given up. What is no prompt
// waits on for as long as its pane is watched, and so does a prompt that nobody could be told of yet, since the machine slept or
// the network was away; a pane that nobody has seen since nod started is gone. It reports whether n ended.
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

// untold reports whether a prompt that is on a screen was told to nobody of those who are to be told. A program's question is over at the
// time that the program gave it.
func (n *Nudge) untold(r Rules) bool {
	return n.Program() == nil && len(r.Supervisors) > 0 && len(n.Copies) == 0
}

// raise brings Reminder to the step that the cadence has reached at now. Steps that passed unheard
// become one. It reports whether there is a new step.
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

// climb is raise for what is not snoozed.
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

// reached reports whether some place has the reminder that n is at.
func (n *Nudge) reached() bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return !c.Unseen && c.Round == n.Round && c.Reminder == n.Reminder
	})
}

// Shift moves what n waits for by a step of the clock, so that every wait keeps its length. What
// lies in the past of an ended nudge stays as it was written, and so do the dates of messages.
func (n *Nudge) Shift(by time.Duration) {
	if n.State.Over() {
		return
	}
	for _, t := range []*time.Time{&n.Detected, &n.Away, &n.Due, &n.Snoozed, &n.Raised, &n.Expires, &n.Asked} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	if p := n.Program(); p != nil && !p.Left.IsZero() {
		p.Left = p.Left.Add(by)
		n.About = *p
	}
	if n.State != Pending && n.Claim != nil {
		n.Claim.At = n.Claim.At.Add(by)
	}
}
