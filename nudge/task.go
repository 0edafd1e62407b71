package nudge

import (
	"time"

	"nod/deliver"
	"nod/internal/reason"
)

// claimHolds is for how long a claim outlives a restart: an older one rests on a screen that nobody has watched since.
const claimHolds = time.Minute

// Task is what the delivery has to do with a nudge.
type Task int

// The tasks.
const (
	NoTask   Task = iota
	Wait          // a claim of an earlier process, whose pane has not been found again yet
	Type          // type the answer
	GiveBack      // the claim is too old, or rests on consent that a restart has ended: nothing is typed
	GiveUp        // a key may have been typed
)

// Task decides what the delivery has to do with n. own says that this process took the claim, as opposed to
// one before it that ended in the middle; seen, that it has seen the pane.
func (n *Nudge) Task(own, seen bool, now time.Time) Task {
	switch n.State {
	case Typing:
		return GiveUp
	case Claimed:
	default:
		return NoTask
	}
	age := now.Sub(n.Claim.At)
	switch {
	case n.Claim.Unseen && !own, age >= claimHolds, age < -tolerance: // after the clock was set back nobody knows how old it is
		return GiveBack
	case !own && !seen:
		return Wait
	}
	return Type
}

// GiveUp ends a nudge whose typing was cut off by a crash.
func (n *Nudge) GiveUp(now time.Time) {
	detail := reason.StoppedTyping
	if n.Claim.Text != "" {
		detail = reason.StoppedPasting
	}
	n.Finish(deliver.Result{Outcome: deliver.Unknown, Detail: reason.Why{Kind: detail}}, now)
}

// GiveBack ends a claim that no longer counts: what was asked is asked again, and whoever spoke unasked is told.
func (n *Nudge) GiveBack(now time.Time) {
	if n.instruction() {
		n.Finish(deliver.Result{
			Outcome: deliver.Refused, Reason: deliver.Unreadable,
			Detail: reason.Why{Kind: reason.NotInTime},
		}, now)
		return
	}
	n.askAgain(n.whySince(reason.NotTypedInTime, 0))
}

// Request is what is to be typed for a claimed nudge.
func (n *Nudge) Request() deliver.Request {
	call := ""
	if !n.Prompt().Partial {
		call = n.Prompt().Call
	}
	r := deliver.Request{
		Nudge: n.ID, Call: call, Pane: n.Pane, Process: n.Process, Agent: n.Agent,
		Fingerprint: n.Prompt().Fingerprint, Rows: n.Prompt().Rows, Width: n.Prompt().Width,
		Decision: n.Claim.Decision, Because: n.Claim.Because, Choice: n.Claim.Choice,
		LeaveMode: n.Claim.LeaveMode,
	}
	if n.TakesInstruction() {
		r.Instruction = deliver.Instruction(n.Claim.Text)
	} else {
		r.Answer = deliver.Say(n.Claim.Text)
		if i := n.Prompt().Writes - 1; !r.Answer.IsZero() && i >= 0 && i < len(n.Prompt().Options) {
			r.Choice = &deliver.Choice{Index: i, Label: n.Prompt().Options[i].Label}
		}
	}
	return r
}

// Typed is what a delivery typed, for the audit trail, which has the words of a text with its answer.
func (n *Nudge) Typed(r deliver.Result) []string {
	if n.Claim.Text == "" || r.Outcome == deliver.Refused {
		return r.Keys
	}
	return append([]string{deliver.TypedWords}, r.Keys...)
}
