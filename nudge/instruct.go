package nudge

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
)

// Tell takes words for the agent of a pane, a.Text, from somebody who names the pane and replies to nothing:
// /tell, `nod tell`. It is Answer in every other respect: in one transaction it notes the update and the message
// and makes the claim that Run types, at most once. What of a names a nudge is ignored. Where the pane has an idle
// notice or a question that takes words, those are what is claimed; else a record of its own is made, whose id the
// verdict has, so that Await and the Reply notice tell the outcome as for every other answer.
func (k *Keeper) Tell(pane detect.PaneRef, a Answer) (Verdict, error) {
	a.Nudge, a.ReplyTo, a.Decision, a.Choice = "", 0, "", nil
	var v Verdict
	err := k.update(func(tx *Tx) error {
		var err error
		v, err = k.instruct(tx, pane, a)
		return err
	})
	if err != nil {
		return Verdict{}, err
	}
	if v.Kind == Taken {
		k.wakeDelivery()
	}
	return v, nil
}

// instruct gives the verdict on words for a pane, and puts what it changes.
func (k *Keeper) instruct(tx *Tx, pane detect.PaneRef, a Answer) (Verdict, error) {
	if v, err := k.hear(tx, a); err != nil || v.Kind != "" {
		return v, err
	}
	last, err := tx.Last(pane)
	switch {
	case err != nil:
		return Verdict{}, err
	case last != nil && last.Standing:
		return last.reject(deliver.AwaitingDecision, fmt.Sprintf("The question of #%s still stands there: answer that first.", last.ID)), nil
	case last != nil && !last.State.Over():
		return k.decide(tx, last, a), nil
	}
	s, seen := k.lastLook(pane)
	if !seen {
		return Verdict{
			Kind: Rejected, Reason: deliver.NotFound,
			Detail: fmt.Sprintf("nod sees no agent in %s: nothing was typed.", pane.ID),
		}, nil
	}
	id, err := unusedID(tx)
	if err != nil {
		return Verdict{}, err
	}
	return k.decide(tx, bid(id, s, last, tx.Now()), a), nil
}

// bid makes the nudge of words that no notice asked for. Nobody is told of it: it has no reminders.
func bid(id string, s detect.Sighting, last *Nudge, now time.Time) *Nudge {
	n := open(id, detect.Idle, s, last, Rules{}, now)
	n.By, n.Words, n.Blocked, n.Tail, n.Again = byTell, "", s.Blocked, nil, ""
	n.Cadence, n.Reminder, n.Raised = nil, 0, time.Time{}
	return n
}

// lastLook is the last look at a pane, and whether there was one since nod started.
func (k *Keeper) lastLook(pane detect.PaneRef) (detect.Sighting, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[pane]
	if p == nil {
		return detect.Sighting{}, false
	}
	return p.seen, true
}
