package keeper

import (
	"slices"
	"time"

	"nod/nudge"
	"nod/store"
)

// Open is everything that waits, in all panes, from one transaction.
type Open struct {
	Nudges   []nudge.Nudge   // pending, being answered, or expired and still on screen; oldest first
	Denials  []nudge.Denials // with a call that somebody may still decide about
	Wishes   []nudge.Wish
	Queued   []nudge.Instruction // waiting for their turn
	Answered []nudge.Nudge       // answered since the given time, newest first
}

// Open returns everything that waits, and the nudges answered since the given time.
func (k *Keeper) Open(since time.Time) (o Open, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, n := range tx.Live() {
			if !n.State.Over() || n.Standing {
				o.Nudges = append(o.Nudges, *n)
			}
		}
		for _, d := range tx.Denials() {
			if d.Waits() {
				o.Denials = append(o.Denials, *d)
			}
		}
		for _, w := range tx.Wishes() {
			if w.State == nudge.Wished {
				o.Wishes = append(o.Wishes, *w)
			}
		}
		for _, i := range tx.LiveInstructions() {
			if i.State == nudge.Queued {
				o.Queued = append(o.Queued, *i)
			}
		}
		for _, n := range slices.Backward(tx.Ended(since)) {
			if n.Claim != nil && n.State.Over() {
				o.Answered = append(o.Answered, *n)
			}
		}
		return nil
	})
	slices.SortStableFunc(o.Answered, func(a, b nudge.Nudge) int { return b.Ended.Compare(a.Ended) })
	return o, err
}
