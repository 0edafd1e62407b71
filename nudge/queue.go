package nudge

import (
	"cmp"
	"fmt"
	"slices"
)

// Find gives the nudge of that id, and whether there is one on record.
func (k *Keeper) Find(id string) (n Nudge, found bool, err error) {
	err = k.book.View(func(tx *Tx) error {
		record, err := tx.Nudge(id)
		if record != nil {
			n, found = *record, true
		}
		return err
	})
	return n, found, err
}

// List gives the nudges that wait for an answer or its delivery, oldest first; with all, every one
// that is on record.
func (k *Keeper) List(all bool) (list []Nudge, err error) {
	err = k.book.View(func(tx *Tx) error {
		load := tx.Live
		if all {
			load = tx.All
		}
		nudges, err := load()
		for _, n := range nudges {
			if all || !n.State.Over() {
				list = append(list, *n)
			}
		}
		return err
	})
	return list, err
}

// Queue gives what waits for a human, the most urgent first: what blocks an agent before what does
// not, then the oldest; what was skipped comes behind the others, the first skipped first. An
// expired question that still stands on screen waits too.
func (k *Keeper) Queue() (queue []Nudge, err error) {
	err = k.book.View(func(tx *Tx) error {
		live, err := tx.Live()
		for _, n := range live {
			if n.State == Pending || n.Standing {
				queue = append(queue, *n)
			}
		}
		return err
	})
	slices.SortStableFunc(queue, func(a, b Nudge) int {
		return cmp.Or(a.Skipped.Compare(b.Skipped), cmp.Compare(rank(a), rank(b)), a.Detected.Compare(b.Detected))
	})
	return queue, err
}

// rank is 0 for what blocks an agent.
func rank(n Nudge) int {
	if n.Kind.Asks() {
		return 0
	}
	return 1
}

// Skip puts a nudge behind the others in the queue, until those have been skipped or answered too.
func (k *Keeper) Skip(id string) error {
	return k.update(func(tx *Tx) error {
		n, err := tx.Nudge(id)
		if err != nil {
			return err
		}
		if n == nil || n.State != Pending && !n.Standing {
			return fmt.Errorf("nudge #%s does not wait: `nod queue` lists what does", id)
		}
		n.Skipped = tx.Now()
		tx.Put(n)
		return nil
	})
}

// AskAgain opens a new nudge for an expired one whose question still stands on screen. The error is
// a sentence for the human where it does not.
func (k *Keeper) AskAgain(id string) error {
	return k.update(func(tx *Tx) error {
		n, err := tx.Nudge(id)
		if err != nil {
			return err
		}
		if n == nil || n.State != Expired || !n.Standing {
			return fmt.Errorf("the question of #%s no longer stands, or was asked again already", id)
		}
		n.Standing = false
		n.retell()
		tx.Put(n)
		fresh, err := unusedID(tx)
		if err != nil {
			return err
		}
		next := n.again(fresh, k.rules(), tx.Now())
		tx.Put(next)
		tx.Note(next.event(promptDetected, Event{By: next.By}))
		return nil
	})
}

// unusedID makes an id that no record bears.
func unusedID(tx *Tx) (string, error) {
	return newID(func(id string) (bool, error) {
		n, err := tx.Nudge(id)
		return n != nil, err
	})
}
