package nudge

import (
	"time"

	"nod/deliver"
	"nod/internal/reason"
)

// This file has what becomes of nudges of a machine that is away: nothing can be answered there, so their buttons go and reminders pause.

// Leave takes down that n's machine is away since a time. It reports whether that is news.
func (n *Nudge) Leave(since time.Time) bool {
	if n.State.Over() || !n.Away.IsZero() {
		return false
	}
	n.Away = since
	return true
}

// Return takes down that n's machine is back, and n still is there: it is told once more. It reports whether that is news.
func (n *Nudge) Return(now time.Time) bool {
	if n.Away.IsZero() {
		return false
	}
	ago := now.Sub(n.Away)
	n.Away = time.Time{}
	n.raise(now)
	if n.State == Pending && n.Asks() {
		n.tellAnew(reason.Why{Kind: reason.MachineBack, What: n.Pane.Machine, Ago: ago})
		n.Raised = now
	}
	return true
}

// MachineForgotten ends n, which waits on a machine that was taken out. It reports whether it did.
func (n *Nudge) MachineForgotten(now time.Time) bool {
	if !n.end(Gone, now) {
		return false
	}
	n.Detail = reason.Why{Kind: reason.MachineForgotten, What: n.Pane.Machine}
	return true
}

// Learn takes down what became of the answer to n, of which that was not known. It reports whether that is news.
func (n *Nudge) Learn(r deliver.Result, now time.Time) bool {
	if n.State != Unknown || r.Outcome == deliver.Unknown {
		return false
	}
	n.Keys, n.Door, n.Detail = r.Keys, r.Door, r.Detail
	n.State, n.Reason = Delivered, ""
	if r.Outcome == deliver.Refused {
		n.State, n.Reason = Refused, r.Reason
	}
	n.retell()
	return true
}

// machineAway says that nothing can be answered: n's machine is away.
func (n *Nudge) machineAway(now time.Time) reason.Why {
	return reason.Why{Kind: reason.MachineAway, What: n.Pane.Machine, Ago: now.Sub(n.Away)}
}
