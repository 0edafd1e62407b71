package keeper

import (
	"cmp"
	"slices"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// pane is what the Keeper remembers of a pane between two looks.
type pane struct {
	presence  detect.Presence
	misses    int             // looks in a row that did not show a prompt
	last      detect.Sighting // the last look
	settled   bool            // another look like settledBy changes nothing
	settledBy detect.Sighting

	losses    int    // looks that could not be stored, ever
	accounted int    // how many of them the records take account of
	proof     string // what the others proved
}

// lost reports whether looks could not be stored of which the records take no account yet.
func (p *pane) lost() bool { return p.losses > p.accounted }

// See takes in what one look at one pane told. It is called for every watched pane at every poll:
// when nothing has changed since the last look it costs a map access. It opens a nudge for a new
// prompt, an agent that became idle and one that fell silent, keeps one that still tells what is so, and ends
// one that does not.
func (k *Keeper) See(s detect.Sighting) error {
	o, losses, settled := k.remember(s)
	if settled {
		return nil
	}
	claimed := ""
	if err := k.update(func(tx *tx) error { claimed = k.observe(tx, o); return nil }); err != nil {
		k.disown(claimed)
		k.lose(s, err)
		return err
	}
	if claimed != "" {
		k.wakeDelivery()
	}
	k.stored(s, losses)
	k.wakeQueue()
	return nil
}

// observe makes the changes of one look. It gives the nudge that it claims, if it does.
func (k *Keeper) observe(tx *tx, o nudge.Look) (claimed string) {
	s, last := o.Sighting, tx.Last(o.Pane)
	rules := k.cfg.Rules()
	c := last.Observe(o, rules, tx.Now())
	queue := k.advance(tx, s)
	endWishes(tx, func(w *nudge.Wish) bool { return w.Leave(s, tx.Now()) })
	endDenials(tx, func(d *nudge.Denials) bool { return d.Depart(s, tx.Now()) })
	escape(tx, s.Whereabouts, s.Escaped)
	k.seeDenied(tx, s)
	takeWords(tx, s, last)
	turn, ended := c.Open.(nudge.TurnEnded)
	if ended && queue.Busy && s.Blocked.IsZero() {
		c.Open, c.Again, ended = nil, true, false // its next instruction waits already
	}
	if granting(tx, s) {
		c.Open, c.Again = nil, true
	}
	if c.Changed {
		tx.Put(last)
		if last.State.Over() && last.Ended.Equal(tx.Now()) {
			tx.Note(last.EndedEvent(tx.Now()))
		}
	}
	done := queue.Done
	if ended {
		if !s.Blocked.IsZero() {
			turn.Resend = nudge.Began(tx.Of(s.Pane), s.Process)
		}
		if done != nil {
			turn.Did = &nudge.Did{ID: done.ID, Text: done.Line()}
			if !s.Blocked.IsZero() {
				turn.Resend = string(done.Text)
			}
		}
		c.Open = turn
	}
	asks := last
	if c.Open != nil {
		n := nudge.Open(unusedID(tx), c.Open, s, last, rules, tx.Now())
		tx.Put(n)
		tx.Note(n.OpenedEvent())
		asks = n
		if ended {
			if earlier := n.Replace(tx.Of(n.Pane), tx.Now()); earlier != nil {
				tx.Put(earlier)
				tx.Put(n)
			}
		}
	}
	claimed = k.answerGranted(tx, asks)
	if done != nil && !ended {
		done.TellEnd(rules)
		tx.putInstruction(done)
	}
	// No other transaction runs, so whatever changes a record of the pane later finds it settled, and unsettles it.
	if !tx.wrote && !c.Again && !s.Unseen {
		k.settle(s)
	}
	return claimed
}

// remember notes who is near the pane, and gives what the looks before make of this one, and how many of them were lost.
// settled says that it repeats a look that changed nothing.
func (k *Keeper) remember(s detect.Sighting) (o nudge.Look, losses int, settled bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[s.Pane]
	if p == nil {
		p = &pane{}
		k.panes[s.Pane] = p
	}
	p.presence = s.Presence
	if s.Unseen || !s.State.Asks() {
		p.misses++
	} else if s.Prompt != nil {
		p.misses = 0
	}
	p.settled = p.settled && !p.lost() && alike(s, p.settledBy) && !s.Unseen && s.By != "hook" && s.Proof == ""
	p.last = s
	if s.Proof == "" {
		s.Proof = p.proof
	}
	return nudge.Look{Sighting: s, Misses: p.misses, Lost: p.lost()}, p.losses, p.settled
}

// lose takes note that a look could not be stored. The next one takes account of it; the end of a pane is stored at
// the next tick, for no other look at it comes.
func (k *Keeper) lose(s detect.Sighting, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[s.Pane]; p != nil {
		p.losses++
		p.proof = cmp.Or(s.Proof, p.proof)
	}
	k.troubles[lookLost] = err
}

// stored takes note that a look is stored, which took account of so many lost ones. A pane that is gone is forgotten.
func (k *Keeper) stored(s detect.Sighting, losses int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[s.Pane]
	if p == nil {
		return
	}
	if p.accounted = max(p.accounted, losses); !p.lost() {
		p.proof = ""
	}
	if s.State == screen.Gone {
		delete(k.panes, s.Pane)
	}
	if k.troubles[lookLost] == nil {
		return
	}
	for _, p := range k.panes {
		if p.lost() {
			return
		}
	}
	delete(k.troubles, lookLost)
}

// lostEnds gives the last looks at panes that are gone, which could not be stored.
func (k *Keeper) lostEnds() (ends []detect.Sighting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, p := range k.panes {
		if p.lost() && p.last.State == screen.Gone {
			ends = append(ends, p.last)
		}
	}
	return ends
}

// endUnwatchedConsent ends a consent to what can't be seen where looks at the pane were lost: what they told is on no record.
func (k *Keeper) endUnwatchedConsent(tx *tx, n *nudge.Nudge) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[n.Pane]; p != nil && p.lost() {
		n.EndConsent()
		tx.lost[n.Pane] = p.losses
	}
}

// settle notes that another look like s changes nothing.
func (k *Keeper) settle(s detect.Sighting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[s.Pane]; p != nil {
		p.settled, p.settledBy = true, s
	}
}

// alike reports whether two looks at a pane say the same.
func alike(s, o detect.Sighting) bool {
	if s.State != o.State || s.Process != o.Process || !s.Since.Equal(o.Since) || s.Worked != o.Worked ||
		s.Words != o.Words || !s.Escaped.Equal(o.Escaped) || len(s.Edits) != len(o.Edits) || s.Said != o.Said || !s.Denied.Same(o.Denied) || s.Session != o.Session || s.Blocked != o.Blocked || (s.Prompt == nil) != (o.Prompt == nil) {
		return false
	}
	p, q := s.Prompt, o.Prompt
	return p == q || p.Fingerprint == q.Fingerprint && p.Call == q.Call && p.Exact == q.Exact && p.Subject == q.Subject && p.Partial == q.Partial &&
		slices.Equal(p.Doubts, q.Doubts) &&
		p.Width == q.Width && slices.Equal(p.Rows, q.Rows)
}
