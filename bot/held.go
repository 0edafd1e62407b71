package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"nod/internal/reason"
	"nod/nudge"
	"nod/store"
)

// An answer to an agent on a machine that is away types nothing. If its writer asks for it, nod holds the answer for a minute
// and gives it once the machine is back.

const (
	heldFor   = time.Minute
	heldEvery = time.Second // how often nod looks whether a machine is back, while it holds an answer
	mostHeld  = 100
)

// heldAnswer is an answer that waits for a machine until a time.
type heldAnswer struct {
	answer nudge.Answer
	until  time.Time
}

// holding is the answers that wait, the oldest first. While there are any, giveHeld runs.
type holding struct {
	mu   sync.Mutex
	list []heldAnswer
}

// hold holds an answer, and stores that it does before anybody is told so. It reports false if it can't, or if too many wait already.
func (b *Bot) hold(a nudge.Answer) bool {
	a.Update = 0 // it was handled: only the answer is given again
	b.held.mu.Lock()
	defer b.held.mu.Unlock()
	before := b.held.list
	if len(before) == mostHeld {
		return false
	}
	b.held.list = append(slices.Clip(before), heldAnswer{a, time.Now().Add(heldFor)})
	if !b.noteHeld() || len(before) == 0 && !b.inBackground(b.giveHeld) {
		b.held.list = before
		return false
	}
	return true
}

// giveHeld gives held answers to the keeper until there are none, or ctx ends.
func (b *Bot) giveHeld(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		sleep(ctx, heldEvery)
		more = b.giveDue()
	}
}

// giveDue gives the answers that wait no longer. It reports whether others wait.
func (b *Bot) giveDue() bool {
	b.held.mu.Lock()
	waiting, due := split(b.held.list, b.waits)
	seen := len(b.held.list)
	b.held.mu.Unlock()
	for _, h := range due {
		b.give(h.answer)
	}
	b.held.mu.Lock()
	defer b.held.mu.Unlock()
	b.held.list = append(waiting, b.held.list[seen:]...)
	if len(due) > 0 {
		b.noteHeld() // after they were given: sayLost knows what was
	}
	return len(b.held.list) > 0
}

// sayLost tells the writers of the answers that nod held when it was stopped, and that it gave to nobody. Call it before any is held.
func (b *Bot) sayLost() {
	lost, err := b.memory().Held()
	if err != nil {
		b.cfg.Log.Error("can't read which answers waited for a machine", "error", err)
	}
	for _, h := range lost {
		n, found, err := b.cfg.Keeper.Find(h.Nudge)
		if err != nil || !found || n.Claim != nil && n.Claim.Ref == h.Ref {
			continue
		}
		why := reason.Why{Kind: reason.AnswerLost, What: n.Pane.Machine}
		b.explain(nudge.Answer{Ref: h.Ref}, nudge.Verdict{Kind: nudge.Rejected, Nudge: n, Detail: why})
	}
	if len(lost) > 0 {
		b.noteHeld()
	}
}

// noteHeld stores which answers are held, for sayLost.
func (b *Bot) noteHeld() bool {
	var list []store.HeldAnswer
	for _, h := range b.held.list {
		list = append(list, store.HeldAnswer{Nudge: h.answer.Nudge, Ref: h.answer.Ref})
	}
	err := b.memory().SetHeld(list)
	if err != nil {
		b.cfg.Log.Error("can't record which answers wait for a machine", "error", err)
	}
	return err == nil
}

// split returns the answers that wait and those that don't.
func split(held []heldAnswer, waits func(heldAnswer) bool) (waiting, due []heldAnswer) {
	for _, h := range held {
		if waits(h) {
			waiting = append(waiting, h)
		} else {
			due = append(due, h)
		}
	}
	return waiting, due
}

// waits reports whether an answer is still held: its machine is away or its question was not sent again, and its time is not over.
func (b *Bot) waits(h heldAnswer) bool {
	n, _, err := b.cfg.Keeper.Find(h.answer.Nudge)
	return (err != nil || !n.Away.IsZero() || n.Lacks(h.answer.Place)) && time.Now().Before(h.until)
}

// give gives a held answer to the keeper. The rules decide on it as if it were given now, and its writer is told what they refuse.
func (b *Bot) give(a nudge.Answer) {
	a.Read = time.Now()
	if _, err := b.answer(a); err != nil {
		b.cfg.Log.Error("an answer that waited for a machine could not be taken", "nudge", a.Nudge, "error", err)
	}
}
