package keeper

import (
	"errors"
	"time"

	"nod/nudge"
	"nod/store"
)

// Find returns the nudge with that id, and whether there is one.
func (k *Keeper) Find(id string) (n nudge.Nudge, found bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if record := tx.Nudge(id); record != nil {
			n, found = *record, true
		}
		return nil
	})
	return n, found, err
}

// List returns the nudges that are pending or being delivered, oldest first. With all, it returns every
// stored nudge.
func (k *Keeper) List(all bool) (list []nudge.Nudge, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		load := tx.Live
		if all {
			load = tx.All
		}
		for _, n := range load() {
			if all || !n.State.Over() {
				list = append(list, *n)
			}
		}
		return nil
	})
	return list, err
}

// Queue returns the nudges that wait for a human, most urgent first.
func (k *Keeper) Queue() (queue []nudge.Nudge, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		queue = nudge.Queue(tx.Live())
		return nil
	})
	return queue, err
}

// Skip moves a nudge behind the others in the queue, until those are skipped or answered too. The error is a
// sentence for the human: the nudge does not wait.
func (k *Keeper) Skip(id string) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if err := n.Skip(tx.Now()); err != nil {
			return err
		}
		tx.Put(n)
		return nil
	})
}

// Snooze holds a nudge's reminders back until the given time. The error is a sentence for the human: no
// reminders will come.
func (k *Keeper) Snooze(id string, until time.Time) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if err := n.Snooze(until.UTC(), k.cfg.Rules().Expiry, tx.Now()); err != nil {
			return err
		}
		tx.Put(n)
		return nil
	})
}

// AskAgain opens a new nudge for an expired one whose question is still on screen. The error is a sentence
// for the human: the question is not on screen.
func (k *Keeper) AskAgain(id string) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if n == nil {
			return errors.New("nod keeps no record of that question any more")
		}
		next, err := n.AskAgain(unusedID(tx), k.cfg.Rules(), tx.Now())
		if err != nil {
			return err
		}
		tx.Put(n)
		tx.Put(next)
		tx.Note(next.OpenedEvent())
		return nil
	})
}
