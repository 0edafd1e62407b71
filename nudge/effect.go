package nudge

import (
	"iter"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// effectsKept is how long after the end of a prompt the outcome of its tool call is still accepted.
const effectsKept = 24 * time.Hour

// Ran finds the nudge whose tool call ended, according to an agent's own event: the newest answered one of
// its pane. pane yields the nudges of the pane, newest first. Ran records the outcome and returns the nudge;
// nil if it is not certain which one is meant. A nudge whose prompt still counts as shown gets no outcome.
func Ran(pane iter.Seq[*Nudge], e detect.Effect, now time.Time) *Nudge {
	var newest *Nudge
	for n := range pane {
		if n.State.Over() && now.Sub(n.Ended) >= effectsKept {
			break
		}
		if !n.Prompt().Same(&screen.Prompt{Fingerprint: e.Fingerprint, Call: e.Call}) || !n.answered() {
			continue
		}
		if newest != nil {
			// A quick tool ends before the delivery has seen its prompt go; the tool that was approved before
			// may run for long.
			if n.mayHaveRun() {
				return nil
			}
			break
		}
		if newest = n; n.State.Over() {
			break
		}
	}
	if newest == nil || !newest.mayHaveRun() {
		return nil
	}
	newest.ran(e)
	return newest
}

// answered reports whether the prompt of n has an answer, or is being answered now.
func (n *Nudge) answered() bool {
	switch n.State {
	case Typing, Delivered, Recovered, Unknown:
		return true
	}
	return false
}

// mayHaveRun reports whether the tool call of n may have been approved and its outcome is not known yet.
func (n *Nudge) mayHaveRun() bool {
	denied := n.Claim != nil && n.Claim.Decision == screen.Deny && n.State != Recovered || n.Proof == "denied"
	return n.Effect == nil && !denied
}

// ran records the outcome of the tool call. A call that ran proves that the prompt was approved.
func (n *Nudge) ran(e detect.Effect) {
	n.Effect = &Effect{Failed: e.Failed, Took: e.Took}
	if n.State == Recovered {
		n.Proof = "approved"
	}
	n.retell()
}

// EffectEvent returns the event of the outcome of n's tool call.
func (n *Nudge) EffectEvent() Event {
	return n.Event(ToolEnded, Event{State: n.Effect.said(), After: n.Effect.after()})
}

func (e *Effect) said() string {
	if e.Failed {
		return "failed"
	}
	return "ran"
}

func (e *Effect) after() string {
	if e.Took == 0 {
		return ""
	}
	return e.Took.Round(time.Millisecond).String()
}
