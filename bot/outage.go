package bot

import (
	"encoding/json"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

const (
	// shortOutage is how long Telegram may be out of reach without a word about it.
	shortOutage = 2 * time.Minute
	// anotherOutage is how long after a failed poll the next one belongs to another outage: the loop tries more often.
	anotherOutage = 5 * time.Minute
)

// outage is for how long Telegram is out of reach. It is kept, so that a restart in the middle neither cuts nor hides it.
// The poll loop alone uses it.
type outage struct {
	Since, Last time.Time // the first and the last poll that failed
}

const outageKey = "outage"

// outOfReach takes note of a poll that Telegram did not answer.
func (b *Bot) outOfReach(now time.Time) {
	o, _ := b.knownOutage()
	if o.Since.IsZero() || now.Sub(o.Last) > anotherOutage {
		o.Since = now
	}
	o.Last = now
	b.keepOutage(&o)
}

// knownOutage is the one that goes on, or whose end was not told yet; false: there is none.
func (b *Bot) knownOutage() (o outage, known bool) {
	if b.reached {
		return outage{}, false
	}
	data, err := b.cfg.Store.Get(outageKey)
	if err != nil || data == nil {
		return outage{}, false
	}
	return o, json.Unmarshal(data, &o) == nil
}

// keepOutage keeps one, or with nil that there is none.
func (b *Bot) keepOutage(o *outage) {
	var data []byte
	if o != nil {
		data, _ = json.Marshal(o) // two times
	}
	if err := b.cfg.Store.Put(outageKey, data); err != nil {
		b.cfg.Log.Error("for how long Telegram is out of reach is not kept", "error", err)
		return
	}
	b.reached = o == nil
}

// reachedAgain tells everybody in a line that Telegram was out of reach, from when to when, and what is still open.
func (b *Bot) reachedAgain(now time.Time) {
	o, known := b.knownOutage()
	if !known {
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
		b.cfg.Log.Error("what is open after an outage can't be read", "error", err)
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
