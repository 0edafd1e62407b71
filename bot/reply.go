package bot

import (
	"nod/bot/message"
	"nod/nudge"
)

// replied hands a reply to the keeper, which knows what the replied-to message is about, and what the words mean to it.
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

// shownBy tells what a message of the chat shows, by the sealed data of its buttons: nothing where nod itself did not
// write it, here. What is in its text is never asked.
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

// tapsUnder are what the buttons of a message ask for that nod wrote in the chat.
func (b *Bot) tapsUnder(chat int64, m *incoming) (list []message.Tap) {
	if m.From == nil || m.From.ID != b.me().ID || m.elsewhere() || m.forwarded() || m.Keyboard == nil {
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

// about gives the one nudge that the message which m replies to is about, if there is one.
func (b *Bot) about(m *incoming) (nudge.Nudge, bool, error) {
	return b.cfg.Keeper.About(nudge.Ref{Place: message.Place(m.Chat.ID), Message: m.ReplyTo.ID}, b.shownBy(m.Chat.ID, m.ReplyTo))
}
