package keeper

import (
	"cmp"
	"slices"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
)

// pane is what the Keeper remembers about a pane between two looks.
type pane struct {
	presence  detect.Presence
	misses    int             // looks in a row without a prompt
	last      detect.Sighting // the last look
	settled   bool            // another look like settledBy changes nothing
	settledBy detect.Sighting

	losses    int    // looks that could not be stored, in total
	accounted int    // how many of them the records take account of
	proof     string // what the lost looks proved
}

// lost reports whether the records ignore some looks that could not be stored.
func (p *pane) lost() bool { return p.losses > p.accounted }

// See applies one look at one pane. It is called for every watched pane at every poll. If nothing has changed
// since the last look it costs a map access. It opens a nudge for a new prompt, an idle agent or a silent
// agent, keeps a nudge that is still true, and ends one that is not.
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

// observe writes the changes of one look. It returns the nudge that it claims, if any.
func (k *Keeper) observe(tx *tx, o nudge.Look) (claimed string) {
	s, last := o.Sighting, tx.Last(o.Pane)
	rules := k.cfg.Rules()
	c := last.Observe(o, rules, tx.Now())
	queue := k.advance(tx, s)
	endWishes(tx, func(w *nudge.Wish) bool { return w.Leave(s, tx.Now()) })
	endDenials(tx, func(d *nudge.Denials) bool { return d.Depart(s, tx.Now()) })
	escape(tx, s.Whereabouts, s.Escaped)
	if s.State == screen.Idle {
		endDenials(tx, func(d *nudge.Denials) bool { return d.Of(s.Whereabouts) && d.Rest() })
	}
	k.seeDenied(tx, s)
	takeWords(tx, s, last)
	turn, ended := c.Open.(nudge.TurnEnded)
	if ended && queue.Busy && s.Blocked.IsZero() && !k.awaitsPerson(tx, s.Pane) {
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
	// No other transaction runs now, so any later change to a record of the pane unsettles it.
	if !tx.wrote && !c.Again && !s.Unseen {
		k.settle(s)
	}
	return claimed
}

// remember stores who is near the pane. It returns the look with the facts from earlier looks, and how many
// looks were lost. settled: the look repeats one that changed nothing.
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

// lose records that a look could not be stored. The next look takes account of it. The end of a pane has no
// next look, so it is stored at the next tick.
func (k *Keeper) lose(s detect.Sighting, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[s.Pane]; p != nil {
		p.losses++
		p.proof = cmp.Or(s.Proof, p.proof)
	}
	k.troubles[reason.LookUnstored] = err
}

// stored records that a look is stored, taking account of that many lost ones. A pane that is gone is
// forgotten.
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
	if k.troubles[reason.LookUnstored] == nil {
		return
	}
	for _, p := range k.panes {
		if p.lost() {
			return
		}
	}
	delete(k.troubles, reason.LookUnstored)
}

// lostEnds returns the last looks at panes that are gone, if they could not be stored.
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

// endUnwatchedConsent ends the consent to the unseen part if looks at the pane were lost, because they may
// have ended it.
func (k *Keeper) endUnwatchedConsent(tx *tx, n *nudge.Nudge) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[n.Pane]; p != nil && p.lost() {
		n.EndConsent()
		tx.lost[n.Pane] = p.losses
	}
}

// settle records that another look like s changes nothing.
func (k *Keeper) settle(s detect.Sighting) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[s.Pane]; p != nil {
		p.settled, p.settledBy = true, s
		p.settledBy.Tail, p.settledBy.Above, p.settledBy.Screen = nil, nil, nil // they are not compared, and would keep an earlier screen
	}
}

// alike reports whether two looks at a pane show the same.
func alike(s, o detect.Sighting) bool {
	agent := s.State == o.State && s.Settling == o.Settling && s.Process == o.Process && s.Session == o.Session && s.Project == o.Project && s.Where == o.Where && s.Since.Equal(o.Since) && s.Blocked == o.Blocked
	turn := s.Worked == o.Worked && s.Words == o.Words && s.Said == o.Said && s.Escaped.Equal(o.Escaped) && len(s.Edits) == len(o.Edits) && s.Denied.Same(o.Denied)
	return agent && turn && samePrompt(s.Prompt, o.Prompt)
}

// samePrompt reports whether two looks show one prompt, or none.
func samePrompt(p, q *screen.Prompt) bool {
	if p == nil || q == nil {
		return p == q
	}
	return p == q || p.Fingerprint == q.Fingerprint && p.Call == q.Call && p.Exact == q.Exact && p.Subject == q.Subject && p.Partial == q.Partial &&
		slices.Equal(p.Doubts, q.Doubts) && p.Width == q.Width && slices.Equal(p.Rows, q.Rows)
}
