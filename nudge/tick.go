package nudge

import (
	"time"

	"nod/detect"
)

// What is kept for how long beside the nudges, and how often old records are looked for.
const (
	heardKept  = 48 * time.Hour      // updates: Telegram keeps its own for a day
	eventsKept = 90 * 24 * time.Hour // the audit trail
	sweepEvery = time.Hour
)

// Tick does what time alone brings about by now: reminders, of which several that were missed become
// one; expiry; the end of old records. It looks at the due index, so calling it often is cheap, and
// what it missed while the machine slept or nod did not run it catches up with at the next call. A
// wall clock that was set since the last call moves everything that waits by as much.
func (k *Keeper) Tick(now time.Time) error {
	now = now.UTC().Round(0)
	if by := k.step(now); by != 0 {
		k.log.Warn("the clock was set; what waits moves with it", "by", by)
		if err := k.shiftAll(by); err != nil {
			return err
		}
	}
	due := false
	err := k.book.View(func(tx *Tx) error {
		nudges, err := tx.Due(now)
		due = len(nudges) > 0
		return err
	})
	if err != nil {
		return err
	}
	if due {
		if err := k.update(func(tx *Tx) error { return k.tickIn(tx, now) }); err != nil {
			return err
		}
	}
	k.release()
	return k.sweep(now)
}

// release wakes the bot while messages are held back, and once more when none is any longer.
func (k *Keeper) release() {
	held := len(k.Held()) > 0
	k.mu.Lock()
	before := k.held
	k.held = held
	k.mu.Unlock()
	if held || before {
		k.changed()
	}
}

// tickIn does what is due by now.
func (k *Keeper) tickIn(tx *Tx, now time.Time) error {
	nudges, err := tx.Due(now)
	if err != nil {
		return err
	}
	for _, n := range nudges {
		if n.State.Over() {
			tx.Delete(n.ID)
			continue
		}
		n.raise(now)
		if !n.Expires.After(now) && n.expire(k.sees(n.Pane), k.rules().Expiry, now) {
			tx.Note(n.ended(now))
		}
		tx.Put(n)
	}
	return nil
}

// expire does what is due when n has waited for as long as it may: a prompt is given up. What is no prompt
// waits on for as long as its pane is watched; a pane that nobody has seen since nod started is gone. It
// reports whether n ended.
func (n *Nudge) expire(seen bool, expiry time.Duration, now time.Time) bool {
	switch {
	case n.Kind.Asks():
		return n.end(Expired, now)
	case seen:
		n.Expires = now.Add(max(expiry, time.Minute))
		return false
	}
	return n.end(Gone, now)
}

// sees reports whether looks at the pane have come since nod started, and none that it is gone.
func (k *Keeper) sees(pane detect.PaneRef) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.panes[pane] != nil
}

// step is by how much the wall clock was set since the last call.
func (k *Keeper) step(now time.Time) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	read := reading{wall: now, up: k.uptime()}
	by := stepped(k.clock, read)
	k.clock = read
	return by
}

// shiftAll moves all that waits by a step of the clock.
func (k *Keeper) shiftAll(by time.Duration) error {
	return k.update(func(tx *Tx) error {
		live, err := tx.Live()
		for _, n := range live {
			n.shift(by)
			tx.Put(n)
		}
		return err
	})
}

// sweep drops, once an hour, what is kept for a time beside the nudges.
func (k *Keeper) sweep(now time.Time) error {
	k.mu.Lock()
	wait := now.Sub(k.swept).Abs() < sweepEvery
	if !wait {
		k.swept = now
	}
	k.mu.Unlock()
	if wait {
		return nil
	}
	return k.update(func(tx *Tx) error {
		tx.Forget(now.Add(-heardKept), now.Add(-eventsKept))
		return nil
	})
}
