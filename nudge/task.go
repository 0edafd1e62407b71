package nudge

import (
	"time"

	"nod/deliver"
	"nod/internal/reason"
)

// claimHolds is the maximum age of a claim. The screen of an older one has not been watched since.
const claimHolds = time.Minute

// Task is what the delivery has to do with a nudge.
type Task int

// The tasks.
const (
	NoTask   Task = iota
	Wait          // the claim is from an earlier process, and its pane has not been found yet
	Type          // type the answer
	GiveBack      // type nothing: the claim is too old, or needs a consent that a restart has ended
	GiveUp        // a key may have been typed
)

// Task returns what the delivery has to do with n. own: this process took the claim, not an earlier one that
// crashed. seen: this process has seen the pane.
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
	case n.Claim.Unseen && !own, age >= claimHolds, age < -tolerance: // after the clock was set back its age is unknown
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

// GiveBack ends a claim that no longer counts. A question is asked again; an instruction is refused and its
// author told.
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

// Request returns the request to type for a claimed nudge.
func (n *Nudge) Request() deliver.Request {
	call := ""
	if !n.Prompt().Partial {
		call = n.Prompt().Call
	}
	r := deliver.Request{
		Nudge: n.ID, Call: call, Pane: n.Pane, Where: n.Where, Process: n.Process, Agent: n.Agent,
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

// Typed returns what a delivery typed, for the audit trail. The words of a text are logged with its answer,
// not here.
func (n *Nudge) Typed(r deliver.Result) []string {
	if n.Claim.Text == "" || r.Outcome == deliver.Refused {
		return r.Keys
	}
	return append([]string{deliver.TypedWords}, r.Keys...)
}
