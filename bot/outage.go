package bot

import (
	"time"

	"nod/bot/message"
	"nod/nudge"
	"nod/store"
)

const (
	// shortOutage is how long Telegram may be out of reach without a word about it.
	shortOutage = 2 * time.Minute
	// anotherOutage is how long after a failed poll the next one belongs to another outage: the loop tries more often.
	anotherOutage = 5 * time.Minute
)

// outOfReach takes note of a poll that Telegram did not answer, so that a restart in the middle of an outage neither cuts nor hides
// it. The poll loop alone keeps it.
func (b *Bot) outOfReach(now time.Time) {
	o := b.knownOutage()
	if o == nil || now.Sub(o.Last) > anotherOutage {
		o = &store.Outage{Since: now}
	}
	o.Last = now
	b.keepOutage(o)
}

// knownOutage is the one that goes on, or whose end was not told yet; nil: there is none.
func (b *Bot) knownOutage() *store.Outage {
	if b.reached {
		return nil
	}
	o, err := b.memory().Outage()
	if err != nil {
		return nil
	}
	return o
}

// keepOutage keeps one, or with nil that there is none.
func (b *Bot) keepOutage(o *store.Outage) {
	if err := b.memory().SetOutage(o); err != nil {
		b.cfg.Log.Error("can't record the outage", "error", err)
		return
	}
	b.reached = o == nil
}

// reachedAgain tells everybody in a line that Telegram was out of reach, from when to when, and what is still open.
func (b *Bot) reachedAgain(now time.Time) {
	o := b.knownOutage()
	if o == nil {
		b.reached = true
		return
	}
	b.keepOutage(nil)
	end := now
	if now.Sub(o.Last) > anotherOutage { // nod did not run meanwhile
		end = o.Last
	}
	if end.Sub(o.Since) >= shortOutage {
		b.sayOutage(o.Since, end, now)
	}
}

func (b *Bot) sayOutage(from, to, now time.Time) {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		b.cfg.Log.Error("can't read the open questions after an outage", "error", err)
		return
	}
	out := message.Outage(open, from, to, b.style())
	out.Silent = b.silentNow(now)
	for _, chat := range b.audience() {
		var then func(sent) nudge.Receipt
		if len(open) > 0 {
			then = severalReceipt(chat)
		}
		b.sayThen(chat, 0, out, then)
	}
}
