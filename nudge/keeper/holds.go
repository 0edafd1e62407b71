package keeper

import (
	"fmt"
	"slices"
	"time"

	"nod/detect"
	"nod/nudge"
)

// Hold makes the hook of a form wait, within the rest of its agent's turn budget. It returns until when, at
// most; zero: the budget is spent.
func (k *Keeper) Hold(w detect.Whereabouts, budget time.Duration) (until time.Time, err error) {
	err = k.update(func(tx *tx) error {
		until = hold(tx, w, budget)
		return nil
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("record that a hook waits: %w", err)
	}
	return until, nil
}

// Release records that the hook with that latest time no longer waits.
func (k *Keeper) Release(w detect.Whereabouts, until time.Time) error {
	return k.update(func(tx *tx) error {
		release(tx, w, until)
		return nil
	})
}

func hold(tx *tx, w detect.Whereabouts, budget time.Duration) (until time.Time) {
	list := slices.DeleteFunc(tx.Holds(), func(h nudge.Holds) bool { return h.Old(tx.Now()) })
	i := slices.IndexFunc(list, func(h nudge.Holds) bool { return h.Of(w) })
	if i < 0 {
		i, list = len(list), append(list, nudge.Holds{Pane: w.Pane, Process: w.Process})
	}
	if until = list[i].Hold(budget, tx.Now()); !until.IsZero() {
		tx.SetHolds(list)
	}
	return until
}

func release(tx *tx, w detect.Whereabouts, until time.Time) {
	overHolds(tx, func(h *nudge.Holds) {
		if h.Of(w) {
			h.End(until, tx.Now())
		}
	})
}

// overHolds applies change to all holds.
func overHolds(tx *tx, change func(*nudge.Holds)) {
	list := tx.Holds()
	for i := range list {
		change(&list[i])
	}
	if len(list) > 0 {
		tx.SetHolds(list)
	}
}
