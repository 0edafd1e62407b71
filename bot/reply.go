package bot

import (
	"nod/bot/message"
	"nod/nudge"
)

// replied gives a reply to the keeper, which knows the subject of the replied-to message and what the words
// mean for it.
func (b *Bot) replied(id int, m *incoming, text string) error {
	if agent := b.wordsFor(m.Chat.ID, m.ReplyTo); agent != "" && text != "" {
		return b.tellAsked(id, m, agent, text)
	}
	a := answerOf(id, m, nudge.ByReply)
	a.ReplyTo, a.Shown, a.Text = m.ReplyTo.ID, b.shownBy(m.Chat.ID, m.ReplyTo), text
	a.Decision, a.Nudge, _ = nudge.ParseWord(text, nudge.ByReply)
	_, err := b.answer(a)
	return err
}

// shownBy returns what a message shows, by the sealed data of its buttons. It returns nothing unless nod
// wrote the message, in this chat. The text of the message is never used.
func (b *Bot) shownBy(chat int64, m *incoming) (list []nudge.Shown) {
	for _, p := range b.tapsUnder(chat, m) {
		switch p.Verb {
		case message.VerbRenew, message.VerbMute, message.VerbTo, message.VerbWords, message.VerbNext:
		default:
			list = append(list, p.Shown())
		}
	}
	return list
}

// tapsUnder returns the button data of a message that nod wrote in the chat.
func (b *Bot) tapsUnder(chat int64, m *incoming) (list []message.Tap) {
	if m.From == nil || m.From.ID != b.self.ID || m.elsewhere() || m.forwarded() || m.Keyboard == nil {
		return nil
	}
	for _, row := range m.Keyboard.Rows {
		for _, button := range row {
			if p, ok := b.seal.Open(button.Data, chat); ok {
				list = append(list, p)
			}
		}
	}
	return list
}

// about returns the nudge of the message that m replies to, if it is about exactly one.
func (b *Bot) about(m *incoming) (nudge.Nudge, bool, error) {
	return b.cfg.Keeper.About(nudge.Ref{Place: message.Place(m.Chat.ID), Message: m.ReplyTo.ID}, b.shownBy(m.Chat.ID, m.ReplyTo))
}
