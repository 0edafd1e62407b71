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
	b.sayThen(chat, replyTo, r.AskReason(chat, b.seal), func(m sent) nudge.Receipt {
		n := nudge.Notice{Kind: nudge.Reason, Place: message.Place(chat), Of: nudge.OfNudge{Nudge: r.Nudge}}
		return nudge.Receipt{Notice: n, Message: m.ID, Topic: m.topic(), Sent: m.at()}
	})
	return ""
}
