package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// The limits on programs' questions that wait at once: maxOwn for one agent, and for all programs outside of
// agents on one machine together; maxQuestions for all. So a program that asks in a loop neither buries other
// questions nor keeps them out. A question of a hook, a form or a joining machine ends with its asker; it is
// not kept out by the questions of others.
const (
	maxOwn       = 20
	maxQuestions = 100
)

// ErrTooMany means that as many questions wait as may.
var ErrTooMany = fmt.Errorf("%d questions of that agent, or %d of programs, wait for an answer already", maxOwn, maxQuestions)

// ErrWithdrawn means that an asker has withdrawn maxWithdrawn questions within an hour. A loop that asks and
// withdraws would fill chats and the disk.
var ErrWithdrawn = fmt.Errorf("%d questions of that agent, or of programs there, were withdrawn within an hour", maxWithdrawn)

const maxWithdrawn = 60

// withdrew notes that a question was withdrawn, unless it ends with its asker.
func (k *Keeper) withdrew(n *nudge.Nudge, now time.Time) {
	if by, ok := n.Asker(); ok && n.State == nudge.Gone {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.withdrawn[by] = append(k.withdrawn[by], now)
	}
}

// withdraws reports whether an asker has withdrawn too many questions to ask another one.
func (k *Keeper) withdraws(by nudge.Asker, now time.Time) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	for by, times := range k.withdrawn {
		if times = slices.DeleteFunc(times, func(at time.Time) bool { return now.Sub(at) >= time.Hour }); len(times) == 0 {
			delete(k.withdrawn, by)
		} else {
			k.withdrawn[by] = times
		}
	}
	return len(k.withdrawn[by]) >= maxWithdrawn
}

// ErrNoQuestion means that no program's question has that id.
var ErrNoQuestion = errors.New("no program asked that, or nod keeps no record of it any more")

// Ask opens the nudge of a program's question. The question must have no flaw.
func (k *Keeper) Ask(q nudge.ProgramQuestion) (n nudge.Nudge, err error) {
	err = k.update(func(tx *tx) error {
		own, all := 0, 0
		for _, n := range tx.Live() {
			if n.Program() == nil || n.State.Over() {
				continue
			}
			by, plain := n.Asker()
			if by == q.Asker() {
				own++
			}
			if plain {
				all++
			}
		}
		if !q.Join && (own >= maxOwn || all >= maxQuestions && !q.Door && !q.Form) {
			return ErrTooMany
		}
		if !q.Join && !q.Door && !q.Form && k.withdraws(q.Asker(), tx.Now()) {
			return ErrWithdrawn
		}
		opened := nudge.OpenQuestion(unusedID(tx), q, k.cfg.Rules(), tx.Now())
		tx.Put(opened)
		tx.Note(opened.OpenedEvent())
		n = *opened
		return nil
	})
	return n, err
}

// question returns the nudge of a program's question.
func question(tx *store.Tx, id string) (*nudge.Nudge, error) {
	n := tx.Nudge(id)
	if n == nil || n.Program() == nil {
		return nil, ErrNoQuestion
	}
	return n, nil
}

// AwaitAnswer blocks until a program's question is over, and returns it as it is then. If ctx ends first, it
// returns the last state seen and ctx's error.
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

// Attend records whether somebody waits for the answer to a program's question. A question that nobody waits
// for ends after a minute.
func (k *Keeper) Attend(id string, waits bool) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool { return n.Attend(waits, tx.Now()) })
}

// Withdraw ends a pending program's question because its asker no longer wants an answer.
func (k *Keeper) Withdraw(id string) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool {
		if !n.Withdraw(tx.Now()) {
			return false
		}
		k.withdrew(n, tx.Now())
		tx.Note(n.EndedEvent(tx.Now()))
		return true
	})
}

// Recover ends a pending program's question because it was answered without nod; how says how.
func (k *Keeper) Recover(id string, how reason.Why) error {
	return k.changeQuestion(id, func(tx *tx, n *nudge.Nudge) bool {
		if !n.Recover(how, tx.Now()) {
			return false
		}
		tx.Note(n.EndedEvent(tx.Now()))
		return true
	})
}

// doorOpens is how long a nudge may exist before the hook that waits for its answer is registered.
const doorOpens = 5 * time.Second

// EndDoors withdraws agents' requests from outside tmux and questions of forms whose hook no longer waits,
// and of machines that no longer ask to join. has reports whether the asker of a nudge still waits. EndDoors
// also finds what an earlier nod process left behind.
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
