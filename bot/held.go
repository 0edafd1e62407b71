package bot

import (
	"context"
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

// hold holds an answer. It reports false if too many wait already.
func (b *Bot) hold(a nudge.Answer) bool {
	a.Update = 0 // it was handled: only the answer is given again
	select {
	case b.held <- heldAnswer{a, time.Now().Add(heldFor)}:
		return true
	default:
		return false
	}
}

// giveHeld gives held answers to the keeper until ctx ends. It sleeps while there are none.
func (b *Bot) giveHeld(ctx context.Context) error {
	b.sayLost()
	var held []heldAnswer
	for {
		var look <-chan time.Time
		if len(held) > 0 {
			look = time.After(heldEvery)
		}
		select {
		case <-ctx.Done():
			return nil
		case h := <-b.held:
			held = append(held, h)
			b.noteHeld(held)
		case <-look:
			waits, due := split(held, b.waits)
			if held = waits; len(due) > 0 {
				b.noteHeld(held) // before they are given: what was given is never told as lost
			}
			for _, h := range due {
				b.give(h.answer)
			}
		}
	}
}

// sayLost tells the writers of the answers that nod held when it was stopped.
func (b *Bot) sayLost() {
	lost, err := b.memory().Held()
	if err != nil {
		b.cfg.Log.Error("can't read which answers waited for a machine", "error", err)
	}
	for _, h := range lost {
		n, found, err := b.cfg.Keeper.Find(h.Nudge)
		if err != nil || !found {
			continue
		}
		why := reason.Why{Kind: reason.AnswerLost, What: n.Pane.Machine}
		b.explain(nudge.Answer{Ref: h.Ref}, nudge.Verdict{Kind: nudge.Rejected, Nudge: n, Detail: why})
	}
	if len(lost) > 0 {
		b.noteHeld(nil)
	}
}

// noteHeld stores which answers are held, for sayLost.
func (b *Bot) noteHeld(held []heldAnswer) {
	var list []store.HeldAnswer
	for _, h := range held {
		list = append(list, store.HeldAnswer{Nudge: h.answer.Nudge, Ref: h.answer.Ref})
	}
	if err := b.memory().SetHeld(list); err != nil {
		b.cfg.Log.Error("can't record which answers wait for a machine", "error", err)
	}
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
