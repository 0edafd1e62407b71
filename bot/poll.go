package bot

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"strconv"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/store"
)

// allowedUpdates is always sent, because Telegram remembers the last list, whoever sent it.
const allowedUpdates = `["message","edited_message","callback_query","my_chat_member"]`

const (
	// emptyPause keeps nod from polling in a tight loop if a server does not hold long polls.
	emptyPause = 500 * time.Millisecond
	// tokenPause is the wait after a rejected token. It may become valid, but not by frequent polls.
	tokenPause = 5 * time.Minute
	// steady is the length of a poll on a good connection. If such a poll breaks, that is no outage.
	steady = 10 * time.Second
	// conflictPause is the longest wait while another program polls.
	conflictPause = 30 * time.Second
)

// contest is when another program polled this bot. Either may get a person's message, and neither knows the
// other's questions.
type contest struct{ since, last time.Time }

const (
	// startOver is how long a program that has just been stopped may still count as another one. Two running
	// programs end each other's polls every few seconds.
	startOver = 2 * time.Minute
	// contestKept is how long a second nod may be away, as on a sleeping machine, with its questions in the
	// chat.
	contestKept = 12 * time.Hour
)

func (c *contest) note(now time.Time) {
	if now.Sub(c.last) > startOver {
		c.since = now
	}
	c.last = now
}

// holds reports whether an answer that names no question may be meant for the other program.
func (c *contest) holds(now time.Time) bool {
	kept := startOver
	if c.last.Sub(c.since) > startOver/2 {
		kept = contestKept
	}
	return !c.last.IsZero() && now.Sub(c.last) < kept
}

// introduce learns the bot's name, by which replies are matched, and drops the records of another bot's
// chats. It tries until it succeeds or ctx ends. Nothing is sent or received before.
func (b *Bot) introduce(ctx context.Context) {
	for tries := 0; ctx.Err() == nil; tries++ {
		b.heartbeat.beat(sendLimit)
		err := b.bind(ctx)
		if err == nil {
			return
		}
		wait := b.pollFailed(err, tries)
		b.heartbeat.beat(wait)
		b.heartbeat.begin()
		sleep(ctx, wait)
	}
}

// prepare reports a webhook, which would make polling fail, and sets the menu of commands and the menu's button.
func (b *Bot) prepare(ctx context.Context) {
	var hook struct {
		URL string `json:"url"`
	}
	if b.api.call(ctx, sendLimit, "getWebhookInfo", nil, &hook) == nil && hook.URL != "" {
		b.troubles.begin("poll", "webhook", webhookSet)
	}
	if err := b.setCommands(ctx); err != nil {
		b.cfg.Log.Debug("the menu of commands could not be set", "error", err)
	}
	if err := b.offerPage(ctx); err != nil {
		b.cfg.Log.Warn("the button that opens the page in Telegram could not be set", "error", err)
	}
}

func (b *Bot) bind(ctx context.Context) error {
	me, err := b.getMe(ctx)
	if err != nil {
		return err
	}
	another, err := b.memory().Bind(me.ID)
	if err != nil {
		return &storeError{err}
	}
	if another {
		b.cfg.Log.Info("the token is another bot's now: pending questions are sent again", "bot", me.UserName)
		for _, chat := range append(b.people(), b.audience()...) {
			b.sender(chat).noteKnown(store.Topicless, false)
		}
	}
	b.self = me
	return nil
}

// poll fetches updates until ctx ends. It replaces the library's GetUpdatesChan, which drops every update
// when Telegram's ids start again lower (they do after a quiet week) and confirms updates before they are
// handled.
func (b *Bot) poll(ctx context.Context) error {
	b.heartbeat.begin()
	b.heartbeat.beat(2 * sendLimit)
	b.prepare(ctx)
	for tries := 0; ctx.Err() == nil; {
		begin := time.Now()
		err := b.pollOnce(ctx)
		if err == nil || classify(err).kind == unsure && time.Since(begin) > steady {
			tries = 0
		}
		if err != nil && ctx.Err() == nil {
			wait := b.pollFailed(err, tries)
			b.heartbeat.beat(wait)
			sleep(ctx, wait)
			tries++
		}
	}
	return nil
}

func (b *Bot) pollOnce(ctx context.Context) error {
	offset, err := b.memory().Offset()
	if err != nil {
		return &storeError{err}
	}
	p := tgbotapi.Params{
		"timeout":         strconv.Itoa(int(pollWait.Seconds())),
		"allowed_updates": allowedUpdates,
	}
	p.AddNonZero("offset", offset)
	asked := time.Now()
	b.heartbeat.beat(pollLimit)
	var batch []json.RawMessage
	if err := b.api.call(ctx, pollLimit, "getUpdates", p, &batch); err != nil {
		return err
	}
	b.troubles.over("poll")
	b.reachedAgain(time.Now())
	b.troubles.over("token")
	next, err := b.handleAll(ctx, batch)
	b.heartbeat.beat(handleLimit)
	if next != 0 && next != offset {
		if err := b.memory().SetOffset(next); err != nil {
			return &storeError{err}
		}
	}
	if err != nil {
		return &storeError{err}
	}
	b.troubles.over("updates")
	b.unkept = nil
	if (len(batch) == 0 || next == 0) && time.Since(asked) < emptyPause {
		sleep(ctx, emptyPause)
	}
	return nil
}

// storeError means that an update could not be stored and must come again.
type storeError struct{ err error }

func (e *storeError) Error() string { return "the database can't be used: " + e.err.Error() }
func (e *storeError) Unwrap() error { return e.err }

// handleAll handles a batch in order. next is the offset that confirms the handled updates: the last id plus
// one, whatever its size, because ids may start again lower. 0: confirm nothing.
func (b *Bot) handleAll(ctx context.Context, batch []json.RawMessage) (next int, err error) {
	for i, raw := range batch {
		b.heartbeat.beat(handleLimit)
		u, err := readUpdate(raw)
		if err != nil {
			b.cfg.Log.Warn("skipped a malformed update", "update", u.ID, "bytes", len(raw), "error", err)
		} else if err := b.handleOnce(ctx, u); err != nil {
			b.sayUnkept(batch[i:])
			return next, err
		}
		if u.ID > 0 {
			next = u.ID + 1
		}
	}
	return next, nil
}

// handleOnce handles an update that was not handled before.
func (b *Bot) handleOnce(ctx context.Context, u update) error {
	done, err := b.memory().Handled(u.ID)
	if err != nil || done {
		return err
	}
	if err := b.handleSafely(ctx, u); err != nil {
		return err
	}
	if who := u.sender(); who == nil || !b.supervises(who.ID) && !b.watches(who.ID) {
		return nil // it did nothing that could happen twice, and strangers must cost no disk
	}
	if done, err = b.memory().Handled(u.ID); err != nil || done {
		return err // an answer is recorded in the transaction that takes it
	}
	return b.memory().Handle(u.ID)
}

// handleSafely keeps a bug in nod from ending the bot, and its update from coming again and again: the update
// is logged and counts as handled.
func (b *Bot) handleSafely(ctx context.Context, u update) (err error) {
	defer func() {
		if p := recover(); p != nil {
			b.cfg.Log.Error("an update could not be handled", "update", u.ID, "panic", p, "stack", string(debug.Stack()))
			err = nil
		}
	}()
	return b.handle(ctx, u)
}

// pollFailed reports the problem and returns the wait before the next try.
func (b *Bot) pollFailed(err error, tries int) time.Duration {
	if _, ours := err.(*storeError); ours {
		b.troubles.begin("updates", "store", "Answers can't be kept, so none is taken: "+err.Error()+". Free the disk or mend the file; nod keeps trying")
		return backoff(tries)
	}
	f := classify(err)
	switch f.kind {
	case offline, unsure:
		b.outOfReach(time.Now())
	case unauthorized:
		b.troubles.begin("token", "rejected", troubleSentence(f, err))
		return min(30*time.Second<<min(tries, 4), tokenPause)
	case conflict:
		kind := string(f.kind)
		if holds(err.Error(), "webhook") {
			kind = "webhook"
		} else {
			b.contest.note(time.Now())
		}
		b.troubles.begin("poll", kind, troubleSentence(f, err))
		return min(3*time.Second<<min(tries, 4), conflictPause)
	}
	b.troubles.begin("poll", string(f.kind), troubleSentence(f, err))
	return max(f.after, backoff(tries))
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
