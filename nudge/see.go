package nudge

import (
	"nod/detect"
)

// See takes in what one look at one pane told. It is called for every watched pane at every poll:
// when nothing has changed since the last look it costs a map access. It opens a nudge for a new
// prompt, keeps one that still stands, and ends one whose prompt has left.
func (k *Keeper) See(s detect.Sighting) error {
	misses, version, settled := k.remember(s)
	if settled {
		return nil
	}
	c, err := k.glance(s, misses)
	if err != nil {
		return err
	}
	if c.put || c.open {
		err := k.update(func(tx *Tx) error { return k.lookIn(tx, s, misses) })
		if err != nil {
			return err
		}
	}
	k.settle(s, version, c.again)
	return nil
}

// glance tells, without writing, what a look changes.
func (k *Keeper) glance(s detect.Sighting, misses int) (c change, err error) {
	err = k.book.View(func(tx *Tx) error {
		last, err := tx.Last(s.Pane)
		c = last.look(s, misses, tx.Now())
		return err
	})
	return c, err
}

// lookIn makes the changes of one look.
func (k *Keeper) lookIn(tx *Tx, s detect.Sighting, misses int) error {
	last, err := tx.Last(s.Pane)
	if err != nil {
		return err
	}
	c := last.look(s, misses, tx.Now())
	if c.put {
		tx.Put(last)
		if last.State.Over() && last.Ended.Equal(tx.Now()) {
			tx.Note(last.ended(tx.Now()))
		}
	}
	if !c.open {
		return nil
	}
	id, err := unusedID(tx)
	if err != nil {
		return err
	}
	n := open(id, s, last, k.rules(), tx.Now())
	tx.Put(n)
	tx.Note(n.event("prompt detected", Event{By: n.By}))
	return nil
}

// remember notes who is near the pane and how many looks in a row lacked its prompt, and reports
// whether this look says what the last one said.
func (k *Keeper) remember(s detect.Sighting) (misses, version int, settled bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[s.Pane]
	if p == nil {
		p = &watched{}
		k.panes[s.Pane] = p
	}
	p.presence = presence{here: s.Here, near: s.Near}
	if s.Unseen || !s.State.Asks() {
		p.misses++
	} else if s.Prompt != nil {
		p.misses = 0
	}
	sign := sign(s)
	settled = p.settled && sign == p.last && !s.Unseen && s.By != "hook"
	p.last = sign
	return p.misses, p.version, settled
}

// settle notes that a look has been worked through, so that another like it need not be; but not when
// the pane's records have changed since it began, or when looks are being counted. A pane that is
// gone is forgotten.
func (k *Keeper) settle(s detect.Sighting, version int, again bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[s.Pane]
	switch {
	case p == nil:
	case s.State == detect.Gone:
		delete(k.panes, s.Pane)
	default:
		p.settled = p.version == version && !again && !s.Unseen
	}
}

func sign(s detect.Sighting) signature {
	sign := signature{view: s.State, process: s.Process.PID, start: s.Process.Start}
	if s.Prompt != nil {
		sign.fingerprint = s.Prompt.Fingerprint
	}
	return sign
}
