package bot

import (
	"context"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/nudge"
)

// handle does what one update asks for. An error means that it must come again.
func (b *Bot) handle(ctx context.Context, u update) error {
	switch {
	case u.Callback != nil:
		return b.tapped(ctx, u.ID, u.Callback)
	case u.Member != nil:
		b.memberChanged(u.Member)
		return nil
	case u.Edited != nil:
		b.edited(u.Edited)
		return nil
	case u.Message != nil:
		return b.heard(ctx, u.ID, u.Message)
	}
	return nil
}

// admitted reports whether m is the own word of a supervisor in their chat with the bot. Everybody
// else gets no answer at all.
func (b *Bot) admitted(m *message) bool {
	switch {
	case m == nil || m.From == nil || m.Chat == nil:
		return false
	case !b.supervises(m.From.ID):
		b.stranger(m.From)
		return false
	}
	return m.own() && m.private()
}

// stranger logs somebody who is no supervisor, once.
func (b *Bot) stranger(who *tgbotapi.User) {
	const remembered = 1000 // then the log is told no more: strangers must cost nothing
	b.mu.Lock()
	known := b.strangers[who.ID] || len(b.strangers) >= remembered
	if !known {
		b.strangers[who.ID] = true
	}
	b.mu.Unlock()
	if !known {
		b.cfg.Log.Info("somebody who is no supervisor writes to the bot; they get no answer", "user", who.ID)
	}
}

// memberChanged notes that a supervisor has blocked the bot or come back.
func (b *Bot) memberChanged(m *memberChange) {
	if m.Chat.Type != "private" || !b.supervises(m.From.ID) {
		return
	}
	switch m.New.Status {
	case "member":
		b.unblock(m.Chat.ID)
	case "kicked":
		b.block(m.Chat.ID, "they blocked the bot")
	}
}

// edited answers an edit that looks like an answer: only what was sent first counts.
func (b *Bot) edited(m *message) {
	if b.admitted(m) && looksLikeAnswer(m.Text) {
		b.say(m.Chat.ID, m.ID, sentence("An edited message never counts as an answer. Nothing was typed. Write y or n anew."))
	}
}

func looksLikeAnswer(text string) bool {
	if _, _, ok := nudge.ParseWord(text, nudge.ByReply); ok {
		return true
	}
	return nudge.NearMiss(text)
}

// heard reads a message to the bot.
func (b *Bot) heard(ctx context.Context, id int, m *message) error {
	if !b.admitted(m) {
		return nil
	}
	b.unblock(m.Chat.ID)
	text := strings.TrimSpace(m.Text)
	switch {
	case m.forwarded():
		if looksLikeAnswer(text) {
			b.say(m.Chat.ID, m.ID, sentence("A forwarded message never counts as an answer. Nothing was typed."))
		}
	case m.elsewhere():
		b.say(m.Chat.ID, m.ID, sentence("That replies to something outside this chat. Nothing was typed. Reply to the nudge here."))
	case strings.HasPrefix(text, "/"):
		return b.command(ctx, id, m, text)
	case m.ReplyTo != nil:
		return b.replied(id, m, text)
	default:
		return b.fresh(id, m, text)
	}
	return nil
}

const howToAnswer = "That is no answer, so nothing was typed. Say y or n and nothing else; " +
	"to give an agent words, reply to the message that says it is done, or use /tell."

// fresh reads a message that replies to nothing.
func (b *Bot) fresh(id int, m *message, text string) error {
	decision, named, ok := nudge.ParseWord(text, nudge.ByFresh)
	if !ok {
		if text != "" {
			b.say(m.Chat.ID, m.ID, sentence(howToAnswer))
		}
		return nil
	}
	a := answerOf(id, m, nudge.ByFresh)
	a.Decision, a.Nudge = decision, named
	_, err := b.answer(a)
	return err
}

func answerOf(id int, m *message, way nudge.Way) nudge.Answer {
	return nudge.Answer{
		By: personOf(m.From), Way: way, Chat: m.Chat.ID, Message: m.ID, Update: id,
		Written: m.written(), Read: time.Now(),
	}
}

func personOf(u *tgbotapi.User) nudge.Person {
	name := cut(oneLine(strings.TrimSpace(u.FirstName+" "+u.LastName)), 60)
	if name == "" {
		name = oneLine(u.UserName)
	}
	return nudge.Person{ID: u.ID, Name: name}
}
