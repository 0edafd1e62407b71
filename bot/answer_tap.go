package bot

import (
	"context"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
)

const (
	maxToast = 200 // Telegram's limit for the text shown after a tap
	// Telegram takes the answer to a tap for about a minute, and forgets the tap after 150 s. A call that
	// hangs is repeated while there is time.
	tapKept  = 150 * time.Second
	tapLimit = 5 * time.Second
)

// toast answers a tap. Until then the phone shows a spinner.
func (b *Bot) toast(query, text string) {
	p := tgbotapi.Params{"callback_query_id": query}
	p.AddNonEmpty("text", message.Cut(text, maxToast))
	if !b.inBackground(func(ctx context.Context) { b.answerTap(ctx, p) }) {
		b.cfg.Log.Warn("too many taps at once: one got no answer")
	}
}

// answerTap repeats the answer until Telegram takes it or rejects it. Being too late is no failure.
func (b *Bot) answerTap(ctx context.Context, p tgbotapi.Params) {
	end := time.Now().Add(tapKept)
	for tries := 0; ; tries++ {
		err := b.api.call(ctx, tapLimit, "answerCallbackQuery", p, nil)
		if err == nil {
			return
		}
		f := classify(err)
		wait := max(f.after, backoff(tries))
		switch {
		case f.kind == moot, f.kind == canceled:
			return
		case f.kind != later && f.kind != offline && f.kind != unsure, time.Now().Add(wait).After(end):
			b.cfg.Log.Info("a tap could not be answered", "error", err)
			return
		}
		sleep(ctx, wait)
	}
}
