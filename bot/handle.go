package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/bot/message"
	"nod/nudge"
	"nod/store"
)

// handle carries out one update. An error means that the update must come again.
func (b *Bot) handle(ctx context.Context, u update) error {
	switch {
	case u.Callback != nil:
		return b.tapped(ctx, u.ID, u.Callback)
	case u.Member != nil:
		b.memberChanged(u.Member)
		return nil
	case u.Edited != nil:
		return b.edited(u.Edited)
	case u.Message != nil && given(u.Message.Pinned):
		return b.takePinNews(ctx, u.Message)
	case u.Message != nil:
		return b.readMessage(ctx, u.ID, u.Message)
	}
	return nil
}

// admitted reports whether m is a message that nod reads: from somebody who gets messages, in their own chat
// with the bot, or from a supervisor in the common group. Everybody else gets no answer at all.
func (b *Bot) admitted(m *incoming) bool {
	switch {
	case m == nil || m.From == nil || m.Chat == nil:
		return false
	case !b.supervises(m.From.ID) && !b.watches(m.From.ID):
		b.ignore(m.From)
		return false
	}
	if b.shared(m.Chat) {
		if !b.supervises(m.From.ID) {
			b.ignore(m.From)
			return false
		}
		return m.own()
	}
	return m.own() && m.private()
}

// shared reports whether a chat is the common group.
func (b *Bot) shared(c *tgbotapi.Chat) bool {
	chat := b.settings().Chat
	return chat != 0 && c.ID == chat
}

// ignore logs a user who is no supervisor, once.
func (b *Bot) ignore(who *tgbotapi.User) {
	const remembered = 1000 // the maximum that is logged: whoever writes to the bot must fill neither memory nor the log
	b.mu.Lock()
	known := b.ignored[who.ID] || len(b.ignored) >= remembered
	if !known {
		b.ignored[who.ID] = true
	}
	b.mu.Unlock()
	if !known {
		b.cfg.Log.Info("somebody who is not a supervisor wrote to the bot; they get no answer", "user", who.ID)
	}
}

// memberChanged records that a supervisor has blocked the bot or come back, or that the bot left or joined
// the group.
func (b *Bot) memberChanged(m *memberChange) {
	if b.shared(&m.Chat) {
		switch m.New.Status {
		case "member", "administrator":
			b.unblock(m.Chat.ID)
		case "left", "kicked":
			b.block(m.Chat.ID, "the bot was removed from it")
		}
		return
	}
	if m.Chat.Type != "private" || !b.supervises(m.From.ID) && !b.watches(m.From.ID) {
		return
	}
	switch m.New.Status {
	case "member":
		b.unblock(m.Chat.ID)
	case "kicked":
		b.block(m.Chat.ID, "they blocked the bot")
	}
}

// edited answers the edit of an answer, or an edit that looks like one: only the first version of a message
// counts.
func (b *Bot) edited(m *incoming) error {
	if !b.admitted(m) || b.shared(m.Chat) || b.watches(m.From.ID) {
		return nil
	}
	b.threads.note(m)
	counted := false
	err := b.cfg.Store.View(func(tx *store.Tx) error {
		counted = tx.Handled(nudge.Ref{Place: message.Place(m.Chat.ID), Message: m.ID})
		return nil
	})
	switch {
	case err != nil:
		return fmt.Errorf("check whether the edited message was an answer: %w", err)
	case counted:
		b.say(m.Chat.ID, m.ID, message.Sentence("nod reads a message as it was first sent, and ignores edits. If you meant something else, send a new message."))
	case looksLikeAnswer(m.Text):
		b.say(m.Chat.ID, m.ID, message.Sentence("nod ignores edited messages. Nothing was typed. Send y or n as a new message."))
	}
	return nil
}

func looksLikeAnswer(text string) bool {
	if _, _, ok := nudge.ParseWord(text, nudge.ByReply); ok {
		return true
	}
	return nudge.NearMiss(text)
}

// readMessage reads a message to the bot.
func (b *Bot) readMessage(ctx context.Context, id int, m *incoming) error {
	if !b.admitted(m) {
		return nil
	}
	b.unblock(m.Chat.ID)
	b.threads.note(m)
	text := strings.TrimSpace(m.Text)
	if b.shared(m.Chat) && !b.meansNod(m, text) {
		return nil
	}
	if b.watches(m.From.ID) {
		return b.watcherSays(ctx, id, m, text)
	}
	switch {
	case m.forwarded():
		if looksLikeAnswer(text) {
			b.say(m.Chat.ID, m.ID, message.Sentence("nod ignores forwarded messages. Nothing was typed."))
		}
	case m.elsewhere():
		b.say(m.Chat.ID, m.ID, message.Sentence("That is a reply to a message outside this chat. Nothing was typed. Reply to the question here."))
	case m.file() != nil, m.Voice != nil:
		return b.attached(m)
	case strings.HasPrefix(text, "/"):
		return b.command(ctx, id, m, text)
	default:
		return b.read(id, m, text)
	}
	return nil
}

// read reads a supervisor's words that are no command: as a reply, as words in a topic, or as a fresh
// message.
func (b *Bot) read(id int, m *incoming, text string) error {
	if m.ReplyTo != nil {
		return b.replied(id, m, text)
	}
	topic, found, err := b.topicAt(m.Chat.ID, m.topic())
	switch {
	case err != nil:
		return fmt.Errorf("find a topic: %w", err)
	case found:
		return b.inTopic(id, m, text, topic)
	case !b.shared(m.Chat): // words in the group are not for nod
		return b.fresh(id, m, text)
	}
	return nil
}

// meansNod reports whether a supervisor's message in the group is for nod: people talk to one another there.
func (b *Bot) meansNod(m *incoming, text string) bool {
	switch {
	case m.forwarded(), m.elsewhere():
		return false
	case m.ReplyTo != nil:
		return m.ReplyTo.From != nil && m.ReplyTo.From.ID == b.self.ID
	case strings.HasPrefix(text, "/"):
		name, _, addressed := strings.Cut(strings.ToLower(firstWord(text)[1:]), "@")
		_, topical, _ := b.topicAt(m.Chat.ID, m.topic()) // if that can't be read, the words can't be passed on either
		return addressed || topical || slices.ContainsFunc(chatCommands(), func(c chatCommand) bool { return c.name == name })
	}
	return true
}

// watcherCommands are the commands that change nothing and type nothing.
var watcherCommands = []string{"start", "help", "status", "queue", "screen", "log"}

// watcherSays reads a message of somebody who only watches. They may use the commands that show the state.
func (b *Bot) watcherSays(ctx context.Context, id int, m *incoming, text string) error {
	name, _, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(firstWord(text)), "/"), "@")
	if strings.HasPrefix(text, "/") && slices.Contains(watcherCommands, name) {
		return b.command(ctx, id, m, text)
	}
	if text != "" {
		b.say(m.Chat.ID, m.ID, message.Sentence("You get the messages, but only supervisors may answer. Nothing was typed. /status, /queue and /screen show what is going on."))
	}
	return nil
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.ReplaceAll(text, "\n", " "), " ")
	return word
}

// fresh reads a message that replies to nothing.
func (b *Bot) fresh(id int, m *incoming, text string) error {
	if text == "" {
		if given(m.Sticker) { // as a thumb that is meant as an answer
			b.say(m.Chat.ID, m.ID, message.NotUnderstood())
		}
		return nil
	}
	a := answerOf(id, m, nudge.ByFresh)
	if decision, named, ok := nudge.ParseWord(text, nudge.ByFresh); ok {
		a.Decision, a.Nudge = decision, named
	} else {
		a.Text = text
	}
	if a.Nudge == "" {
		if why := b.meansNothingAlone(m); why != "" {
			b.say(m.Chat.ID, m.ID, message.Sentence(why+" Nothing was typed. Reply to the question itself, or use its buttons."))
			return nil
		}
	}
	_, err := b.answer(a)
	return err
}

// meansNothingAlone returns why a message that replies to nothing can't be matched to a question by its time;
// empty: it can.
func (b *Bot) meansNothingAlone(m *incoming) string {
	switch {
	case m.Implicit:
		return "That was sent by itself, as a scheduled message is, so nod can't know what it answers."
	case b.contest.holds(time.Now()):
		return "Another program, perhaps a second nod, reads what is written to this bot, or did today, so nod can't know whose question that answers."
	}
	return ""
}

func answerOf(id int, m *incoming, way nudge.Way) nudge.Answer {
	return nudge.Answer{
		By: personOf(m.From), Way: way, Ref: nudge.Ref{Place: message.Place(m.Chat.ID), Message: m.ID, Topic: m.topic(), Update: id},
		Written: m.written(), Read: time.Now(),
	}
}

func personOf(u *tgbotapi.User) nudge.Person {
	name := message.Cut(message.OneLine(strings.TrimSpace(u.FirstName+" "+u.LastName)), 60)
	if name == "" {
		name = message.OneLine(u.UserName)
	}
	return nudge.Person{ID: message.Place(u.ID), Name: name}
}
