package keeper

import (
	"fmt"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
)

// effectsKept is how many effects can wait to be stored.
const effectsKept = 100

// Ran records what an agent's own event proved about the tool call that a prompt asked for, in the pane's
// newest nudge of that prompt; its newest message then says so. If it is not certain which nudge is meant,
// nothing changes. Call Ran after See of the look that the same event caused. An effect that can't be stored
// is tried again at the next tick.
func (k *Keeper) Ran(e detect.Effect) error {
	err := k.noteEffect(e)
	if err == nil {
		return nil
	}
	k.trouble(reason.EffectUnstored, err)
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.effects) < effectsKept {
		k.effects = append(k.effects, e)
	}
	return err
}

func (k *Keeper) noteEffect(e detect.Effect) error {
	err := k.update(func(tx *tx) error {
		if n := nudge.Ran(tx.Of(e.Pane), e, tx.Now()); n != nil {
			tx.Put(n)
			tx.Note(n.EffectEvent())
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("store the outcome of a tool call in pane %s: %w", e.Pane.ID, err)
	}
	return nil
}

// storeEffects stores the effects that could not be stored before, oldest first.
func (k *Keeper) storeEffects() error {
	for {
		k.mu.Lock()
		waiting := k.effects
		k.mu.Unlock()
		if len(waiting) == 0 {
			k.well(reason.EffectUnstored)
			return nil
		}
		if err := k.noteEffect(waiting[0]); err != nil {
			return err
		}
		k.mu.Lock()
		k.effects = k.effects[1:]
		k.mu.Unlock()
	}
}
