package nudge

import (
	"fmt"
	"time"

	"nod/detect"
)

// effectsKept is how long after a prompt ended its tool call may still tell what became of it.
const effectsKept = 24 * time.Hour

// Ran takes in what an agent's own event proved about the tool call that a prompt had asked for. The pane's newest
// nudge of that prompt notes it, and its newest message says so. It changes nothing where it can't be told which
// nudge is meant. Call it after See of the look that the same event caused: a nudge whose prompt still counts as
// standing takes no effect.
func (k *Keeper) Ran(e detect.Effect) error {
	err := k.update(func(tx *Tx) error {
		n, err := ranFor(tx, e)
		if err != nil || n == nil {
			return err
		}
		n.ran(e)
		tx.Put(n)
		tx.Note(n.event(toolEnded, Event{State: n.Effect.said(), After: n.Effect.after()}))
		return nil
	})
	if err != nil {
		return fmt.Errorf("note what became of a tool call in pane %s: %w", e.Pane.ID, err)
	}
	return nil
}

// ranFor finds the nudge whose tool call has ended: the newest that was answered. nil where that is not certain.
func ranFor(tx *Tx, e detect.Effect) (*Nudge, error) {
	var newest *Nudge
	for n, err := range tx.Of(e.Pane) {
		if err != nil {
			return nil, err
		}
		if n.State.Over() && tx.Now().Sub(n.Ended) >= effectsKept {
			break
		}
		if n.Prompt.Fingerprint == "" || n.Prompt.Fingerprint != e.Fingerprint || !n.answered() {
			continue
		}
		if newest != nil {
			// A quick tool is done before the delivery has seen its prompt go; one that was approved before may
			// have run for long.
			if n.mayHaveRun() {
				return nil, nil
			}
			break
		}
		if newest = n; n.State.Over() {
			break
		}
	}
	if newest == nil || !newest.mayHaveRun() {
		return nil, nil
	}
	return newest, nil
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
	denied := n.Claim != nil && n.Claim.Decision == detect.Deny && n.State != Recovered || n.Proof == "denied"
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
