package bot

import (
	"nod/bot/message"
	"nod/nudge"
)

// askReason asks for the words that go with a denial, and gives those that show after the tap.
func (b *Bot) askReason(chat int64, replyTo int, r message.Renderer) string {
	if r.State != nudge.Pending {
		return "#" + r.ID + " no longer waits. Nothing was typed."
	}
	b.ask(chat, replyTo, nudge.Reason, nudge.OfNudge{Nudge: r.Nudge}, r.AskReason(chat, b.seal))
	return ""
}
