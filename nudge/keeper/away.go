package keeper

import (
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
)

// Away records since when a machine is away; zero: it is back, and its waiting questions are sent again.
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
		return fmt.Errorf("record that %s is away or back: %w", machine, err)
	}
	return nil
}

// Forget records that a machine was removed, and ends everything that waits there.
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
		return fmt.Errorf("end the nudges of %s: %w", machine, err)
	}
	return k.Lost(func(pane detect.PaneRef) screen.State {
		if pane.Machine == machine {
			return screen.Gone
		}
		return ""
	}, time.Now())
}

// Learned records the outcome of an answer that a machine was given, if it is still unknown. A machine can
// only report about its own panes.
func (k *Keeper) Learned(machine, id string, r deliver.Result) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if n == nil || n.Pane.Machine != machine || !n.Learn(r, tx.Now()) {
			return nil
		}
		tx.Put(n)
		tx.noteGiven(n, r)
		tx.Note(n.EndedEvent(tx.Now()))
		return nil
	})
}
