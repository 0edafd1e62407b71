package keeper

import (
	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
)

// Tell takes the words a.Text for the agent of a pane, as /tell and `nod tell` do: they name the pane and
// reply to nothing. Fields of a that name a nudge are ignored. Otherwise it works like Answer: one
// transaction records the update and the message, and makes the claim that Run types at most once. If the
// pane has an idle notice or a question that takes words, that one is claimed. If not, Tell makes a nudge for
// the words. Its id is in the verdict, so Await and the Reply notice report the outcome as for every other
// answer.
func (k *Keeper) Tell(ref detect.PaneRef, a nudge.Answer) (nudge.Verdict, error) {
	a.Nudge, a.ReplyTo, a.Shown, a.Decision, a.Choice = "", 0, nil, "", nil
	return k.take(a, func(tx *tx, a *nudge.Answer) (*nudge.Nudge, nudge.Verdict) {
		return k.addressedBy(tx, ref, a)
	})
}

// addressedBy is addressed, except that words in a pane's topic never answer a question: a question must be
// replied to.
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

// lastLook returns the last look at a pane, and whether there was one since nod started.
func (k *Keeper) lastLook(ref detect.PaneRef) (detect.Sighting, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[ref]
	if p == nil {
		return detect.Sighting{}, false
	}
	return p.last, true
}
