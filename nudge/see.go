package nudge

import (
	"time"

	"nod/detect"
)

// See takes in what one look at one pane told. It is called for every watched pane at every poll:
// when nothing has changed since the last look it costs a map access. It opens a nudge for a new
// prompt, an agent that became idle and one that fell silent, keeps one that still tells what is so, and ends
// one that does not.
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
		c = last.look(s, k.eyes(s, misses, tx.Now()))
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
	e := k.eyes(s, misses, tx.Now())
	c := last.look(s, e)
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
	n := open(id, e.news, s, last, k.rules(), tx.Now())
	tx.Put(n)
	tx.Note(n.event(n.detected(), Event{By: n.By}))
	if n.Kind != detect.Idle {
		return nil
	}
	return replaceEarlier(tx, n)
}

func (k *Keeper) eyes(s detect.Sighting, misses int, now time.Time) eyes {
	return eyes{news: news(s, k.rules()), misses: misses, now: now}
}

// replaceEarlier has the pane's idle notice before n taken back. What is older than that has been replaced
// already, or is too old for Telegram to take back: a bot may delete what it sent in the last 48 hours.
func replaceEarlier(tx *Tx, n *Nudge) error {
	for earlier, err := range tx.Of(n.Pane) {
		switch {
		case err != nil:
			return err
		case earlier.ID == n.ID:
			continue
		case earlier.Replaced, tx.Now().Sub(earlier.Detected) > heardKept:
			return nil
		case earlier.Kind == detect.Idle && !earlier.bidden():
			earlier.replace()
			tx.Put(earlier)
			return nil
		}
	}
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
	settled = p.settled && sign == p.last && !s.Unseen && s.By != "hook" && s.Proof == ""
	p.last, p.seen = sign, s
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
	sign := signature{
		view: s.State, process: s.Process, since: s.Since, worked: s.Worked, words: s.Words, blocked: s.Blocked,
	}
	if s.Prompt != nil {
		sign.fingerprint, sign.subject, sign.partial = s.Prompt.Fingerprint, s.Prompt.Subject, s.Prompt.Partial
	}
	return sign
}
