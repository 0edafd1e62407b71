package keeper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// How soon an instruction is tried again after the typist refused it: soon if the screen only has to be
// drawn, later if a person has to do something.
const (
	busyAgain    = time.Second
	refusedAgain = 5 * time.Second
	// longestRest is the longest rest of a queue that waits for a time: a timer stands still while the machine
	// sleeps.
	longestRest = time.Minute
)

// refusal is the typist's last refusal of the instruction at the head of its queue.
type refusal struct {
	reason deliver.Reason
	detail reason.Why
	again  time.Time
	tries  int // how often it counted as sent before it was refused, as on another machine
}

// runInstructions sends the queued instructions, each in its turn, until ctx ends.
func (k *Keeper) runInstructions(ctx context.Context, work func(func())) {
	for {
		heads, again, err := k.turns(time.Now())
		if err != nil {
			k.cfg.Log.Error("can't read the queued instructions", "error", err)
			again = time.Now().Add(retryAfter)
		}
		for _, id := range heads {
			work(func() { k.send(ctx, id) })
		}
		var timer <-chan time.Time
		if !again.IsZero() {
			timer = time.After(min(time.Until(again), longestRest))
		}
		select {
		case <-ctx.Done():
			return
		case <-k.queued:
		case <-timer:
		}
	}
}

// wakeQueue has the queues checked, because something that holds one of them may have changed.
func (k *Keeper) wakeQueue() {
	select {
	case k.queued <- struct{}{}:
	default:
	}
}

// turns returns the instructions whose turn it is, and when to look again if nothing happens; zero: never. It
// also applies the changes that only depend on time.
func (k *Keeper) turns(now time.Time) (heads []string, again time.Time, err error) {
	sooner := func(t time.Time) {
		if t.After(now) && (again.IsZero() || t.Before(again)) {
			again = t
		}
	}
	var alarmed []detect.PaneRef
	err = k.cfg.Store.View(func(tx *store.Tx) error {
		for _, list := range byPane(tx.LiveInstructions()) {
			if i := list.InFlight(); i != nil {
				look, _ := k.lastLook(i.Pane)
				idle := look.State == screen.Idle && !i.Typed.IsZero()
				if at := list.Alarm(); idle || !at.IsZero() && !at.After(now) {
					alarmed = append(alarmed, i.Pane)
				} else {
					sooner(at)
				}
				if idle {
					sooner(now.Add(busyAgain))
				}
				continue
			}
			if id, at := k.head(tx, list, now); id != "" {
				heads = append(heads, id)
			} else {
				sooner(at)
			}
		}
		return nil
	})
	for _, ref := range alarmed {
		err = errors.Join(err, k.lookAgain(ref))
	}
	return heads, again, err
}

// byPane splits a list that is sorted by pane.
func byPane(all nudge.Instructions) (lists []nudge.Instructions) {
	for _, i := range all {
		if n := len(lists); n > 0 && lists[n-1][0].Pane == i.Pane {
			lists[n-1] = append(lists[n-1], i)
		} else {
			lists = append(lists, nudge.Instructions{i})
		}
	}
	return lists
}

// head returns the first waiting instruction of a pane, if nothing holds it and nobody sends it already;
// otherwise when to look again.
func (k *Keeper) head(tx *store.Tx, list nudge.Instructions, now time.Time) (id string, again time.Time) {
	waiting := list.Waiting()
	if len(waiting) == 0 {
		return "", time.Time{}
	}
	if hold := k.hold(tx, list, now); hold.Reason != "" {
		return "", hold.Until
	}
	i := waiting[0]
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.delivering[i.ID] {
		return "", time.Time{}
	}
	if no := k.refusals[i.ID]; no.again.After(now) {
		return "", no.again
	}
	k.delivering[i.ID] = true
	return i.ID, time.Time{}
}

// hold returns what holds up the first waiting instruction of a pane, as far as nod knows without asking
// tmux.
func (k *Keeper) hold(tx *store.Tx, list nudge.Instructions, now time.Time) nudge.Hold {
	ref := list[0].Pane
	last, rules := tx.Last(ref), k.cfg.Rules()
	k.mu.Lock()
	defer k.mu.Unlock()
	p := k.panes[ref]
	if p == nil {
		return list.Hold(nil, last, detect.Presence{}, rules, now)
	}
	return list.Hold(&p.last, last, p.presence, rules, now)
}

// passing are the reasons of refusals that are over without anybody's doing.
var passing = []deliver.Reason{deliver.Working, deliver.AwaitingDecision, deliver.Unreadable}

// awaitsPerson reports whether the next instruction of a pane is sent only after a person has done something there, such as to clear the
// input box.
func (k *Keeper) awaitsPerson(tx *tx, ref detect.PaneRef) bool {
	list := tx.Instructions(ref)
	if hold := k.hold(tx.Tx, list, tx.Now()); hold.Reason != "" {
		return hold.Reason == deliver.Changed || hold.Reason == deliver.NotOwner // the agent is in another project, or the author has left
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, i := range list.Waiting() {
		no, refused := k.refusals[i.ID]
		return refused && !slices.Contains(passing, no.reason)
	}
	return false
}

// lookAgain applies the last look at a pane once more, because time has passed since.
func (k *Keeper) lookAgain(ref detect.PaneRef) error {
	return k.update(func(tx *tx) error {
		look, seen := k.lastLook(ref)
		switch {
		case look.State == screen.Idle:
			look.Proof = "" // it counted when the look came
			k.observe(tx, nudge.Look{Sighting: look})
		case seen:
			k.advance(tx, look)
		}
		return nil
	})
}

// advance applies a look to the instructions of its pane.
func (k *Keeper) advance(tx *tx, s detect.Sighting) nudge.Progress {
	list := tx.Instructions(s.Pane)
	if len(list) == 0 {
		return nudge.Progress{}
	}
	p := list.Observe(s, k.cfg.Rules(), tx.Now())
	for _, i := range p.Changed {
		tx.putInstruction(i)
		switch {
		case i.State.Over():
			tx.Note(i.EndedEvent())
		case i.State == nudge.TimeoutWaiting:
			tx.Note(i.Event(nudge.InstructionLate, nudge.Event{}))
		}
	}
	return p
}

// takeWords adds the agent's last words to an instruction that ended before they were known. last is the
// newest nudge of the pane.
func takeWords(tx *tx, s detect.Sighting, last *nudge.Nudge) {
	if s.Words == "" {
		return
	}
	list := tx.Instructions(s.Pane)
	if last != nil {
		if turn, _ := last.About.(nudge.TurnEnded); turn.Did != nil {
			if i := tx.Instruction(turn.Did.ID); i != nil {
				list = append(list, i)
			}
		}
	}
	if i := list.TakeWords(s); i != nil {
		tx.putInstruction(i)
	}
}

// send types one instruction. It counts as sent from just before the first key, so a crash never sends it
// twice.
func (k *Keeper) send(ctx context.Context, id string) {
	defer func() {
		k.mu.Lock()
		delete(k.delivering, id)
		k.mu.Unlock()
		k.wakeQueue()
	}()
	var i *nudge.Instruction
	err := k.cfg.Store.View(func(tx *store.Tx) error { i = tx.Instruction(id); return nil })
	if err != nil || i == nil || i.State != nudge.Queued {
		return
	}
	began := false
	result := k.cfg.Typist.Type(ctx, i.Request(), func() error {
		err := k.beginInstruction(id)
		began = err == nil
		return err
	})
	if result.Outcome == deliver.Refused {
		k.noteRefusal(*i, result, began)
	}
	if !began {
		return
	}
	err = k.finishInstruction(id, result)
	for err != nil && k.pause(ctx, err) {
		err = k.finishInstruction(id, result)
	}
	k.well(reason.AnswerUnstored)
}

// beginInstruction records that an instruction counts as sent. It fails if something now holds it.
func (k *Keeper) beginInstruction(id string) error {
	return k.update(func(tx *tx) error {
		i := tx.Instruction(id)
		if i == nil {
			return errors.New("the instruction is no longer stored")
		}
		list := tx.Instructions(i.Pane)
		if list.Position(id) != 1 {
			return fmt.Errorf("instruction #%s is no longer the next one", id)
		}
		if hold := k.hold(tx.Tx, list, tx.Now()); hold.Reason != "" {
			return fmt.Errorf("it is held up: %s", hold.Reason)
		}
		if err := beginGrant(tx, i); err != nil {
			return err
		}
		if err := i.Begin(tx.Now()); err != nil {
			return err
		}
		tx.putInstruction(i)
		tx.Note(i.Event(nudge.InstructionSent, nudge.Event{Act: nudge.Act{By: i.By.Name}}))
		return nil
	})
}

// finishInstruction records the result of the typing.
func (k *Keeper) finishInstruction(id string, r deliver.Result) error {
	return k.update(func(tx *tx) error {
		i := tx.Instruction(id)
		if i == nil {
			return nil
		}
		if r.Outcome != deliver.Refused {
			tx.Note(i.Event(nudge.KeyTyped, nudge.Event{Act: nudge.Act{Keys: append([]string{"(text)"}, r.Keys...), By: i.By.Name}}))
		}
		if !i.Finish(r, k.cfg.Rules(), tx.Now()) {
			return nil
		}
		finishGrant(tx, i, r)
		if i.State != nudge.Queued {
			k.mu.Lock()
			delete(k.refusals, id)
			k.mu.Unlock()
		}
		tx.putInstruction(i)
		if i.State.Over() {
			tx.Note(i.EndedEvent())
		}
		return nil
	})
}

// noteRefusal remembers why the typist refused. Only a new reason goes into the audit trail, unless the
// trail has i as sent (began). As that is written down each time, i is then tried less and less.
func (k *Keeper) noteRefusal(i nudge.Instruction, r deliver.Result, began bool) {
	again := refusedAgain
	if slices.Contains(passing, r.Reason) {
		again = busyAgain
	}
	k.mu.Lock()
	before := k.refusals[i.ID]
	tries := before.tries
	if began {
		again = min(again<<min(tries, 10), longestRest)
		tries++
	}
	k.refusals[i.ID] = refusal{r.Reason, r.Detail, time.Now().Add(again), tries}
	k.mu.Unlock()
	if before.reason == r.Reason && !began {
		return
	}
	err := k.update(func(tx *tx) error {
		tx.Note(i.Event(nudge.AnswerRefused, nudge.Event{Act: nudge.Act{Reason: string(r.Reason), By: i.By.Name}}))
		return nil
	})
	if err != nil {
		k.cfg.Log.Error("can't write to the audit trail", "event", nudge.AnswerRefused, "instruction", i.ID, "error", err)
	}
}

// toldInstruction records that a place was told the state of an instruction, or that a message no longer has
// buttons about it.
func (k *Keeper) toldInstruction(r nudge.Receipt, was nudge.Instruction) error {
	if r.Notice.Kind == nudge.Close {
		return k.toldButtons(r)
	}
	err := k.update(func(tx *tx) error {
		i := tx.Instruction(was.ID)
		if i == nil {
			return nil
		}
		i.Told(r.Notice.Place, was.State)
		tx.putInstruction(i)
		return nil
	})
	if err != nil {
		return fmt.Errorf("record a message about instruction %s: %w", was.ID, err)
	}
	if len(r.Instructions) == 0 {
		return nil
	}
	return k.toldButtons(r)
}

// Interrupt ends what an earlier process began and did not finish. Run begins with it. If hooks are heard
// before Run starts, call Interrupt before the first hook, or it would take that hook for one of the earlier
// process.
func (k *Keeper) Interrupt() error {
	if err := k.interrupted(); err != nil {
		return fmt.Errorf("end the instructions of an earlier nod: %w", err)
	}
	return nil
}

// interrupt ends the instructions that an earlier process sent, because nobody saw their outcome, and the
// waiting of its hooks and of programs, which come back if they still run. A message that it had not recorded
// may have reached its place.
func (k *Keeper) interrupt() error {
	return k.update(func(tx *tx) error {
		for _, place := range k.cfg.Rules().Places() {
			k.mayHaveSent(tx.Tx, place)
		}
		for _, n := range tx.Live() {
			if _, plain := n.Asker(); plain && n.Attend(false, tx.Now()) {
				tx.Put(n)
			}
		}
		endDenials(tx, (*nudge.Denials).Release)
		overHolds(tx, func(h *nudge.Holds) { h.Lose(tx.Now()) })
		for _, i := range tx.LiveInstructions() {
			if i.State.InFlight() {
				i.Interrupt(k.cfg.Rules(), tx.Now())
				finishGrant(tx, i, deliver.Result{Outcome: deliver.Unknown})
				tx.putInstruction(i)
				tx.Note(i.EndedEvent())
			}
		}
		return nil
	})
}
