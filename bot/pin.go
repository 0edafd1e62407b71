package bot

import (
	"context"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
	"nod/nudge"
	"nod/store"
)

// pin puts a message into the bar at the top of its chat. That it may be there is noted before, so that it goes from there
// though nod should end meanwhile. A group hears it where the message itself would ring; a private chat never does.
func (s *sender) pin(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	r := nudge.Receipt{Notice: n, Pinned: nudge.PinAsked}
	if n.Copy.Pin != nudge.PinAsked {
		if err := s.bot.cfg.Keeper.Told(r); err != nil {
			return r, err
		}
	}
	p := s.messageAt(n.Copy.Message)
	p.AddBool("disable_notification", s.id > 0 || n.Silent || s.bot.hushed(*n.Nudge()))
	err := unlessMoot(s.call(ctx, true, "pinChatMessage", p, nil))
	r.Pinned = nudge.Pinned
	switch {
	case err == nil:
		s.noteKnown(store.Pinless, false)
	case refusesPins(err):
		s.bot.cfg.Log.Warn("a message can't be pinned", "chat", s.id, "message", n.Copy.Message, "error", err)
		if s.noteKnown(store.Pinless, true) {
			s.bot.say(s.id, 0, message.Sentence("What waits can't be pinned here: "+pinAdvice(err)+" Everything else works as before."))
		}
		r.Pinned, err = nudge.PinRefused, nil
	}
	return r, err
}

// unpin takes a message out of the bar. One that Telegram does not let go stays, and is not tried again.
func (s *sender) unpin(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	err := unlessMoot(s.call(ctx, true, "unpinChatMessage", s.messageAt(n.Copy.Message), nil))
	if refusesPins(err) {
		s.bot.cfg.Log.Warn("a message can't be unpinned", "chat", s.id, "message", n.Copy.Message, "error", err)
		err = nil
	}
	return nudge.Receipt{Notice: n}, err
}

// refusesPins reports whether Telegram will pin nothing here. Whether nobody is there at all the next message tells.
func refusesPins(err error) bool {
	f := classify(err)
	return err != nil && (f.refused() || f.kind == goneChat)
}

// pinAdvice is the next step where a chat lets nod pin nothing, as the end of a sentence.
func pinAdvice(err error) string {
	if holds(strings.ToLower(err.Error()), "not enough rights", "chat_admin_required") {
		return "make the bot an administrator of this group who may pin messages, or set NOD_PIN=off."
	}
	return "Telegram refuses it."
}

// newsPause is how long it is waited where Telegram does not take its news of a pin back at once.
const newsPause = time.Second

// takePinNews takes back what Telegram says in the chat of a pin of nod's. A pin of anybody's is no word to nod. Where nod ends
// meanwhile the update comes again. Where Telegram fails twice other updates go on, and the news stays if nod ends before it is gone.
func (b *Bot) takePinNews(ctx context.Context, m *incoming) error {
	ours := m.Chat != nil && (slices.Contains(b.audience(), m.Chat.ID) || b.supervises(m.Chat.ID))
	if !ours || m.From == nil || m.From.ID != b.me().ID {
		return nil
	}
	for range 2 {
		if unlessMoot(b.api.call(ctx, sendLimit, "deleteMessage", b.sender(m.Chat.ID).messageAt(m.ID), nil)) == nil {
			return nil
		}
		if sleep(ctx, newsPause); ctx.Err() != nil {
			return ctx.Err()
		}
	}
	b.queue(m.Chat.ID, job{what: "news of a pin", edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		err := unlessMoot(s.call(ctx, true, "deleteMessage", s.messageAt(m.ID), nil))
		if classify(err).refused() {
			b.cfg.Log.Debug("the news of a pin stays", "chat", s.id, "error", err)
			err = nil
		}
		return nil, err
	}})
	return nil
}
