package bot

import (
	"time"

	"nod/bot/message"
	"nod/nudge"
	"nod/store"
)

const (
	// shortOutage is the longest outage that is not reported.
	shortOutage = 2 * time.Minute
	// anotherOutage is the gap between two failed polls after which a new outage begins; the loop polls more
	// often than that.
	anotherOutage = 5 * time.Minute
)

// outOfReach stores a poll that Telegram did not answer, so that a restart during an outage neither cuts nor
// hides it. Only the poll loop calls it.
func (b *Bot) outOfReach(now time.Time) {
	o := b.knownOutage()
	if o == nil || now.Sub(o.Last) > anotherOutage {
		o = &store.Outage{Since: now}
	}
	o.Last = now
	b.keepOutage(o)
}

// knownOutage returns the current outage, or one whose end was not reported yet; nil: none.
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

// keepOutage stores an outage; nil: there is none.
func (b *Bot) keepOutage(o *store.Outage) {
	if err := b.memory().SetOutage(o); err != nil {
		b.cfg.Log.Error("can't record the outage", "error", err)
		return
	}
	b.reached = o == nil
}

// reachedAgain reports to everybody, in one line, how long Telegram was unreachable and what is still open.
func (b *Bot) reachedAgain(now time.Time) {
	o := b.knownOutage()
	if o == nil {
		b.reached = true
		return
	}
	b.keepOutage(nil)
	end := now
	if now.Sub(o.Last) > anotherOutage { // nod was not running meanwhile
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
