package keeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// maxQuestions is how many questions of programs may wait at once: a program that asks in a loop must not bury the rest.
const maxQuestions = 50

// ErrTooMany says that as many questions of programs wait as may.
var ErrTooMany = fmt.Errorf("%d questions of programs wait for an answer already", maxQuestions)

// ErrNoQuestion says that no program's question has that id.
var ErrNoQuestion = errors.New("no program asked that, or nod keeps no record of it any more")

// Ask takes in a program's question, which has no flaw, and gives its nudge.
func (k *Keeper) Ask(q nudge.ProgramQuestion) (n nudge.Nudge, err error) {
	err = k.update(func(tx *tx) error {
		waiting := 0
		for _, n := range tx.Live() {
			if n.Program() != nil && !n.State.Over() {
				waiting++
			}
		}
		if waiting >= maxQuestions {
			return ErrTooMany
		}
		opened := nudge.OpenQuestion(unusedID(tx), q, k.cfg.Rules(), tx.Now())
		tx.Put(opened)
		tx.Note(opened.OpenedEvent())
		n = *opened
		return nil
	})
	return n, err
}

// question gives the nudge of a program's question.
func question(tx *store.Tx, id string) (*nudge.Nudge, error) {
	n := tx.Nudge(id)
	if n == nil || n.Program() == nil {
		return nil, ErrNoQuestion
	}
	return n, nil
}

// AwaitAnswer blocks until a program's question is over, and gives it as it is then. Where ctx ends before, it gives it
// as it was last seen, and the context's error.
func (k *Keeper) AwaitAnswer(ctx context.Context, id string) (n nudge.Nudge, err error) {
	err = k.until(ctx, func() (bool, error) {
		err := k.cfg.Store.View(func(tx *store.Tx) error {
			record, err := question(tx, id)
			if err == nil {
				n = *record
			}
			return err
		})
		return n.State.Over(), err
	})
	return n, err
}

// Attend takes note that somebody waits for the answer to a program's question, or that nobody does any more: it ends
// when that stays so for a minute.
func (k *Keeper) Attend(id string, waits bool) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool { return n.Attend(waits, tx.Now()) })
}

// Withdraw ends a program's question, if it still waits, because whoever asked does not want to know any more.
func (k *Keeper) Withdraw(id string) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool {
		if !n.Withdraw(tx.Now()) {
			return false
		}
		tx.Note(n.EndedEvent(tx.Now()))
		return true
	})
}

// Recover ends a program's question, if it still waits, because it was answered without nod, and how.
func (k *Keeper) Recover(id string, how reason.Why) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool {
		if !n.Recover(how, tx.Now()) {
			return false
		}
		tx.Note(n.EndedEvent(tx.Now()))
		return true
	})
}

// doorOpens is how long a nudge may wait for its door, which is made after it.
const doorOpens = 5 * time.Second

// EndDoors ends the requests of agents outside tmux and the questions of forms, whose hook no longer waits, and those of machines that no
// longer ask to join; has tells of which one
// does. It finds what a nod that ended left behind.
func (k *Keeper) EndDoors(has func(id string) bool, now time.Time) error {
	open, err := k.List(false)
	for _, n := range open {
		if p := n.Program(); p != nil && (p.Door || p.Form || p.Join) && now.Sub(n.Detected) > doorOpens && !has(n.ID) {
			err = errors.Join(err, k.Withdraw(n.ID))
		}
	}
	return err
}

func (k *Keeper) changeQuestion(id string, change func(*tx, *nudge.Nudge) bool) error {
	return k.update(func(tx *tx) error {
		n, err := question(tx.Tx, id)
		if err == nil && change(tx, n) {
			tx.Put(n)
		}
		return err
	})
}
