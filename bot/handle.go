package bot

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/deliver"
	"nod/detect"
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
		return b.replied(ctx, id, m, text)
	default:
		return b.fresh(id, m, text)
	}
	return nil
}

const howToAnswer = "That is no answer, so nothing was typed. Say y or n and nothing else; /help tells more."

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

// replied reads a reply. The replied-to message tells which nudge is meant: by nod's record, else by
// what nod itself wrote into it.
func (b *Bot) replied(ctx context.Context, id int, m *message, text string) error {
	about, err := b.about(m.Chat.ID, m.ReplyTo)
	if err != nil {
		return err
	}
	decision, named, ok := nudge.ParseWord(text, nudge.ByReply)
	if !ok {
		return b.repliedOther(ctx, id, m, text, about)
	}
	a := answerOf(id, m, nudge.ByReply)
	a.Decision = decision
	if isReminder(m.ReplyTo) {
		a.ReplyTo = m.ReplyTo.ID
	}
	switch {
	case named != "" && len(about) == 1 && about[0] != named:
		b.say(m.Chat.ID, m.ID, sentence(fmt.Sprintf(
			"You reply to #%s but name #%s. Nothing was typed. Reply to the one you mean.", about[0], named)))
		return nil
	case named != "":
		a.Nudge = named
	case len(about) == 1:
		a.Nudge = about[0]
	case len(about) > 1:
		return b.askAmong(a, about)
	default:
		b.say(m.Chat.ID, m.ID, sentence("The message that you reply to is no nudge. Nothing was typed. Reply to the nudge itself, or name it, as in y k3f."))
		return nil
	}
	_, err = b.answer(a)
	return err
}

// askAmong asks which one a bare word in reply to a message for several nudges means.
func (b *Bot) askAmong(a nudge.Answer, ids []string) error {
	v := nudge.Verdict{Kind: nudge.WhichOne}
	for _, id := range ids {
		n, ok, err := b.cfg.Keeper.Find(id)
		if err != nil {
			return fmt.Errorf("find nudge %s: %w", id, err)
		}
		if ok && !n.State.Over() {
			v.Among = append(v.Among, n)
		}
	}
	if len(v.Among) == 0 {
		v.Kind = nudge.NothingDue
	}
	b.explain(a, v)
	return nil
}

// about lists the nudges that a message of the chat is about.
func (b *Bot) about(chat int64, m *message) ([]string, error) {
	if m.elsewhere() || m.forwarded() {
		return nil, nil
	}
	n, ok, err := b.shownBy(chat, m.ID)
	if err != nil || ok {
		return []string{n.ID}, err
	}
	if m.From == nil || m.From.ID != b.me().ID {
		return nil, nil
	}
	return b.writtenAbout(chat, m), nil
}

// idAtEnd is how nod ends the second line of what it writes about one nudge.
var idAtEnd = regexp.MustCompile(`(?:^| · )#([0-9a-z]{3,12})$`)

// writtenAbout reads the nudges out of a message that nod has written: from the data of its buttons,
// which nobody else can make, else from the end of its second line, where no foreign text stands.
func (b *Bot) writtenAbout(chat int64, m *message) []string {
	var ids []string
	seen := map[string]bool{}
	if m.Keyboard != nil {
		for _, row := range m.Keyboard.InlineKeyboard {
			for _, button := range row {
				if button.CallbackData == nil {
					continue
				}
				if p, ok := b.seal.open(*button.CallbackData, chat); ok && !seen[p.id] {
					seen[p.id] = true
					ids = append(ids, p.id)
				}
			}
		}
	}
	if len(ids) > 0 {
		return ids
	}
	lines := strings.SplitN(m.Text, "\n", 3)
	if len(lines) < 2 {
		return nil
	}
	if found := idAtEnd.FindStringSubmatch(lines[1]); found != nil {
		return []string{found[1]}
	}
	return nil
}

// repliedOther reads a reply that is neither y nor n: a number or words for a question.
func (b *Bot) repliedOther(ctx context.Context, id int, m *message, text string, about []string) error {
	if len(about) != 1 || text == "" {
		b.say(m.Chat.ID, m.ID, sentence(howToAnswer))
		return nil
	}
	n, ok, err := b.cfg.Keeper.Find(about[0])
	if err != nil {
		return fmt.Errorf("find nudge %s: %w", about[0], err)
	}
	switch {
	case !ok || n.Kind != detect.Question:
		b.say(m.Chat.ID, m.ID, sentence(howToAnswer))
		return nil
	case n.State.Over():
		b.sayRejected(answerOf(id, m, nudge.ByReply), nudge.Verdict{Nudge: n, Reason: deliver.Answered}, b.look())
		return nil
	}
	v := newView(n, b.look())
	if i, err := strconv.Atoi(strings.Trim(text, ".)# ")); err == nil {
		return b.chooseNumber(id, m, v, i)
	}
	if !n.Prompt.TextField {
		b.say(m.Chat.ID, m.ID, sentence("That question takes no words here. Nothing was typed. Reply with the number of an option, or tap it."))
		return nil
	}
	return b.tellPane(ctx, id, m, n.Pane, v.title, text)
}

func (b *Bot) chooseNumber(id int, m *message, v view, number int) error {
	for i := range v.labels {
		if v.number(i) == strconv.Itoa(number) {
			a := answerOf(id, m, nudge.ByReply)
			a.Nudge = v.ID
			a.Choice = &deliver.Choice{Index: i, Label: v.Prompt.Options[i].Label}
			_, err := b.answer(a)
			return err
		}
	}
	b.say(m.Chat.ID, m.ID, sentence(fmt.Sprintf("There is no option %d. Nothing was typed.", number)))
	return nil
}

// shownBy finds the nudge that a message shows by nod's record.
func (b *Bot) shownBy(chat int64, message int) (nudge.Nudge, bool, error) {
	all, err := b.cfg.Keeper.List(true)
	if err != nil {
		return nudge.Nudge{}, false, fmt.Errorf("find the nudge of message %d: %w", message, err)
	}
	for _, n := range all {
		if hasCopy(n, chat, message) {
			return n, true, nil
		}
	}
	return nudge.Nudge{}, false, nil
}

func hasCopy(n nudge.Nudge, chat int64, message int) bool {
	for _, c := range n.Copies {
		if c.Chat == chat && c.Message == message {
			return true
		}
	}
	return false
}
