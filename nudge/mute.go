package nudge

import "time"

// Mute makes all messages silent until then; a time that has passed ends it.
func (k *Keeper) Mute(until time.Time) error {
	return k.changeDesk(func(d *Desk) { d.Muted = until.UTC() })
}

// Muted is until when messages are silent; zero when they are not.
func (k *Keeper) Muted(now time.Time) (until time.Time, err error) {
	err = k.book.View(func(tx *Tx) error {
		desk, err := tx.Desk()
		if desk.Muted.After(now) {
			until = desk.Muted
		}
		return err
	})
	return until, err
}

// SetQuiet sets the quiet hours in place of those of the settings; nil: none.
func (k *Keeper) SetQuiet(q *Quiet) error {
	return k.changeDesk(func(d *Desk) { d.Hours = &Hours{q} })
}

// Quiet gives the quiet hours that hold; nil: none.
func (k *Keeper) Quiet() (q *Quiet, err error) {
	err = k.book.View(func(tx *Tx) error {
		desk, err := tx.Desk()
		q = desk.quiet(k.rules())
		return err
	})
	return q, err
}

func (k *Keeper) changeDesk(f func(*Desk)) error {
	return k.update(func(tx *Tx) error {
		desk, err := tx.Desk()
		if err != nil {
			return err
		}
		f(&desk)
		tx.SetDesk(desk)
		return nil
	})
}

func (d Desk) quiet(r Rules) *Quiet {
	if d.Hours != nil {
		return d.Hours.Quiet
	}
	return r.Quiet
}

// silent reports whether messages come silently now.
func (d Desk) silent(r Rules, now time.Time) bool {
	return d.Muted.After(now) || d.quiet(r).On(now)
}
