package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// maxToast is Telegram's limit for what shows after a tap.
const maxToast = 200

// tapped reads the tap of a button. A supervisor's is always answered at once, or their phone shows
// a spinner.
func (b *Bot) tapped(ctx context.Context, id int, c *callback) error {
	if c.From == nil || c.From.IsBot {
		return nil
	}
	if !b.supervises(c.From.ID) {
		b.stranger(c.From)
		return nil
	}
	m := c.Message
	if m == nil || m.Chat == nil || m.Chat.Type != "private" || m.Chat.ID != c.From.ID {
		b.toast(ctx, c.ID, "Buttons work in your own chat with the bot only.")
		return nil
	}
	b.unblock(m.Chat.ID)
	p, ok := b.seal.open(c.Data, m.Chat.ID)
	if !ok {
		b.cfg.Log.Warn("a tap brought data that nod did not make", "user", c.From.ID, "message", m.ID)
		b.toast(ctx, c.ID, "This button is not valid. Nothing was typed.")
		return nil
	}
	said, err := b.press(ctx, id, c, p)
	if err != nil {
		said = "nod could not keep your answer, so nothing was typed yet. It tries again."
	}
	b.toast(ctx, c.ID, said)
	return err
}

// toast answers a callback query, beside everything else: it must not wait for a limit. That the
// answer comes too late is no failure.
func (b *Bot) toast(ctx context.Context, query, text string) {
	b.lines.Go(func() {
		p := tgbotapi.Params{"callback_query_id": query}
		p.AddNonEmpty("text", cut(text, maxToast))
		if err := b.api.call(ctx, sendLimit, "answerCallbackQuery", p, nil); err != nil && classify(err).kind != moot {
			b.cfg.Log.Debug("a tap could not be answered", "error", err)
		}
	})
}

// press does what a button asks for, and gives the words that show after the tap.
func (b *Bot) press(ctx context.Context, id int, c *callback, p press) (string, error) {
	chat, message := c.Message.Chat.ID, c.Message.ID
	n, ok, err := b.cfg.Keeper.Find(p.id)
	if err != nil {
		return "", fmt.Errorf("find nudge %s: %w", p.id, err)
	}
	if !ok {
		b.stripLater(chat, message)
		return "nod keeps no record of this question any more. Nothing was typed.", nil
	}
	v := newView(n, b.look())
	switch p.verb {
	case verbScreen:
		b.sendScreen(ctx, chat, message, n.Pane, v.title, n.Where)
		return "", nil
	case verbShow:
		b.unfold(chat, message, v)
		return "", nil
	case verbAgain:
		if n.State != nudge.Expired || !n.Standing {
			return "That question no longer stands, or was asked again already.", nil
		}
		if err := b.cfg.Keeper.AskAgain(p.id); err != nil {
			return "", fmt.Errorf("ask #%s again: %w", p.id, err)
		}
		return "It is asked again.", nil
	case verbSkip:
		return b.skip(chat, message, n)
	}
	return b.pressAnswer(id, c, p, n)
}

func (b *Bot) pressAnswer(id int, c *callback, p press, n nudge.Nudge) (string, error) {
	a := nudge.Answer{
		Nudge: p.id, Unseen: p.unseen, LeaveMode: p.leave, Sure: p.sure,
		By: personOf(c.From), Way: nudge.ByButton, Chat: c.Message.Chat.ID, Message: c.Message.ID, Update: id,
	}
	a.Read = time.Now()
	a.Written = a.Read
	stray := isReminder(c.Message) && !hasCopy(n, a.Chat, a.Message)
	if stray {
		a.ReplyTo = a.Message // its sending was cut off: the keeper learns of it, and closes it with the others
	}
	switch p.verb {
	case verbApprove:
		a.Decision = detect.Approve
	case verbDeny:
		a.Decision = detect.Deny
	case verbTell:
		last, err := b.givenLast(c.Message, n)
		if err != nil || !last {
			return "These are not the words that were given last. Nothing was typed.", err
		}
		a.Text = n.Claim.Text
	case verbChoose:
		if p.option >= len(n.Prompt.Options) {
			return "That option does not exist. Nothing was typed.", nil
		}
		a.Choice = &deliver.Choice{Index: p.option, Label: n.Prompt.Options[p.option].Label}
	}
	verdict, err := b.pressed(a, n)
	if err != nil {
		return "", err
	}
	if verdict.Kind == nudge.Taken && !stray && !hasCopy(verdict.Nudge, a.Chat, a.Message) {
		b.stripLater(a.Chat, a.Message) // a question of nod's that has its answer now
	}
	return toastFor(a, verdict, newView(n, b.look())), nil
}

// pressed hands the answer of a button to the keeper. Words that were refused for good, as those of /tell are,
// have no nudge any more that would take them.
func (b *Bot) pressed(a nudge.Answer, n nudge.Nudge) (nudge.Verdict, error) {
	if a.Text != "" && n.State == nudge.Refused && !n.Kind.Asks() {
		return b.tell(n.Pane, a)
	}
	return b.answer(a)
}

// givenLast reports whether a refusal, by the message that it replies to, is about the words that the nudge's agent
// was given last: a second tap must not give them twice.
func (b *Bot) givenLast(refusal *message, n nudge.Nudge) (bool, error) {
	if !instructed(n) || refusal.ReplyTo == nil || refusal.ReplyTo.ID != n.Claim.Message || n.Reason != deliver.CopyMode {
		return false, nil
	}
	all, err := b.cfg.Keeper.List(true)
	if err != nil {
		return false, fmt.Errorf("find what followed #%s: %w", n.ID, err)
	}
	return !slices.ContainsFunc(all, func(o nudge.Nudge) bool { return o.Pane == n.Pane && o.Number > n.Number }), nil
}

func toastFor(a nudge.Answer, v nudge.Verdict, w view) string {
	switch v.Kind {
	case nudge.Taken:
		return wishOf(a) + ": " + w.short()
	case nudge.AskUnseen, nudge.AskSure:
		return "Nothing was typed yet: please confirm."
	case nudge.Rejected:
		if v.Detail != "" {
			return "Nothing was typed. " + oneLine(w.chat.redact(v.Detail))
		}
		return "Nothing was typed. " + refusalSentence(v.Reason)
	case nudge.Repeated:
		return ""
	}
	return "Nothing was typed."
}

func wishOf(a nudge.Answer) string {
	switch {
	case a.Choice != nil:
		return "Answering"
	case a.Text != "":
		return "Telling"
	case a.Decision == detect.Deny:
		return "Denying"
	}
	return "Approving"
}

// isReminder reports whether a message has the form of a nudge's own: nod writes its third line, or the icon
// that it begins with.
func isReminder(m *message) bool {
	lines := strings.SplitN(m.Text, "\n", 4)
	if len(lines) < 3 || !idAtEnd.MatchString(lines[1]) {
		return false
	}
	return strings.HasPrefix(lines[2], "First detected ") ||
		slices.ContainsFunc(calmIcons, func(icon string) bool { return strings.HasPrefix(lines[0], icon) })
}

func (b *Bot) stripLater(chat int64, message int) {
	b.queue(chat, "take the buttons off", func(ctx context.Context) error { return b.strip(ctx, chat, message) })
}

// unfold turns a message with a short preview into the whole one.
func (b *Bot) unfold(chat int64, message int, v view) {
	switch {
	case v.State.Over():
		b.say(chat, message, v.endingLetter(chat, b.seal, time.Now()))
		return
	case !hasCopy(v.Nudge, chat, message):
		b.show(chat, message, v)
		return
	}
	b.queue(chat, "show #"+v.ID, func(ctx context.Context) error {
		l, hidden, err := b.wholeLetter(ctx, chat, v)
		if err != nil {
			return err
		}
		if err := b.edit(ctx, chat, message, l); err != nil {
			return err
		}
		b.owe(chat, shown(chat, sent{ID: message, Date: sentAt(v.Nudge, chat, message)}, v, hidden))
		return nil
	})
}

func sentAt(n nudge.Nudge, chat int64, message int) int64 {
	for _, c := range n.Copies {
		if c.Chat == chat && c.Message == message {
			return c.Sent.Unix()
		}
	}
	return time.Now().Unix()
}
