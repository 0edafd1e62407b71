package keeper

import (
	"maps"
	"time"

	"nod/nudge"
	"nod/store"
)

// Mute makes all messages silent until then; a time in the past unmutes them.
func (k *Keeper) Mute(until time.Time) error {
	return k.changePreferences(func(p *nudge.Preferences) { p.Muted = until.UTC() })
}

// MuteName mutes an agent or project until then; a time in the past unmutes it.
func (k *Keeper) MuteName(name string, until time.Time) error {
	return k.update(func(tx *tx) error {
		p := tx.Preferences()
		p.MuteName(name, until, tx.Now())
		tx.SetPreferences(p)
		return nil
	})
}

// Unmute ends all mutes.
func (k *Keeper) Unmute() error {
	return k.changePreferences(func(p *nudge.Preferences) { p.Muted, p.Names = time.Time{}, nil })
}

// MutedNames returns the muted agents and projects, and until when.
func (k *Keeper) MutedNames(now time.Time) (names map[string]time.Time, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		names = maps.Clone(tx.Preferences().Names)
		maps.DeleteFunc(names, func(_ string, until time.Time) bool { return !until.After(now) })
		return nil
	})
	return names, err
}

// Muted returns until when all messages are muted; zero: they are not.
func (k *Keeper) Muted(now time.Time) (until time.Time, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if muted := tx.Preferences().Muted; muted.After(now) {
			until = muted
		}
		return nil
	})
	return until, err
}

// SetQuiet sets quiet hours that replace those of the settings; nil: none.
func (k *Keeper) SetQuiet(q *nudge.Quiet) error {
	return k.changePreferences(func(p *nudge.Preferences) { p.Hours = &nudge.Hours{Quiet: q} })
}

// Quiet returns the current quiet hours; nil: none.
func (k *Keeper) Quiet() (q *nudge.Quiet, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		q = tx.Preferences().QuietHours(k.cfg.Rules())
		return nil
	})
	return q, err
}

func (k *Keeper) changePreferences(f func(*nudge.Preferences)) error {
	return k.update(func(tx *tx) error {
		p := tx.Preferences()
		f(&p)
		tx.SetPreferences(p)
		return nil
	})
}
