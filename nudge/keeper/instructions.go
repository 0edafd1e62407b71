package keeper

import (
	"context"
	"errors"
	"fmt"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// errNoInstruction means that no instruction has that id.
var errNoInstruction = errors.New("there is no such instruction")

// wordsWait is how long AwaitInstruction waits for the last words after the end of a turn: an agent may write
// them a moment later.
const wordsWait = time.Second

// Submit queues the words a.Text for the agent of a pane, behind the waiting ones. They are sent when the
// agent is idle with an empty input box and nobody is at the pane.
func (k *Keeper) Submit(ref detect.PaneRef, a nudge.Answer, timeout time.Duration) (nudge.Placed, error) {
	return k.submit(a, timeout, func(*tx) (detect.PaneRef, string, string) { return ref, a.Text, "" })
}

// SubmitRefused queues the words that a.Repeat identifies, which nudge a.Nudge's agent did not take. They are
// queued once, however often that is asked for.
func (k *Keeper) SubmitRefused(a nudge.Answer, timeout time.Duration) (nudge.Placed, error) {
	return k.submit(a, timeout, func(tx *tx) (detect.PaneRef, string, string) {
		n := tx.Nudge(a.Nudge)
		if n == nil || !n.RefusedWords(a.Repeat) {
			return detect.PaneRef{}, "", ""
		}
		return n.Pane, n.Claim.Text, n.ID + "/" + a.Repeat
	})
}

func (k *Keeper) submit(a nudge.Answer, timeout time.Duration, words func(*tx) (ref detect.PaneRef, text, source string)) (placed nudge.Placed, err error) {
	err = k.update(func(tx *tx) error {
		if handleOnce(tx, a) {
			placed.Repeated = true
			return nil
		}
		if !k.cfg.Rules().MayAnswer(a) {
			placed.Reason, placed.Refusal = deliver.NotOwner, reason.Why{Kind: reason.OnlySupervisors}
			return nil
		}
		ref, text, source := words(tx)
		a.Text = text
		placed = k.place(tx, unusedID(tx), ref, a, timeout, source)
		return nil
	})
	if err == nil && placed.Reason == "" {
		k.wakeQueue()
	}
	return placed, err
}

// followWithWords queues the reason of a denial before all other instructions. Like every instruction it is
// sent when the agent's input box is empty and live. If it can't be queued, the nudge says why.
func (k *Keeper) followWithWords(tx *tx, n *nudge.Nudge) {
	c := n.Claim
	a := nudge.Answer{By: c.By, Way: c.Way, Ref: c.Ref, Said: nudge.Said{Because: c.Because}}
	placed := k.place(tx, unusedID(tx), n.Pane, a, nudge.InstructionTimeout, n.ID+"/because")
	if placed.Reason != "" {
		n.Detail = reason.Why{Kind: reason.WordsNotQueued, Because: &placed.Refusal}
		return
	}
	for up, down, ok := tx.Instructions(n.Pane).MoveUp(placed.ID); ok; up, down, ok = tx.Instructions(n.Pane).MoveUp(placed.ID) {
		tx.putInstruction(down)
		tx.putInstruction(up)
	}
	n.Detail = reason.Why{Kind: reason.WordsFollow}
	k.wakeQueue()
}

// place adds words to the end of a pane's queue, under the given id.
func (k *Keeper) place(tx *tx, id string, ref detect.PaneRef, a nudge.Answer, timeout time.Duration, source string) (placed nudge.Placed) {
	s, seen := k.lastLook(ref)
	if ref.Outside() {
		placed.Reason, placed.Refusal = deliver.Answered, reason.Why{Kind: reason.OldWords}
		return placed
	}
	if !seen {
		placed.Reason, placed.Refusal = deliver.NotFound, reason.Why{Kind: reason.NoAgentSeen, Pane: ref.ID}
		return placed
	}
	list, number := tx.Instructions(ref), 1
	for _, i := range list {
		number = max(number, i.Number+1)
	}
	if source != "" && sourced(tx, source) {
		placed.Reason, placed.Refusal = deliver.Answered, reason.Why{Kind: reason.WordsQueued}
		return placed
	}
	if code, why := nudge.RefuseQueued(a.Text+a.Because.Said(), s, len(list.Waiting())); code != "" {
		placed.Reason, placed.Refusal = code, why
		return placed
	}
	i := nudge.QueueInstruction(id, number, s, a, timeout, tx.Now())
	i.Source = source
	tx.putInstruction(i)
	tx.Note(i.Event(nudge.InstructionQueued, nudge.Event{Act: nudge.Act{By: a.By.Name, Way: string(a.Way), Text: i.Line()}, SentTo: nudge.SentTo{Chat: a.Place, Message: a.Message}}))
	list = tx.Instructions(ref)
	placed.Instruction, placed.Position = *i, list.Position(i.ID)
	placed.Held = k.whyHeld(tx.Tx, list, tx.Now())
	return placed
}

// sourced reports whether the words of that source were queued before.
func sourced(tx *tx, source string) bool {
	for _, i := range tx.AllInstructions() {
		if i.Source == source {
			return true
		}
	}
	return false
}

// whyHeld returns what holds up the first waiting instruction of a pane, with the typist's last reason; zero:
// nothing.
func (k *Keeper) whyHeld(tx *store.Tx, list nudge.Instructions, now time.Time) reason.Why {
	if hold := k.hold(tx, list, now); hold.Reason != "" {
		return hold.Detail
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, i := range list.Waiting() {
		return k.refusals[i.ID].detail
	}
	return reason.Why{}
}

// Instructions returns the instructions that wait or are in flight, pane by pane in the order of sending.
// With ref, only those of that pane.
func (k *Keeper) Instructions(ref *detect.PaneRef) (list []nudge.Placed, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, of := range byPane(tx.LiveInstructions()) {
			if ref != nil && of[0].Pane != *ref {
				continue
			}
			held := k.whyHeld(tx, of, tx.Now())
			for _, i := range of {
				if i.State.Over() {
					continue
				}
				p := nudge.Placed{Instruction: *i, Position: of.Position(i.ID)}
				if p.Position == 1 {
					p.Held = held
				}
				list = append(list, p)
			}
		}
		return nil
	})
	return list, err
}

// Instruction returns the instruction with that id, and whether there is one.
func (k *Keeper) Instruction(id string) (found nudge.Instruction, ok bool, err error) {
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		if i := tx.Instruction(id); i != nil {
			found, ok = *i, true
		}
		return nil
	})
	return found, ok, err
}

// CancelInstruction takes an instruction out of its queue or, if it was sent, stops waiting for it. It types
// nothing. The error is a sentence for the human: there is nothing to cancel.
func (k *Keeper) CancelInstruction(id string, by nudge.Person) (cancelled nudge.Instruction, err error) {
	err = k.update(func(tx *tx) error {
		i := tx.Instruction(id)
		if i == nil {
			return errNoInstruction
		}
		if err := i.Cancel(by, tx.Now()); err != nil {
			return err
		}
		tx.putInstruction(i)
		tx.Note(i.Event(nudge.InstructionEnded, nudge.Event{Act: nudge.Act{By: by.Name}, State: string(i.State)}))
		cancelled = *i
		return nil
	})
	k.mu.Lock()
	delete(k.refusals, id)
	k.mu.Unlock()
	k.wakeQueue()
	return cancelled, err
}

// MoveUp swaps an instruction with the one before it. The error is a sentence for the human: the instruction
// is the first, or does not wait.
func (k *Keeper) MoveUp(id string) (moved nudge.Instruction, err error) {
	err = k.update(func(tx *tx) error {
		i := tx.Instruction(id)
		if i == nil {
			return errNoInstruction
		}
		up, down, ok := tx.Instructions(i.Pane).MoveUp(id)
		if !ok {
			return fmt.Errorf("instruction #%s is the next one already, or does not wait any more", id)
		}
		tx.putInstruction(down)
		tx.putInstruction(up)
		moved = *up
		return nil
	})
	k.wakeQueue()
	return moved, err
}

// Outlast makes an instruction continue by itself when a usage limit has ended. The error is a sentence for
// the human: they may not choose that.
func (k *Keeper) Outlast(id string, by nudge.Person) (chosen nudge.Instruction, err error) {
	err = k.update(func(tx *tx) error {
		i := tx.Instruction(id)
		if i == nil {
			return errNoInstruction
		}
		if err := i.Outlast(by); err != nil {
			return err
		}
		tx.putInstruction(i)
		chosen = *i
		return nil
	})
	k.wakeQueue()
	return chosen, err
}

// AwaitInstruction blocks until the instruction is over or has timed out, and returns it as it is then. If
// ctx ends first, the error is ctx's.
func (k *Keeper) AwaitInstruction(ctx context.Context, id string) (nudge.Instruction, error) {
	for {
		changed := k.Changes()
		i, found, err := k.Instruction(id)
		if err != nil {
			return i, err
		}
		if !found {
			return i, errNoInstruction
		}
		var words <-chan time.Time
		switch late := wordsWait - time.Since(i.Ended); {
		case i.State == nudge.Completed && i.Words == "" && late > 0:
			words = time.After(late)
		case i.State.Over(), i.State == nudge.TimeoutWaiting:
			return i, nil
		}
		select {
		case <-ctx.Done():
			return i, ctx.Err()
		case <-changed:
		case <-words:
		}
	}
}
