package nudge

import (
	"iter"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// effectsKept is how long after a prompt ended its tool call may still tell what became of it.
const effectsKept = 24 * time.Hour

// Ran finds the nudge whose tool call an agent's own event tells the end of: the newest of its pane that was
// answered, pane being the nudges of the pane, the newest first. It notes what became of the call and gives the nudge;
// nil where it is not certain which one is meant. A nudge whose prompt still counts as standing takes no effect.
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
			// A quick tool is done before the delivery has seen its prompt go; one that was approved before may
			// have run for long.
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

// answered reports whether the prompt of n has an answer, or is just being given one.
func (n *Nudge) answered() bool {
	switch n.State {
	case Typing, Delivered, Recovered, Unknown:
		return true
	}
	return false
}

// mayHaveRun reports whether the tool call of n may have been approved and has not told yet what became of it.
func (n *Nudge) mayHaveRun() bool {
	denied := n.Claim != nil && n.Claim.Decision == screen.Deny && n.State != Recovered || n.Proof == "denied"
	return n.Effect == nil && !denied
}

// ran notes what became of the tool call. That it ran proves that the prompt was approved.
func (n *Nudge) ran(e detect.Effect) {
	n.Effect = &Effect{Failed: e.Failed, Took: e.Took}
	if n.State == Recovered && (n.Proof == "" || n.Proof == "answered") {
		n.Proof = "approved"
	}
	n.retell()
}

// EffectEvent is the event of what became of n's tool call.
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
