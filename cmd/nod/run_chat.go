package main

import (
	"context"
	"time"

	"nod/bot"
	"nod/detect"
)

// chat is the interface of the bot for the other parts. Without Telegram it is noChat: people at the machine
// see and answer questions in the inbox and on the page.
type chat struct {
	check    func(context.Context) error
	run      func(context.Context) error
	ready    func(context.Context)
	digest   func(context.Context) error
	health   func() []string
	alive    func(time.Time) bool
	announce func(why string)
	unasked  func(detect.Sighting)
	outside  func(detect.HookEvent)
	share    func(name string, data []byte, caption string) // nil without a chat
}

func chatOf(b *bot.Bot) chat {
	return chat{
		check: b.Check, run: b.Run, ready: b.Ready, digest: b.Digest, health: b.Health, alive: b.Alive,
		announce: b.Announce, unasked: b.Unasked, outside: b.Outside, share: b.Share,
	}
}

// noChat replaces the chat with NOD_TELEGRAM=off. The chat's reports are also in the log and in the health.
func noChat() chat {
	return chat{
		check: func(context.Context) error { return nil },
		run:   func(ctx context.Context) error { <-ctx.Done(); return nil },
		ready: func(context.Context) {}, digest: func(context.Context) error { return nil },
		health: func() []string { return nil }, alive: func(time.Time) bool { return true },
		announce: func(string) {}, unasked: func(detect.Sighting) {}, outside: func(detect.HookEvent) {},
	}
}
