package nudge

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nod/deliver"
)

// retryAfter is how long the delivery waits when the book could not be read or written, or the pane of
// an earlier claim has not been found again.
const retryAfter = time.Second

// Run types what is claimed until ctx ends, each nudge on its own: a pane that hangs holds up no
// other. What an earlier process left behind goes the same way as every other claim. It returns
// when all that it began has ended.
func (k *Keeper) Run(ctx context.Context) error {
	var typing sync.WaitGroup
	defer typing.Wait()
	pending, err := k.List(false)
	if err != nil {
		return fmt.Errorf("read what is pending: %w", err)
	}
	k.log.Info(fmt.Sprintf("%d pending nudge(s) still in flight", len(pending)))
	for {
		var again <-chan time.Time
		claims, waits, err := k.claims()
		if err != nil {
			k.log.Error("can't read what is to be typed", "error", err)
		}
		if err != nil || waits {
			again = time.After(retryAfter)
		}
		for _, id := range claims {
			typing.Go(func() { k.serve(ctx, id) })
		}
		select {
		case <-ctx.Done():
			return nil
		case <-k.work:
		case <-again:
		}
	}
}

func (k *Keeper) wakeDelivery() {
	select {
	case k.work <- struct{}{}:
	default:
	}
}

// claims takes into hand every nudge with an errand that nobody has in hand, oldest first, and
// reports whether there are others that have to wait.
func (k *Keeper) claims() (ids []string, waits bool, err error) {
	err = k.book.View(func(tx *Tx) error {
		live, err := tx.Live()
		if err != nil {
			return err
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, n := range live {
			if k.hands[n.ID] {
				continue
			}
			switch n.errandOf(k.taken[n.ID], k.panes[n.Pane] != nil, tx.Now()) {
			case nothing:
			case wait:
				waits = true
			default:
				k.hands[n.ID] = true
				ids = append(ids, n.ID)
			}
		}
		return nil
	})
	return ids, waits, err
}

// serve does one nudge's errand and lets it go. While the book can't be written it keeps the nudge in
// hand and tries again: what was typed must not be forgotten while there is a way to note it.
func (k *Keeper) serve(ctx context.Context, id string) {
	defer k.letGo(id)
	mine := k.disown(id)
	n, what, err := k.errand(id, mine)
	for err != nil && k.pause(ctx, "can't take a claim in hand", err) {
		n, what, err = k.errand(id, mine)
	}
	if err != nil || what != typeIt {
		return
	}
	began := false
	result := k.typist.Type(ctx, n.request(), func() error {
		began = true
		return k.update(func(tx *Tx) error { return begin(tx, n) })
	})
	if ctx.Err() != nil && result.Outcome == deliver.Refused && !began {
		return // the claim stays, and the next start goes on with it
	}
	err = k.outcome(id, result)
	for err != nil && k.pause(ctx, "can't note what was typed", err) {
		err = k.outcome(id, result)
	}
}

func (k *Keeper) letGo(id string) {
	k.mu.Lock()
	delete(k.hands, id)
	k.mu.Unlock()
	k.wakeDelivery()
}

// own notes that this process took the nudge's claim: what it rests on has been watched since.
func (k *Keeper) own(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.taken[id] = true
}

// disown reports whether this process took the nudge's claim, once.
func (k *Keeper) disown(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	mine := k.taken[id]
	delete(k.taken, id)
	return mine
}

// pause waits before the next try; false when ctx ends.
func (k *Keeper) pause(ctx context.Context, what string, err error) bool {
	k.log.Error(what, "error", err)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryAfter):
		return true
	}
}

// errand decides what a nudge's claim needs, and does it where nothing is to be typed.
func (k *Keeper) errand(id string, mine bool) (n *Nudge, what errand, err error) {
	err = k.update(func(tx *Tx) error {
		if n, err = tx.Nudge(id); err != nil || n == nil {
			return err
		}
		what = n.errandOf(mine, true, tx.Now())
		switch what {
		case giveItUp:
			n.finish(deliver.Result{
				Outcome: deliver.Unknown,
				Detail:  n.cutOff(),
			}, tx.Now())
			tx.Note(n.ended(tx.Now()))
		case askIt:
			n.tooLate(tx.Now())
			if n.State.Over() {
				tx.Note(n.ended(tx.Now()))
			}
		default:
			return nil
		}
		tx.Put(n)
		return nil
	})
	return n, what, err
}

// cutOff says what a crash in the middle of typing leaves behind.
func (n *Nudge) cutOff() string {
	if n.Claim.Text != "" {
		return "nod stopped while it typed the text: it may or may not stand in the input box or have been submitted, and is not typed again."
	}
	return "nod stopped while it typed the answer: a key may or may not have been typed."
}

// tooLate ends a claim that no longer counts: what was asked is asked again, and whoever spoke unasked is told.
func (n *Nudge) tooLate(now time.Time) {
	if n.bidden() {
		n.finish(deliver.Result{
			Outcome: deliver.Refused, Reason: deliver.Unreadable,
			Detail: "Nothing was typed: nod could not do so in time. Say it again.",
		}, now)
		return
	}
	n.askAgain(fmt.Sprintf("It was %s, but nod could not type that in time, and has typed nothing: please answer again.", n.decided()))
}

// errNotClaimed stops a delivery whose claim is another one by now.
var errNotClaimed = errors.New("the answer no longer holds")

// begin notes, just before the first key, that keys may have been typed from now on.
func begin(tx *Tx, claimed *Nudge) error {
	n, err := tx.Nudge(claimed.ID)
	if err != nil {
		return err
	}
	if n == nil || n.Claim == nil || !n.Claim.At.Equal(claimed.Claim.At) {
		return errNotClaimed
	}
	if err := n.begin(); err != nil {
		return err
	}
	tx.Put(n)
	return nil
}

// outcome takes down what became of the typing.
func (k *Keeper) outcome(id string, r deliver.Result) error {
	return k.update(func(tx *Tx) error {
		n, err := tx.Nudge(id)
		if err != nil || n == nil || !n.finish(r, tx.Now()) {
			return err
		}
		tx.Put(n)
		if keys := n.typed(r); len(keys) > 0 {
			tx.Note(n.event(keyTyped, Event{Keys: keys, By: n.Claim.By.Name}))
		}
		if r.Outcome == deliver.Refused {
			tx.Note(n.event(refusedAnswer, Event{Reason: string(r.Reason), By: n.Claim.By.Name}))
		}
		if n.State.Over() {
			tx.Note(n.ended(tx.Now()))
		}
		return nil
	})
}

// typed is what a delivery typed, for the audit trail, which has the words of a text with its answer.
func (n *Nudge) typed(r deliver.Result) []string {
	if n.Claim.Text == "" || r.Outcome == deliver.Refused {
		return r.Keys
	}
	return append([]string{"(text)"}, r.Keys...)
}

// Await blocks until the nudge is neither claimed nor being typed, and gives it as it is then: how
// an answer from the command line hears of its outcome.
func (k *Keeper) Await(ctx context.Context, id string) (Nudge, error) {
	for {
		news := k.next()
		n, found, err := k.Find(id)
		if err != nil {
			return Nudge{}, err
		}
		if !found {
			return Nudge{}, fmt.Errorf("there is no nudge #%s", id)
		}
		if n.State != Claimed && n.State != Typing {
			return n, nil
		}
		select {
		case <-ctx.Done():
			return n, ctx.Err()
		case <-news:
		}
	}
}
