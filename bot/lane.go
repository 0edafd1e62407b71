package bot

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"nod/nudge"
)

// Telegram's limits (core.telegram.org/bots/faq): about one message a second to a chat with short
// bursts, thirty a second in all. Edits count as well.
const (
	chatRate  = 1
	chatBurst = 3
	allRate   = 30
	allBurst  = 30
)

const (
	lookAgain    = 30 * time.Second // how often the teller asks what is due when nobody wakes it
	blockedRest  = time.Hour        // how often a chat that nobody is in is tried
	brokenRest   = 5 * time.Minute  // when a notice that Telegram refused is tried again
	maxErrands   = 100              // what may wait to be said to one chat
	rejectedRest = time.Minute      // while the token is rejected
)

// lane is one chat's way out. One goroutine at a time works on it, so a chat's messages keep their
// order and a chat that must wait holds up no other.
type lane struct {
	limit   *rate.Limiter
	busy    bool
	missed  bool      // the teller looked while it was busy
	rest    time.Time // no call before
	tries   int       // failed in a row
	blocked bool

	errands []errand // what was said besides the notices, oldest first
	// told are receipts that could not be written yet. Until they are, nothing more is sent: what was
	// sent and is not on record would be sent again.
	told []nudge.Receipt
	// broken are notices that Telegram refused for good, and when to try them again.
	broken map[string]time.Time
}

// errand is one thing to do in a chat, repeated while it may still succeed.
type errand struct {
	what string
	do   func(context.Context) error
}

// lane gives the chat's lane. The caller holds b.mu.
func (b *Bot) lane(chat int64) *lane {
	l := b.lanes[chat]
	if l == nil {
		l = &lane{limit: rate.NewLimiter(chatRate, chatBurst), broken: map[string]time.Time{}}
		b.lanes[chat] = l
	}
	return l
}

// queue adds an errand to the chat's lane.
func (b *Bot) queue(chat int64, what string, do func(context.Context) error) {
	b.mu.Lock()
	l := b.lane(chat)
	if len(l.errands) >= maxErrands {
		b.cfg.Log.Warn("dropped a message: too many wait for the chat", "chat", chat, "message", l.errands[0].what)
		l.errands = l.errands[1:]
	}
	l.errands = append(l.errands, errand{what, do})
	b.mu.Unlock()
	b.wakeTeller()
}

func (b *Bot) wakeTeller() {
	select {
	case b.awake <- struct{}{}:
	default:
	}
}

// tellOn sends what is due and what was queued, each chat on its own, once it is known which bot this is.
func (b *Bot) tellOn(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-b.bound:
	}
	for ctx.Err() == nil {
		again := time.NewTimer(b.tellAll(ctx))
		select {
		case <-ctx.Done():
		case <-b.cfg.Wake:
		case <-b.awake:
		case <-again.C:
		}
		again.Stop()
	}
}

// tellAll puts every free lane with something to say to work. It gives the time until the next lane
// has rested.
func (b *Bot) tellAll(ctx context.Context) (wait time.Duration) {
	now := time.Now()
	wait = lookAgain
	busy := b.busyLanes() // before what is due is read: a lane that ends meanwhile has said some of it
	notices, err := b.cfg.Keeper.ToTell(now)
	if err != nil {
		b.wrong.begin("due", "store", "What is to be told can't be read: "+err.Error())
		wait = 5 * time.Second
	} else {
		b.wrong.over("due")
	}
	due := map[int64][]nudge.Notice{}
	for _, n := range notices {
		due[n.Chat] = append(due[n.Chat], n)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for chat := range due {
		b.lane(chat)
	}
	for chat, l := range b.lanes {
		if l.rest.After(now) {
			wait = min(wait, l.rest.Sub(now))
			continue
		}
		if busy[chat] {
			if l.missed = l.busy; !l.busy {
				b.wakeTeller()
			}
			continue
		}
		if ctx.Err() != nil {
			continue
		}
		if len(l.errands) == 0 && len(l.told) == 0 && len(due[chat]) == 0 {
			continue
		}
		l.busy = true
		b.lines.Go(func() { b.work(ctx, chat, l, due[chat]) })
	}
	return wait
}

func (b *Bot) busyLanes() map[int64]bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	busy := map[int64]bool{}
	for chat, l := range b.lanes {
		busy[chat] = l.busy
	}
	return busy
}

// work says what was queued, and the first notice that can be: what else is due is asked for anew, for
// a message may have become pointless while others waited for the limits.
func (b *Bot) work(ctx context.Context, chat int64, l *lane, notices []nudge.Notice) {
	more := b.recordAll(l) && b.runErrands(ctx, chat, l)
	said := false
	for _, n := range notices {
		if !more || said {
			break
		}
		said, more = b.runNotice(ctx, chat, l, n)
		more = b.recordAll(l) && more
	}
	b.mu.Lock()
	l.busy = false
	again := more && (said || l.missed || len(l.errands) > 0)
	l.missed = false
	b.mu.Unlock()
	if again {
		b.wakeTeller()
	}
}

func (b *Bot) runErrands(ctx context.Context, chat int64, l *lane) bool {
	for ctx.Err() == nil {
		b.mu.Lock()
		if len(l.errands) == 0 {
			b.mu.Unlock()
			return true
		}
		next := l.errands[0]
		l.errands = l.errands[1:]
		b.mu.Unlock()
		err := next.do(ctx)
		if err == nil {
			b.arrived(chat, l)
			if !b.recordAll(l) {
				return false
			}
			continue
		}
		if !b.settle(chat, l, next.what, err) {
			b.mu.Lock()
			l.errands = append([]errand{next}, l.errands...)
			b.mu.Unlock()
			return false
		}
	}
	return false
}

// runNotice does one notice, and tells whether it was done and whether the lane may go on. What
// Telegram refuses for good is left for a while, so that it does not stand in the way of the others.
func (b *Bot) runNotice(ctx context.Context, chat int64, l *lane, n nudge.Notice) (done, more bool) {
	name := fmt.Sprintf("%s %s %d %d", n.Kind, n.Nudge.ID, n.Nudge.Reminder, n.Copy.Message)
	if time.Now().Before(l.broken[name]) {
		return false, true
	}
	r, err := b.perform(ctx, n)
	if err == nil {
		delete(l.broken, name)
		b.arrived(chat, l)
		l.told = append(l.told, r)
		return true, true
	}
	if !b.settle(chat, l, name, err) {
		return false, false
	}
	l.broken[name] = time.Now().Add(brokenRest)
	return false, true
}

// recordAll writes the receipts.
func (b *Bot) recordAll(l *lane) bool {
	for len(l.told) > 0 {
		if err := b.cfg.Keeper.Told(l.told[0]); err != nil {
			b.wrong.begin("store", "write", "The database can't be written, so nothing more is sent: "+err.Error())
			b.rest(l, backoff(l.tries))
			l.tries++
			return false
		}
		l.told = l.told[1:]
		b.wrong.over("store")
	}
	return true
}

func (b *Bot) rest(l *lane, d time.Duration) {
	b.mu.Lock()
	l.rest = time.Now().Add(d)
	b.mu.Unlock()
	b.wakeTeller()
}

// settle takes note of a failed call to a chat. True: it will never succeed and is done with; false:
// the lane rests, and the same is to be tried again.
func (b *Bot) settle(chat int64, l *lane, what string, err error) bool {
	f := classify(err)
	wait := max(f.after, backoff(l.tries))
	l.tries++
	switch f.kind {
	case canceled:
		return false
	case moot:
		return true
	case permanent, badMarkup:
		b.cfg.Log.Error("Telegram refused a message", "chat", chat, "message", what, "error", err)
		b.wrong.begin(chatTrouble(chat), "refused", fmt.Sprintf("Telegram refused a message to %d: %v", chat, err))
		return true
	case goneChat:
		b.block(chat, err.Error())
		return false
	case unauthorized:
		b.wrong.begin("token", "rejected", said(f, err))
		wait = max(wait, rejectedRest)
	default:
		b.wrong.begin(chatTrouble(chat), string(f.kind), said(f, err))
	}
	b.rest(l, wait)
	return false
}

func chatTrouble(chat int64) string { return fmt.Sprintf("chat %d", chat) }

// arrived takes note that the chat took a call.
func (b *Bot) arrived(chat int64, l *lane) {
	l.tries = 0
	b.wrong.over(chatTrouble(chat))
}

// block lets a chat rest in which nobody is.
func (b *Bot) block(chat int64, why string) {
	b.mu.Lock()
	l := b.lane(chat)
	l.blocked, l.rest = true, time.Now().Add(blockedRest)
	b.mu.Unlock()
	b.wrong.begin(chatTrouble(chat), "gone", fmt.Sprintf(
		"Supervisor %d can't be written to (%s): they must open the bot's chat and press Start", chat, why))
}

// unblock tries a chat again at once: its person has written or pressed Start.
func (b *Bot) unblock(chat int64) {
	b.mu.Lock()
	l := b.lane(chat)
	was := l.blocked
	if was {
		l.blocked, l.rest = false, time.Time{}
	}
	b.mu.Unlock()
	if was {
		b.wrong.over(chatTrouble(chat))
		b.wakeTeller()
	}
}
