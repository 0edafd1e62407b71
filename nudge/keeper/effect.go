package keeper

import (
	"fmt"

	"nod/detect"
	"nod/nudge"
)

// effectsKept is how many effects wait at most to be stored.
const effectsKept = 100

// Ran takes in what an agent's own event proved about the tool call that a prompt had asked for. The pane's newest
// nudge of that prompt notes it, and its newest message says so. It changes nothing where it can't be told which
// nudge is meant. Call it after See of the look that the same event caused. What can't be stored is tried again at
// the next tick.
func (k *Keeper) Ran(e detect.Effect) error {
	err := k.noteEffect(e)
	if err == nil {
		return nil
	}
	k.trouble(effectLost, err)
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
		return fmt.Errorf("note what became of a tool call in pane %s: %w", e.Pane.ID, err)
	}
	return nil
}

// storeEffects stores the effects that could not be stored before, the first first.
func (k *Keeper) storeEffects() error {
	for {
		k.mu.Lock()
		waiting := k.effects
		k.mu.Unlock()
		if len(waiting) == 0 {
			k.well(effectLost)
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
