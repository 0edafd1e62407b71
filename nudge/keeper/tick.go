package keeper

import (
	"fmt"
	"slices"
	"time"

	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// How long records other than nudges are kept, and how often old ones are dropped.
const (
	handledKept = 48 * time.Hour      // updates; Telegram keeps its own for a day
	eventsKept  = 90 * 24 * time.Hour // the audit trail
	sweepEvery  = time.Hour
)

// Tick does the work that depends on time: reminders (several missed ones become one), expiry, and the end of
// old records. It uses the due index, so calling it often is cheap. After sleep or a stop it catches up at
// the next call. If the wall clock was set since the last call, all waits move with it.
func (k *Keeper) Tick(now time.Time) error {
	err := k.tick(now.UTC().Round(0))
	if err != nil {
		k.trouble(reason.WorkUndone, err)
		return err
	}
	k.well(reason.WorkUndone)
	return nil
}

func (k *Keeper) tick(now time.Time) error {
	if err := k.FollowClock(now); err != nil {
		return err
	}
	if err := k.storeLost(); err != nil {
		return err
	}
	due := false
	err := k.cfg.Store.View(func(tx *store.Tx) error {
		due = len(tx.Due(now)) > 0 || slices.ContainsFunc(tx.Wishes(), func(w *nudge.Wish) bool { return w.Expire(now) }) ||
			slices.ContainsFunc(tx.Denials(), func(d *nudge.Denials) bool { return k.passDenials(d, now) })
		return nil
	})
	if err != nil {
		return err
	}
	if due {
		if err := k.update(func(tx *tx) error { k.doDue(tx, now); return nil }); err != nil {
			return err
		}
	}
	k.release()
	if err := k.setAside(); err != nil {
		return err
	}
	return k.sweep(now)
}

// setAside moves unreadable records out of the way. Their panes are then looked at as if for the first time.
func (k *Keeper) setAside() error {
	names, err := k.cfg.Store.SetAside()
	if err != nil || len(names) == 0 {
		return err
	}
	k.cfg.Log.Error("records of the database can't be read and were set aside", "records", names)
	k.mu.Lock()
	for _, p := range k.panes {
		p.settled = false
	}
	k.mu.Unlock()
	k.cfg.Changed()
	return nil
}

// release wakes the bot while messages are held back, and once more when none is.
func (k *Keeper) release() {
	held := len(k.Held()) > 0
	k.mu.Lock()
	before := k.held
	k.held = held
	k.mu.Unlock()
	if held || before {
		k.cfg.Changed()
	}
}

// doDue does the work that is due.
func (k *Keeper) doDue(tx *tx, now time.Time) {
	for _, n := range tx.Due(now) {
		if n.State.Over() {
			tx.Delete(n.ID)
			continue
		}
		if n.Tick(k.sees(n.Pane), k.cfg.Rules(), now) {
			tx.Note(n.EndedEvent(now))
			k.withdrew(n, now)
		}
		tx.Put(n)
	}
	endWishes(tx, func(w *nudge.Wish) bool { return w.Expire(tx.Now()) })
	endDenials(tx, func(d *nudge.Denials) bool { return k.passDenials(d, tx.Now()) })
	dropGrants(tx, tx.LiveInstructions())
}

// passDenials ends or changes denied calls by the passing of time, or because an agent without a pane is
// gone.
func (k *Keeper) passDenials(d *nudge.Denials, now time.Time) bool {
	return d.Orphan(k.cfg.Alive, now) || d.Pass(now)
}

// sees reports whether nod has had a look at the pane since it started and no look says that the pane is
// gone.
func (k *Keeper) sees(ref detect.PaneRef) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.panes[ref] != nil
}

// FollowClock moves all waits by as much as the wall clock was set since the last call. The first call,
// before any look, compares with the last event of the earlier nod process: if the clock is behind that, it
// was set back by at least the difference.
func (k *Keeper) FollowClock(now time.Time) error {
	clocks := nudge.Clocks{Wall: now, Up: k.cfg.Uptime()}
	k.mu.Lock()
	by, first := nudge.Stepped(k.clocks, clocks), k.clocks.Wall.IsZero()
	k.mu.Unlock()
	if first {
		noted, err := k.notedBefore()
		if err != nil {
			return err
		}
		by = min(0, nudge.Stepped(nudge.Clocks{Wall: noted, Up: clocks.Up}, clocks))
	}
	if by != 0 {
		err := k.update(func(tx *tx) error {
			for _, n := range tx.Live() {
				n.Shift(by)
				tx.Put(n)
			}
			for _, n := range tx.Ended(now.Add(-by - nudge.Lately)) { // nudges that ended a moment ago stay recent
				n.Ended = n.Ended.Add(by)
				tx.Put(n)
			}
			for _, i := range tx.LiveInstructions() {
				i.Shift(by)
				tx.putInstruction(i)
			}
			for _, w := range tx.Wishes() {
				w.Shift(by)
				tx.putWish(w)
			}
			for _, d := range tx.Denials() {
				d.Shift(by)
				tx.putDenials(d)
			}
			overHolds(tx, func(h *nudge.Holds) { h.Shift(by) })
			tx.Note(nudge.Event{Kind: nudge.ClockSet, After: by.String()}) // so that a nod that starts now does not move them again
			return nil
		})
		if err != nil {
			return fmt.Errorf("adjust to the clock, which was set by %s: %w", by, err)
		}
	}
	k.mu.Lock()
	k.clocks = clocks
	k.mu.Unlock()
	return nil
}

// notedBefore returns when the earlier nod process logged its last event; zero: there was none.
func (k *Keeper) notedBefore() (time.Time, error) {
	last := k.cfg.Store.Before()
	if last == 0 {
		return time.Time{}, nil
	}
	lines, err := k.cfg.Store.After(last-1, 1)
	if err != nil || len(lines) == 0 {
		return time.Time{}, err
	}
	return lines[0].At, nil
}

// storeLost stores what could not be stored before and what no later look will show again.
func (k *Keeper) storeLost() error {
	for _, s := range k.lostEnds() {
		if err := k.See(s); err != nil {
			return err
		}
	}
	return k.storeEffects()
}

// sweep drops old records, once an hour.
func (k *Keeper) sweep(now time.Time) error {
	k.mu.Lock()
	wait := now.Sub(k.swept).Abs() < sweepEvery
	k.mu.Unlock()
	if wait {
		return nil
	}
	err := k.update(func(tx *tx) error {
		for _, i := range tx.LiveInstructions() {
			if i.State.Over() && now.Sub(i.Ended) > nudge.InstructionKept {
				i.Untold, i.Buttons = nil, nil // nobody is left who could be told
				tx.putInstruction(i)
			}
		}
		endDenials(tx, func(d *nudge.Denials) bool { return d.Forget(now.Add(-nudge.InstructionKept)) })
		endWishes(tx, func(w *nudge.Wish) bool { return w.Forget(now.Add(-nudge.InstructionKept)) })
		for _, n := range tx.MonitorNews() {
			if !k.cfg.Rules().Reaches(n.Place) {
				tx.DropNews(n)
			}
		}
		tx.Forget(now.Add(-handledKept), now.Add(-eventsKept))
		return nil
	})
	if err != nil {
		return fmt.Errorf("drop old records: %w", err)
	}
	k.mu.Lock()
	k.swept = now
	k.mu.Unlock()
	return nil
}
