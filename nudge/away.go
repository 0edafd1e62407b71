package nudge

import (
	"time"

	"nod/deliver"
	"nod/internal/reason"
)

// When a machine is away, its nudges can't be answered: their buttons are removed and their reminders pause.

// Leave records since when n's machine is away. It reports whether n changed.
func (n *Nudge) Leave(since time.Time) bool {
	if n.State.Over() || !n.Away.IsZero() {
		return false
	}
	n.Away, n.Due = since, time.Time{}
	return true
}

// Return records that n's machine is back. If n still waits for an answer, it is sent again, unless somebody
// has snoozed it. Return reports whether n changed.
func (n *Nudge) Return(now time.Time) bool {
	if n.Away.IsZero() {
		return false
	}
	n.Away = time.Time{}
	n.raise(now)
	if n.State == Pending && n.Asks() && !n.Snoozes(now) {
		n.tellAgain(reason.Why{Kind: reason.MachineBack, What: n.Pane.Machine})
		n.Raised = now
	}
	return true
}

// MachineForgotten ends n because its machine was removed. It reports whether n was still pending.
func (n *Nudge) MachineForgotten(now time.Time) bool {
	if !n.end(Gone, now) {
		return false
	}
	n.Detail = reason.Why{Kind: reason.MachineForgotten, What: n.Pane.Machine}
	return true
}

// Learn records the outcome of an answer whose outcome was unknown. It reports whether n changed.
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

// machineAway is the reason that n can't be answered while its machine is away.
func (n *Nudge) machineAway(now time.Time) reason.Why {
	return reason.Why{Kind: reason.MachineAway, What: n.Pane.Machine, Ago: now.Sub(n.Away)}
}
