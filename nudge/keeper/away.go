package keeper

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// Away takes in that a machine is away since a time, or with zero that it is back: then what still is there is told once more.
func (k *Keeper) Away(machine string, since time.Time) error {
	err := k.update(func(tx *tx) error {
		for _, n := range tx.Live() {
			if n.Pane.Machine != machine {
				continue
			}
			if since.IsZero() && n.Return(tx.Now()) || !since.IsZero() && n.Leave(since) {
				tx.Put(n)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note that %s is away or back: %w", machine, err)
	}
	k.wakeQueue()
	return nil
}

// Forget takes in that a machine was taken out: what waits there is over, and says so.
func (k *Keeper) Forget(machine string) error {
	err := k.update(func(tx *tx) error {
		for _, n := range tx.Live() {
			if n.Pane.Machine == machine && n.MachineForgotten(tx.Now()) {
				tx.Put(n)
				tx.Note(n.EndedEvent(tx.Now()))
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("end what waits on %s: %w", machine, err)
	}
	k.wakeQueue()
	return k.Lost(func(pane detect.PaneRef) screen.State {
		if pane.Machine == machine {
			return screen.Gone
		}
		return ""
	}, time.Now())
}

// Learned takes in what became of an answer that a machine was given, where nobody knew it by now. A machine speaks for its own panes alone.
func (k *Keeper) Learned(machine, id string, r deliver.Result) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if n == nil || n.Pane.Machine != machine || !n.Learn(r, tx.Now()) {
			return nil
		}
		tx.Put(n)
		if keys := n.Typed(r); len(keys) > 0 {
			tx.Note(n.Event(nudge.KeyTyped, nudge.Event{Act: nudge.Act{Keys: keys, By: n.Claim.By.Name}}))
		}
		tx.Note(n.EndedEvent(tx.Now()))
		return nil
	})
}
