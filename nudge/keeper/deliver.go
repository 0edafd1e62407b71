package keeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"nod/deliver"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// retryAfter is how long the delivery waits if the store could not be read or written, or the pane of an
// earlier claim has not been found yet.
const retryAfter = time.Second

// Run types the claimed answers until ctx ends. Each nudge has its own goroutine, so a hanging pane delays no
// other. Claims of an earlier process are handled in the same way. Run returns when all its goroutines have
// ended.
func (k *Keeper) Run(ctx context.Context) error {
	var deliveries sync.WaitGroup
	defer deliveries.Wait()
	pending, err := k.List(false)
	if err != nil {
		return fmt.Errorf("read the pending nudges: %w", err)
	}
	if err := k.Interrupt(); err != nil {
		return err
	}
	deliveries.Go(func() { k.runInstructions(ctx, deliveries.Go) })
	if len(pending) > 0 {
		k.cfg.Log.Info(fmt.Sprintf("%d pending nudge(s) still in flight", len(pending)))
	}
	for {
		var again <-chan time.Time
		ids, waits, err := k.toDeliver()
		if err != nil {
			k.cfg.Log.Error("can't read the answers to type", "error", err)
		}
		if err != nil || waits {
			again = time.After(retryAfter)
		}
		for _, id := range ids {
			deliveries.Go(func() { k.deliver(ctx, id) })
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

// toDeliver returns the nudges with a task that no delivery works on yet, oldest first, and marks them as
// being delivered. waits reports whether other nudges have to wait.
func (k *Keeper) toDeliver() (ids []string, waits bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		live := tx.Live()
		k.mu.Lock()
		defer k.mu.Unlock()
		for _, n := range live {
			if k.delivering[n.ID] {
				continue
			}
			switch n.Task(k.own[n.ID], k.panes[n.Pane] != nil, tx.Now()) {
			case nudge.NoTask:
			case nudge.Wait:
				waits = true
			default:
				k.delivering[n.ID] = true
				ids = append(ids, n.ID)
			}
		}
		return nil
	})
	return ids, waits, err
}

// deliver does the task of one nudge. While the store can't be written it keeps trying: typed keys must not
// be forgotten while there is a way to record them.
func (k *Keeper) deliver(ctx context.Context, id string) {
	defer k.leave(id)
	own := k.disown(id)
	n, task, err := k.begin(id, own)
	for err != nil && k.pause(ctx, err) {
		n, task, err = k.begin(id, own)
	}
	k.well(reason.AnswerUnstored)
	if err != nil || task != nudge.Type {
		return
	}
	typing := false
	result := k.cfg.Typist.Type(ctx, n.Request(), func() error {
		typing = true
		return k.noteTyping(id, n.Claim.At)
	})
	if ctx.Err() != nil && !typing {
		return // the claim stays, and the next start continues with it
	}
	err = k.noteResult(id, result)
	for err != nil && k.pause(ctx, err) {
		err = k.noteResult(id, result)
	}
	k.well(reason.AnswerUnstored)
}

// leave records that no delivery works on the nudge any more.
func (k *Keeper) leave(id string) {
	k.mu.Lock()
	delete(k.delivering, id)
	k.mu.Unlock()
	k.wakeDelivery()
}

// disown reports, once, whether this process took the nudge's claim, so that its screen has been watched
// since.
func (k *Keeper) disown(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	own := k.own[id]
	delete(k.own, id)
	return own
}

// pause waits before the next step of an answer is tried again; false: ctx ended.
func (k *Keeper) pause(ctx context.Context, err error) bool {
	if k.trouble(reason.AnswerUnstored, err) {
		k.cfg.Log.Error("the state of an answer can't be stored", "error", err)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(retryAfter):
		return true
	}
}

// begin returns the task of a nudge's claim, and does it unless something must be typed.
func (k *Keeper) begin(id string, own bool) (n *nudge.Nudge, task nudge.Task, err error) {
	err = k.update(func(tx *tx) error {
		if n = tx.Nudge(id); n == nil {
			return nil
		}
		task = n.Task(own, true, tx.Now())
		switch task {
		case nudge.GiveUp:
			n.GiveUp(tx.Now())
		case nudge.GiveBack:
			n.GiveBack(tx.Now())
		default:
			return nil
		}
		if n.State.Over() {
			tx.Note(n.EndedEvent(tx.Now()))
		}
		tx.Put(n)
		return nil
	})
	return n, task, err
}

// noteTyping records, just before the first key, that keys for the answer claimed at that time may have been
// typed.
func (k *Keeper) noteTyping(id string, claimed time.Time) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if n == nil {
			return errors.New("the nudge is no longer stored")
		}
		k.endUnwatchedConsent(tx, n)
		if err := n.Begin(claimed); err != nil {
			return err
		}
		tx.Put(n)
		return nil
	})
}

// noteResult records the result of the typing.
func (k *Keeper) noteResult(id string, r deliver.Result) error {
	return k.update(func(tx *tx) error {
		n := tx.Nudge(id)
		if n == nil || !n.Finish(r, tx.Now()) {
			return nil
		}
		tx.Put(n)
		tx.noteGiven(n, r)
		if r.Outcome == deliver.Refused {
			tx.Note(n.Event(nudge.AnswerRefused, nudge.Event{Act: nudge.Act{Reason: string(r.Reason), By: n.Claim.By.Name}}))
		}
		if n.State.Over() {
			tx.Note(n.EndedEvent(tx.Now()))
		}
		if n.State == nudge.Delivered && !n.Claim.Because.IsZero() {
			switch {
			case r.Said:
				n.Detail = reason.Why{Kind: reason.WordsGiven, What: n.Claim.Because.Said()}
			case n.Program() != nil:
				n.Detail = reason.Why{Kind: reason.WordsTooMany}
			default:
				k.followWithWords(tx, n)
			}
			tx.Put(n)
		}
		return nil
	})
}

// noteGiven notes how the answer to n was given: by which keys, or to the agent's hook or server.
func (tx *tx) noteGiven(n *nudge.Nudge, r deliver.Result) {
	if keys := n.Typed(r); len(keys) > 0 {
		tx.Note(n.Event(nudge.KeyTyped, nudge.Event{Act: nudge.Act{Keys: keys, By: n.Claim.By.Name}}))
	}
	if r.Door {
		tx.Note(n.Event(nudge.HandedOver, nudge.Event{Act: nudge.Act{By: n.Claim.By.Name}}))
	}
}

// Await blocks until the nudge is neither claimed nor being typed, and returns it as it is then. The command
// line learns the outcome of its answer from it.
func (k *Keeper) Await(ctx context.Context, id string) (n nudge.Nudge, err error) {
	err = k.until(ctx, func() (bool, error) {
		var found bool
		if n, found, err = k.Find(id); err == nil && !found {
			err = fmt.Errorf("there is no nudge #%s", id)
		}
		return n.State != nudge.Claimed && n.State != nudge.Typing, err
	})
	return n, err
}
