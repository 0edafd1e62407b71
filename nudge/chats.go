package nudge

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// ToTell gives what the chats should show and do not yet, in the order in which it should be said.
// It follows from the records alone, so what could not be sent comes again at the next call, until
// Told says that it was. A first message or reminder is left out while somebody is there already.
func (k *Keeper) ToTell(now time.Time) (list []Notice, err error) {
	rules := k.rules()
	err = k.book.View(func(tx *Tx) error {
		desk, err := tx.Desk()
		if err != nil {
			return err
		}
		live, err := tx.Live()
		for _, n := range live {
			list = append(list, k.notHeld(n.notices(rules, desk.silent(rules, now)), n, rules, now)...)
		}
		k.forgetSent(live)
		return err
	})
	sortNotices(list)
	k.noteSending(list)
	return list, err
}

// notHeld leaves out the reminder of a nudge in whose pane somebody is at work.
func (k *Keeper) notHeld(list []Notice, n *Nudge, r Rules, now time.Time) []Notice {
	if until, _ := n.hold(k.presence(n), r, now); until.After(now) {
		return slices.DeleteFunc(list, func(n Notice) bool { return n.Kind == Send })
	}
	return list
}

func (k *Keeper) presence(n *Nudge) presence {
	k.mu.Lock()
	defer k.mu.Unlock()
	if p := k.panes[n.Pane]; p != nil {
		return p.presence
	}
	return presence{}
}

// noteSending remembers what the bot is about to send.
func (k *Keeper) noteSending(list []Notice) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, n := range list {
		if n.Kind == Send {
			k.sending[sending{n.Nudge.ID, n.Chat}] = true
		}
	}
}

// forgetSent forgets the sending of messages that no chat waits for any more.
func (k *Keeper) forgetSent(live []*Nudge) {
	k.mu.Lock()
	defer k.mu.Unlock()
	maps.DeleteFunc(k.sending, func(s sending, _ bool) bool {
		return !slices.ContainsFunc(live, func(n *Nudge) bool { return n.ID == s.nudge && n.lacks(s.chat) })
	})
}

// Held gives what is not sent because somebody is there already, and why.
func (k *Keeper) Held() []Held {
	var held []Held
	rules := k.rules()
	err := k.book.View(func(tx *Tx) error {
		live, err := tx.Live()
		for _, n := range live {
			until, why := n.hold(k.presence(n), rules, tx.Now())
			if until.After(tx.Now()) && slices.ContainsFunc(rules.Supervisors, n.lacks) {
				held = append(held, Held{Nudge: n.ID, Where: n.Where, Until: until, Why: why})
			}
		}
		return err
	})
	if err != nil {
		k.log.Error("can't tell what is held back", "error", err)
	}
	return held
}

// spokenKept is how many messages that show no single nudge are remembered: enough to know one when
// it is replied to.
const spokenKept = 200

// Told takes down that a notice was carried out, or that the bot sent a message of its own: a
// question for consent, one for several nudges, or one beside them.
func (k *Keeper) Told(r Receipt) error {
	kind := r.Notice.Kind
	if kind == Several || kind == Aside {
		return k.changeDesk(func(d *Desk) {
			d.Spoke = append(d.Spoke, Spoken{Chat: r.Notice.Chat, Message: r.Message, Sent: r.Sent.UTC(), Several: kind == Several})
			d.Spoke = d.Spoke[max(0, len(d.Spoke)-spokenKept):]
		})
	}
	id := r.Notice.Nudge.ID
	err := k.update(func(tx *Tx) error {
		n, err := tx.Nudge(id)
		if err != nil || n == nil {
			return err
		}
		e, ok := n.received(r)
		tx.Put(n)
		if ok {
			tx.Note(e)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note what was told of nudge %s: %w", id, err)
	}
	if kind == Send {
		k.mu.Lock()
		delete(k.sending, sending{id, r.Notice.Chat})
		k.announce()
		k.mu.Unlock()
	}
	return nil
}
