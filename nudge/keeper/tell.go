package keeper

import (
	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
)

// Tell takes words for the agent of a pane, a.Text, from somebody who names the pane and replies to nothing:
// /tell, `nod tell`. It is Answer in every other respect: in one transaction it notes the update and the message
// and makes the claim that Run types, at most once. What of a names a nudge is ignored. Where the pane has an idle
// notice or a question that takes words, those are what is claimed; else a record of its own is made, whose id the
// verdict has, so that Await and the Reply notice tell the outcome as for every other answer.
func (k *Keeper) Tell(ref detect.PaneRef, a nudge.Answer) (nudge.Verdict, error) {
	a.Nudge, a.ReplyTo, a.Shown, a.Decision, a.Choice = "", 0, nil, "", nil
	return k.take(a, func(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
		return k.addressedBy(tx, ref, a)
	})
}

// addressedBy is addressed, but where the words stand in the pane's part of a place no question takes them: it has to be
// pointed at.
func (k *Keeper) addressedBy(tx *tx, ref detect.PaneRef, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
	last := tx.Last(ref)
	if a.Pane != nil && last != nil && !last.State.Over() && !last.TakesInstruction() {
		return nil, nudge.Verdict{
			Kind: nudge.Rejected, Nudge: *last, Reason: deliver.AwaitingDecision,
			Detail: reason.Why{Kind: reason.QuestionThere, Nudge: last.ID},
		}
	}
	return k.addressed(tx, ref)
}

// addressed finds or makes the nudge that takes words for a pane.
func (k *Keeper) addressed(tx *tx, ref detect.PaneRef) (*nudge.Nudge, nudge.Verdict) {
	last := tx.Last(ref)
	switch {
	case last != nil && last.Standing:
		return nil, nudge.Verdict{
			Kind: nudge.Rejected, Nudge: *last, Reason: deliver.AwaitingDecision,
			Detail: reason.Why{Kind: reason.QuestionStillThere, Nudge: last.ID},
		}
	case last != nil && !last.State.Over():
		return last, nudge.Verdict{}
	}
	s, seen := k.lastLook(ref)
	if !seen {
		return nil, nudge.Verdict{
			Kind: nudge.Rejected, Reason: deliver.NotFound,
			Detail: reason.Why{Kind: reason.NoAgentSeen, Pane: ref.ID},
		}
	}
	return nudge.OpenInstruction(unusedID(tx), s, last, tx.Now()), nudge.Verdict{}
}

// lastLook is the last look at a pane, and whether there was one since nod started.
func (k *Keeper) lastLook(ref detect.PaneRef) (detect.Sighting, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[ref]
	if p == nil {
		return detect.Sighting{}, false
	}
	return p.last, true
}
