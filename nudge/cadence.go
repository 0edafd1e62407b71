package nudge

import (
	"slices"
	"time"
)

// Kept is how long a nudge stays on record after its end. Until then its messages can be answered
// (the answer is that it is over) and its id is not given out again.
const Kept = 30 * 24 * time.Hour

// Next is when time alone changes n: a reminder, the expiry, or the end of its record. Zero: never.
// The book's due index is made of it, and that index is the only timer there is.
func (n *Nudge) Next() time.Time {
	switch {
	case n.State == Pending && (n.Due.IsZero() || n.Expires.Before(n.Due)):
		return n.Expires
	case n.State == Pending:
		return n.Due
	case n.State.Over() && !n.Standing:
		return n.Ended.Add(Kept)
	}
	return time.Time{}
}

// raise brings Reminder to the step that the cadence has reached at now. Steps that passed unheard
// become one. It reports whether there is a new step.
func (n *Nudge) raise(now time.Time) bool {
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
	if n.Reminder == 0 || n.heard() {
		n.Raised = now
	}
	n.Reminder = reached
	return true
}

// heard reports whether some chat has the reminder that n is at.
func (n *Nudge) heard() bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return !c.Unseen && c.Round == n.Round && c.Reminder == n.Reminder
	})
}

// shift moves what n waits for by a step of the clock, so that every wait keeps its length. What
// lies in the past of an ended nudge stays as it was written, and so do Telegram's dates.
func (n *Nudge) shift(by time.Duration) {
	if n.State.Over() {
		return
	}
	for _, t := range []*time.Time{&n.Detected, &n.Due, &n.Raised, &n.Expires, &n.Asked} {
		if !t.IsZero() {
			*t = t.Add(by)
		}
	}
	if n.State != Pending && n.Claim != nil {
		n.Claim.At = n.Claim.At.Add(by)
	}
}

// reading is what the clocks said at one moment.
type reading struct {
	wall time.Time
	up   time.Duration // of a clock that nobody sets and that goes on while the machine sleeps
}

// tolerance is how far the two clocks may part between two ticks before it counts as a step; the
// slewing of NTP stays far below it.
const tolerance = 2 * time.Second

// stepped is by how much somebody set the wall clock between two readings; zero when it only ran.
// A machine that slept moved both clocks alike.
func stepped(before, now reading) time.Duration {
	if before.wall.IsZero() {
		return 0
	}
	by := now.wall.Sub(before.wall) - (now.up - before.up)
	if by.Abs() < tolerance {
		return 0
	}
	return by
}
