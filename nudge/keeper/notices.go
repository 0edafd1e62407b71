package keeper

import (
	"fmt"
	"slices"
	"time"

	"nod/detect"
	"nod/nudge"
	"nod/store"
)

// ToTell returns the changes that the places still need, in the order of sending. They are derived from the
// records alone, so a change that could not be sent is returned again until Told reports it. First messages
// and reminders are left out while somebody is at the pane.
func (k *Keeper) ToTell(now time.Time) (list []nudge.Notice, err error) {
	rules := k.cfg.Rules()
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		p := tx.Preferences()
		silent := p.Silent(rules, now)
		live := tx.Live()
		for _, n := range live {
			if n.HasWords() {
				last := tx.Last(n.Pane)
				n.Overtaken = last != nil && last.ID != n.ID
			}
			list = append(list, k.notHeld(n.Notices(rules, silent || p.Mutes(n.Whereabouts, now)), n, rules, now)...)
		}
		list = append(list, nudge.Pins(live, rules, func(n *nudge.Nudge) bool { return silent || p.Mutes(n.Whereabouts, now) })...)
		for _, i := range tx.LiveInstructions() {
			list = append(list, i.Notices(rules)...)
		}
		wishes := tx.Wishes()
		for _, w := range wishes {
			list = append(list, w.Notices(rules, silent || p.Mutes(w.Whereabouts, now))...)
		}
		denials := tx.Denials()
		for _, d := range denials {
			list = append(list, d.Notices(rules, silent || p.Mutes(d.Whereabouts, now), now)...)
		}
		for _, n := range tx.MonitorNews() {
			if rules.Reaches(n.Place) {
				list = append(list, nudge.Notice{Kind: nudge.Matched, Place: n.Place, Of: n, Silent: silent})
			}
		}
		k.forgetSent(live, tx.Ended(now.Add(-nudge.Lately)), wishes, denials)
		return nil
	})
	nudge.SortNotices(list)
	k.noteSending(list)
	return list, err
}

// notHeld removes the reminder of a nudge while somebody is at its pane.
func (k *Keeper) notHeld(list []nudge.Notice, n *nudge.Nudge, r nudge.Rules, now time.Time) []nudge.Notice {
	if until, _ := n.Hold(k.presence(n.Pane), r, now); until.After(now) {
		return slices.DeleteFunc(list, func(n nudge.Notice) bool { return n.Kind == nudge.Send })
	}
	return list
}

func (k *Keeper) presence(ref detect.PaneRef) detect.Presence {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[ref]; p != nil {
		return p.presence
	}
	return detect.Presence{}
}

// Attended reports whether somebody is at a pane.
func (k *Keeper) Attended(ref detect.PaneRef, now time.Time) bool {
	return k.cfg.Rules().Attends(k.presence(ref).Here, now)
}

// noteSending remembers which messages the bot is about to send.
func (k *Keeper) noteSending(list []nudge.Notice) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range list {
		switch of := n.Of.(type) {
		case nudge.OfNudge:
			if n.Kind == nudge.Send {
				k.sending[sending{of.Nudge.ID, n.Place}] = true
			}
		case *nudge.Wish:
			if n.Kind == nudge.Wanted {
				k.sending[sending{of.ID, n.Place}] = true
			}
		case *nudge.Denials:
			if n.Kind == nudge.Wanted {
				k.sending[sending{of.ID, n.Place}] = true
			}
		}
	}
}

// mayHaveSent remembers all messages that the place lacks as being on the way.
func (k *Keeper) mayHaveSent(tx *store.Tx, place nudge.Place) {
	k.mu.Lock()
	defer k.mu.Unlock()
	add := func(id string, lacks bool) {
		if lacks {
			k.sending[sending{id, place}] = true
		}
	}
	for _, n := range tx.Live() {
		add(n.ID, n.Lacks(place))
	}
	for _, w := range tx.Wishes() {
		add(w.ID, w.Lacks(place))
	}
	for _, d := range tx.Denials() {
		add(d.ID, d.Lacks(place))
	}
}

// forgetSent forgets the sending of messages that no place needs any more, unless they are about nudges that have ended lately: those may have
// come.
func (k *Keeper) forgetSent(live, ended []*nudge.Nudge, wishes []*nudge.Wish, denials []*nudge.Denials) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for s := range k.sending {
		needed := slices.ContainsFunc(live, func(n *nudge.Nudge) bool { return n.ID == s.nudge && n.Lacks(s.place) }) ||
			slices.ContainsFunc(wishes, func(w *nudge.Wish) bool { return w.ID == s.nudge && w.Lacks(s.place) }) ||
			slices.ContainsFunc(denials, func(d *nudge.Denials) bool { return d.ID == s.nudge && d.Lacks(s.place) })
		if k.sending[s] = needed; !needed && !slices.ContainsFunc(ended, func(n *nudge.Nudge) bool { return n.ID == s.nudge }) {
			delete(k.sending, s)
		}
	}
}

// Held returns the messages that wait because somebody is at the machine, and why.
func (k *Keeper) Held() []nudge.Held {
	var held []nudge.Held
	rules := k.cfg.Rules()
	err := k.cfg.Store.View(func(tx *store.Tx) error {
		for _, n := range tx.Live() {
			until, why := n.Hold(k.presence(n.Pane), rules, tx.Now())
			if until.After(tx.Now()) && rules.Lacked(n) {
				held = append(held, nudge.Held{Nudge: n.ID, Where: n.Where, Until: until, Why: why})
			}
		}
		return nil
	})
	if err != nil {
		k.cfg.Log.Error("can't read the messages that are held back", "error", err)
	}
	return held
}

// Told records that a notice was carried out, or that the bot sent a message of its own: a question for
// consent, one about several nudges, or one about something else.
func (k *Keeper) Told(r nudge.Receipt) error {
	r.Recorded = time.Now()
	if r.Notice.Of == nil {
		return k.toldOwn(r)
	}
	return r.Notice.Match(
		func(of nudge.OfNudge) error { return k.toldNudge(r, of.Nudge.ID) },
		func(i *nudge.Instruction) error { return k.toldInstruction(r, *i) },
		func(w *nudge.Wish) error { return k.toldWish(r, w.ID) },
		func(d *nudge.Denials) error { return k.toldDenials(r, *d) },
		func(m *nudge.MonitorNews) error { return k.toldNews(*m) })
}

// toldOwn records a bot message that no notice asked for.
func (k *Keeper) toldOwn(r nudge.Receipt) error {
	switch {
	case r.Notice.Kind == nudge.Together:
		return k.toldTogether(r)
	case r.Notice.Kind == nudge.Listed && len(r.Parts) == 0:
		return k.toldButtons(r)
	}
	return k.toldOffer(r)
}

// toldNudge records a message about a nudge.
func (k *Keeper) toldNudge(r nudge.Receipt, id string) error {
	if r.Notice.Kind == nudge.Close && len(r.Parts) > 0 {
		return k.toldClosed(r)
	}
	err := k.update(func(tx *tx) error {
		if r.Notice.Kind == nudge.Send {
			tx.arrived(id, r.Notice.Place)
		}
		n := tx.Nudge(id)
		if n == nil {
			return nil
		}
		e, ok := n.Received(r)
		tx.Put(n)
		if ok {
			tx.Note(e)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about nudge %s: %w", id, err)
	}
	return nil
}

// toldOffer records a bot message: that it asks something, and which nudges its buttons are about.
func (k *Keeper) toldOffer(r nudge.Receipt) error {
	return k.update(func(tx *tx) error {
		if r.Notice.Kind != nudge.Listed {
			tx.AddOtherMessage(nudge.OtherMessage{
				Ref: nudge.Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}, Sent: r.Sent.UTC(), Several: r.Notice.Kind == nudge.Several,
			})
		}
		for _, part := range r.Parts {
			if n := tx.Nudge(part.Nudge.ID); n != nil {
				n.ReceivedOffer(r)
				tx.Put(n)
			}
		}
		return nil
	})
}

// toldButtons records which instructions have buttons in a message now. All others have none there any more.
func (k *Keeper) toldButtons(r nudge.Receipt) error {
	ref := nudge.Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}
	if r.Notice.Kind == nudge.Close {
		ref = r.Notice.Copy.Ref
	}
	return k.update(func(tx *tx) error {
		for _, i := range tx.AllInstructions() {
			before := len(i.Buttons)
			i.HideButtons(ref)
			if slices.Contains(r.Instructions, i.ID) {
				i.ShowButtons(nudge.InstructionButtons{Ref: ref, List: r.List})
			} else if len(i.Buttons) == before {
				continue
			}
			tx.putInstruction(i)
		}
		return nil
	})
}

// toldClosed records the update of a message about several nudges, for those whose buttons it removed.
func (k *Keeper) toldClosed(r nudge.Receipt) error {
	return k.update(func(tx *tx) error {
		if r.Notice.Copy.Offer == nudge.OfferWhich {
			tx.EndOtherMessage(r.Notice.Copy.Ref)
		}
		for _, part := range r.Parts {
			if n := tx.Nudge(part.Nudge.ID); n != nil {
				one := r
				one.Notice.Of = nudge.OfNudge{Nudge: part.Nudge}
				n.Received(one)
				tx.Put(n)
			}
		}
		return nil
	})
}

// Neither records that none of the nudges in a list was meant: the list no longer waits for an answer.
func (k *Keeper) Neither(list nudge.Ref) error {
	return k.update(func(tx *tx) error {
		tx.EndOtherMessage(list)
		for _, n := range tx.Live() {
			if n.CloseOffer(list) {
				tx.Put(n)
			}
		}
		return nil
	})
}

// toldTogether records that several nudges were sent in one message.
func (k *Keeper) toldTogether(r nudge.Receipt) error {
	err := k.update(func(tx *tx) error {
		tx.AddOtherMessage(nudge.OtherMessage{
			Ref: nudge.Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}, Sent: r.Sent.UTC(), Several: true,
		})
		for _, part := range r.Parts {
			tx.arrived(part.Nudge.ID, r.Notice.Place)
			if n := tx.Nudge(part.Nudge.ID); n != nil {
				e := n.ReceivedTogether(r, part)
				tx.Put(n)
				tx.Note(e)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about several nudges: %w", err)
	}
	return nil
}
