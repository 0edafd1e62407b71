package keeper

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// putWish writes a wish, with its event if it has just ended.
func (tx *tx) putWish(w *nudge.Wish) {
	if w.State != nudge.Wished && w.Ended.Equal(tx.Now()) {
		tx.Note(w.EndedEvent())
	}
	tx.Tx.PutWish(w)
	tx.panes, tx.wrote = append(tx.panes, w.Pane), true
}

// Wish records a wish of a non-human for the agent of a pane. It waits for SendWish.
func (k *Keeper) Wish(ref detect.PaneRef, text string, from nudge.Wisher, timeout time.Duration) (placed nudge.Placed, err error) {
	return k.wish(ref, text, nil, from, timeout)
}

// WishFile records that a non-human wants to send a file to the chat. text describes the file.
func (k *Keeper) WishFile(ref detect.PaneRef, text string, file nudge.SharedFile, from nudge.Wisher) (placed nudge.Placed, err error) {
	return k.wish(ref, text, &file, from, 0)
}

func (k *Keeper) wish(ref detect.PaneRef, text string, file *nudge.SharedFile, from nudge.Wisher, timeout time.Duration) (placed nudge.Placed, err error) {
	err = k.update(func(tx *tx) error {
		s, seen := k.lastLook(ref)
		if !seen {
			placed.Reason, placed.Refusal = deliver.NotFound, reason.Why{Kind: reason.NoAgentSeen, Pane: ref.ID}
			return nil
		}
		waiting := 0
		for _, w := range tx.AllWishes() {
			if w.Pane == ref && w.Counts(tx.Now()) {
				waiting++
			}
		}
		if placed.Reason, placed.Refusal = nudge.RefuseWish(text, s, waiting); placed.Reason != "" {
			return nil
		}
		placed.Wish = nudge.NewWish(unusedID(tx), s, text, from, timeout, tx.Now())
		placed.Wish.File = file
		tx.putWish(placed.Wish)
		tx.Note(placed.Wish.Event(nudge.WishMade, nudge.Event{Act: nudge.Act{By: from.Name, Text: text}}))
		return nil
	})
	return placed, err
}

// SendWish turns the wish that a.Nudge names into an instruction of the supervisor who tapped. fingerprint
// identifies the words that the button's message shows; they must be those of the wish.
func (k *Keeper) SendWish(a nudge.Answer, fingerprint string) (placed nudge.Placed, err error) {
	err = k.onWish(a, &placed, func(tx *tx, w *nudge.Wish) {
		placed.Reason, placed.Refusal = k.refuseSend(tx, w, fingerprint)
		if placed.Reason != "" {
			return
		}
		if w.File != nil { // the asker sends it
			w.Send(a.By, tx.Now())
			return
		}
		a.Nudge, a.Text = "", w.Text
		if placed = k.place(tx, w.ID, w.Pane, a, w.Timeout, ""); placed.Reason == "" {
			w.Send(a.By, tx.Now())
		}
	})
	if err == nil && placed.Reason == "" {
		k.wakeQueue()
	}
	return placed, err
}

// refuseSend returns why a wish can't be sent now; empty: it can.
func (k *Keeper) refuseSend(tx *tx, w *nudge.Wish, fingerprint string) (deliver.Reason, reason.Why) {
	s, seen := k.lastLook(w.Pane)
	if !w.Expire(tx.Now()) && seen {
		w.Leave(s, tx.Now())
	}
	code, why := w.RefuseSend(fingerprint)
	if code == "" && !seen {
		return deliver.Unreadable, reason.Why{Kind: reason.WishUnsure}
	}
	return code, why
}

// DropWish drops the wish that a.Nudge names. Nothing is typed.
func (k *Keeper) DropWish(a nudge.Answer) (placed nudge.Placed, err error) {
	err = k.onWish(a, &placed, func(tx *tx, w *nudge.Wish) {
		if over := w.Drop(a.By, tx.Now()); !over.IsZero() {
			placed.Reason, placed.Refusal = deliver.Answered, over
		}
	})
	return placed, err
}

// onWish calls do with the wish that a.Nudge names, if the answer's author may decide, and returns the wish
// as it is afterwards.
func (k *Keeper) onWish(a nudge.Answer, placed *nudge.Placed, do func(*tx, *nudge.Wish)) error {
	return k.update(func(tx *tx) error {
		w := tx.Wish(a.Nudge)
		switch {
		case handleOnce(tx, a):
			placed.Repeated = true
		case !k.cfg.Rules().MayAnswer(a):
			placed.Reason, placed.Refusal = deliver.NotOwner, reason.Why{Kind: reason.OnlySupervisors}
		case w == nil:
			placed.Reason, placed.Refusal = deliver.NotFound, reason.Why{Kind: reason.WishForgotten}
		default:
			w.Copies.Adopt(a.Ref)
			do(tx, w)
			tx.putWish(w)
			placed.Wish = w
		}
		return nil
	})
}

// Wishes returns the waiting wishes, oldest first. With ref, only those of that pane.
func (k *Keeper) Wishes(ref *detect.PaneRef) (list []nudge.Wish, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, w := range tx.Wishes() {
			if w.State == nudge.Wished && (ref == nil || w.Pane == *ref) {
				list = append(list, *w)
			}
		}
		return nil
	})
	slices.SortFunc(list, func(a, b nudge.Wish) int { return a.Made.Compare(b.Made) })
	return list, err
}

// WishOf returns the wish with that id, over or not, and whether there is one.
func (k *Keeper) WishOf(id string) (found nudge.Wish, ok bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if w := tx.Wish(id); w != nil {
			found, ok = *w, true
		}
		return nil
	})
	return found, ok, err
}

// AwaitWish blocks until the wish with that id is over, and returns it as it is then, or found is false. If
// ctx ends first, the error is ctx's.
func (k *Keeper) AwaitWish(ctx context.Context, id string) (w nudge.Wish, found bool, err error) {
	err = k.until(ctx, func() (bool, error) {
		var err error
		w, found, err = k.WishOf(id)
		return w.State != nudge.Wished, err // also if it is not found
	})
	return w, found, err
}

// endWishes writes the wishes that end has ended.
func endWishes(tx *tx, end func(*nudge.Wish) bool) {
	for _, w := range tx.Wishes() {
		if end(w) {
			tx.putWish(w)
		}
	}
}

// toldWish records that a notice about a wish was carried out.
func (k *Keeper) toldWish(r nudge.Receipt, id string) error {
	err := k.update(func(tx *tx) error {
		tx.arrived(id, r.Notice.Place)
		if w := tx.Wish(id); w != nil {
			w.Told(r)
			tx.putWish(w)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about wish %s: %w", id, err)
	}
	return nil
}

// wishAt returns the wish that a message is about, by nod's record or by its buttons; nil: none.
func wishAt(tx *tx, r nudge.Ref, shown []nudge.Shown) *nudge.Wish {
	for _, w := range tx.AllWishes() {
		if w.Shows(r) {
			return w
		}
	}
	for _, s := range shown {
		if w := tx.Wish(s.Nudge); w != nil {
			return w
		}
	}
	return nil
}

// denialsAt returns the denied calls that a message shows, by nod's record or by its buttons; nil: none.
func denialsAt(tx *tx, r nudge.Ref, shown []nudge.Shown) *nudge.Denials {
	for _, d := range tx.AllDenials() {
		if d.Copies.Show(r) {
			return d
		}
	}
	for _, s := range shown {
		if d := tx.DenialsOf(s.Nudge); d != nil {
			return d
		}
	}
	return nil
}

// tapped is a record that only a tap decides about.
type tapped interface {
	Lacks(nudge.Place) bool
	Asking(nudge.Answer) []nudge.OtherMessage
}

// askingForTaps returns the messages of wishes and denied calls that a fresh answer may have been meant for.
// A message that may have reached the place without nod knowing counts as the last one before the answer.
func (k *Keeper) askingForTaps(tx *tx, a nudge.Answer) (list []nudge.OtherMessage) {
	k.mu.Lock()
	defer k.mu.Unlock()
	add := func(id string, t tapped) {
		list = append(list, t.Asking(a)...)
		if t.Lacks(a.Place) && k.sending[sending{id, a.Place}] {
			list = append(list, a.JustBefore())
		}
	}
	for _, w := range tx.AllWishes() {
		add(w.ID, w)
	}
	for _, d := range tx.AllDenials() {
		add(d.ID, d)
	}
	return list
}
