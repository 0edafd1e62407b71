package keeper

import (
	"slices"
	"time"

	"nod/nudge"
	"nod/store"
)

// Open is all that waits, in all panes, as one transaction saw it.
type Open struct {
	Nudges   []nudge.Nudge   // that wait, or whose answer is being given, oldest first
	Denials  []nudge.Denials // about which somebody may still decide
	Wishes   []nudge.Wish
	Queued   []nudge.Instruction // that wait for their turn
	Answered []nudge.Nudge       // that were answered since a time, the newest first
}

// Open gives what waits, and what was answered since a time.
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
