package bot

import (
	"context"
	"slices"
	"time"

	"nod/nudge"
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
		case <-look:
			held = slices.DeleteFunc(held, b.give)
		}
	}
}

// give gives a held answer to the keeper if its machine is back and the question was sent again, or if its time is over. It then
// reports true. The rules decide on the answer as if it were given now, and its writer is told what they refuse.
func (b *Bot) give(h heldAnswer) bool {
	n, _, err := b.cfg.Keeper.Find(h.answer.Nudge)
	if waits := err != nil || !n.Away.IsZero() || n.Lacks(h.answer.Place); waits && time.Now().Before(h.until) {
		return false
	}
	h.answer.Read = time.Now()
	if _, err := b.answer(h.answer); err != nil {
		b.cfg.Log.Error("an answer that waited for a machine could not be taken", "nudge", h.answer.Nudge, "error", err)
	}
	return true
}
