package bot

import (
	"context"
	"path/filepath"

	"nod/bot/message"
	"nod/nudge"
)

// maxCaption is the maximum length of a file's caption in characters.
const maxCaption = 1024

// Share sends a file to everybody who may answer, with a masked caption.
func (b *Bot) Share(name string, data []byte, caption string) {
	for _, chat := range b.answering() {
		b.bringTo(chat, 0, name, data, caption)
	}
}

// answering returns the chats of those who may answer: the common group, or each supervisor's own chat.
func (b *Bot) answering() []int64 {
	if chat := b.settings().Chat; chat != 0 {
		return []int64{chat}
	}
	return b.settings().Supervisors
}

// bring sends the file of a wish that was approved, in reply to its message.
func (b *Bot) bring(chat int64, replyTo int, w nudge.Wish) {
	taken := b.inBackground(func(context.Context) {
		data, err := b.cfg.Shared(*w.File)
		if err != nil {
			b.say(chat, replyTo, message.Sentence("The file was not sent: "+message.OneLine(b.style().Redact(err.Error()))+"."))
			return
		}
		b.bringTo(chat, replyTo, filepath.Base(w.File.Path), data, b.style().Title(w.Agent, w.Name, w.Project))
	})
	if !taken {
		b.say(chat, replyTo, message.Sentence("Too much is being sent at the moment, and the file was not: have it asked for again."))
	}
}

// bringTries is how often a file is sent if nobody knows whether it has arrived: each try may have brought it.
const bringTries = 3

// bringTo sends a file to a chat.
func (b *Bot) bringTo(chat int64, replyTo int, name string, data []byte, caption string) {
	style := b.style()
	name = message.OneLine(style.Redact(name))
	unsureOf := 0
	b.queue(chat, job{what: "a file", do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		out := message.Outgoing{ReplyTo: replyTo}
		p := s.address(out)
		p["caption"] = message.Cut(message.ForeignText(style.Redact(caption)), maxCaption)
		err := s.somewhere(ctx, p, func() error {
			return s.inTurn(ctx, false, func() error {
				return s.bot.api.upload(ctx, "sendDocument", "document", p, name, data, nil)
			})
		})
		if err == nil || classify(err).kind != unsure {
			return nil, err
		}
		if unsureOf++; unsureOf < bringTries {
			return nil, err
		}
		b.cfg.Log.Warn("a file may not have arrived, and is not sent again", "chat", chat, "bytes", len(data), "error", err)
		b.say(chat, replyTo, message.Sentence("The file "+message.Cut(name, message.NameRoom)+" may not have arrived: Telegram did not confirm it, and nod does not send it again. If it is not here, have it sent once more."))
		return nil, nil
	}})
}
