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

// pin pins a message in its chat. That it may be pinned is stored first, so that it can be unpinned even if
// nod ends meanwhile. In a group the pin makes a sound if the message itself would; in a private chat never.
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

// unpin unpins a message. If Telegram refuses, the pin stays and is not tried again.
func (s *sender) unpin(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	err := unlessMoot(s.call(ctx, true, "unpinChatMessage", s.messageAt(n.Copy.Message), nil))
	if refusesPins(err) {
		s.bot.cfg.Log.Warn("a message can't be unpinned", "chat", s.id, "message", n.Copy.Message, "error", err)
		err = nil
	}
	return nudge.Receipt{Notice: n}, err
}

// refusesPins reports whether Telegram refuses to pin anything here. If nobody can be written to at all, the
// next message finds out.
func refusesPins(err error) bool {
	f := classify(err)
	return err != nil && (f.refused() || f.kind == goneChat)
}

// pinAdvice returns the next step if a chat lets nod pin nothing, as the end of a sentence.
func pinAdvice(err error) string {
	if holds(strings.ToLower(err.Error()), "not enough rights", "chat_admin_required") {
		return "make the bot an administrator of this group who may pin messages, or set NOD_PIN=off."
	}
	return "Telegram refuses it."
}

// newsPause is the wait before the second try to delete Telegram's message about a pin.
const newsPause = time.Second

// takePinNews deletes the message that Telegram puts into the chat about a pin of nod. A pin by anybody is
// never input for nod. If nod ends meanwhile the update comes again. If Telegram fails twice, other updates
// go on, and the message stays if nod ends before it is deleted.
func (b *Bot) takePinNews(ctx context.Context, m *incoming) error {
	ours := m.Chat != nil && (slices.Contains(b.audience(), m.Chat.ID) || b.supervises(m.Chat.ID))
	if !ours || m.From == nil || m.From.ID != b.self.ID {
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
			b.cfg.Log.Debug("can't delete Telegram's message about a pin", "chat", s.id, "error", err)
			err = nil
		}
		return nil, err
	}})
	return nil
}
