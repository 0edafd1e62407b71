package bot

import (
	"nod/bot/message"
	"nod/nudge"
)

// askReason asks for the reason of a denial and returns the text to show after the tap.
func (b *Bot) askReason(chat int64, replyTo int, r message.Renderer) string {
	if r.State != nudge.Pending {
		return "#" + r.ID + " no longer waits. Nothing was typed."
	}
	b.ask(chat, replyTo, nudge.Reason, nudge.OfNudge{Nudge: r.Nudge}, r.AskReason(chat, b.seal))
	return ""
}
