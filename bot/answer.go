package bot

import (
	"context"
	"fmt"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

// maxAmong is how many nudges a question which one is meant lists.
const maxAmong = 8

// answer hands a to the keeper and tells its writer what the verdict says. The outcome of an answer
// that was taken follows as a notice.
func (b *Bot) answer(a nudge.Answer) (nudge.Verdict, error) {
	v, err := b.cfg.Keeper.Answer(a)
	if err != nil {
		return v, fmt.Errorf("take an answer: %w", err)
	}
	b.explain(a, v)
	return v, nil
}

// explain says what a verdict means, where the human must hear of it now.
func (b *Bot) explain(a nudge.Answer, v nudge.Verdict) {
	look := b.look()
	switch v.Kind {
	case nudge.WhichOne:
		b.askWhich(a, v, look)
	case nudge.AskUnseen:
		b.askUnseen(a, newView(v.Nudge, look))
	case nudge.AskSure:
		b.askSure(a, newView(v.Nudge, look))
	case nudge.Rejected:
		b.sayRejected(a, v, look)
	case nudge.NothingDue:
		b.say(a.Chat, a.Message, sentence("No agent waits for an answer. Nothing was typed."))
	}
}

// sentence is a letter of nod's own words.
func sentence(text string) letter {
	var l letter
	l.page.text(text)
	return l
}

// say queues a message in reply to another.
func (b *Bot) say(chat int64, replyTo int, l letter) { b.sayThen(chat, replyTo, l, nil) }

// sayThen queues a message, and lets the keeper know of it by the receipt that then makes.
func (b *Bot) sayThen(chat int64, replyTo int, l letter, then func(sent) nudge.Receipt) {
	l.replyTo = replyTo
	b.queue(chat, cut(oneLine(l.page.plain), 40), func(ctx context.Context) error {
		m, err := b.send(ctx, chat, l)
		if err == nil && then != nil {
			b.owe(chat, then(m))
		}
		return err
	})
}

// owe leaves a receipt for the lane to write. Only the lane's own work calls it.
func (b *Bot) owe(chat int64, r nudge.Receipt) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.lane(chat)
	l.told = append(l.told, r)
}

// pressOf is the button that gives a again.
func pressOf(a nudge.Answer, id string) press {
	p := press{verb: verbApprove, id: id, leave: a.LeaveMode, unseen: a.Unseen, sure: a.Sure}
	switch {
	case a.Choice != nil:
		p.verb, p.option = verbChoose, a.Choice.Index
	case a.Decision == detect.Deny:
		p.verb = verbDeny
	}
	return p
}

func (b *Bot) askWhich(a nudge.Answer, v nudge.Verdict, look look) {
	word := "y"
	if a.Decision == detect.Deny {
		word = "n"
	}
	var l letter
	l.page.text("Which one is meant? Nothing was typed.").line()
	for i, n := range v.Among {
		if i == maxAmong {
			l.page.line().text(fmt.Sprintf("… and %d more: see /queue", len(v.Among)-i))
			break
		}
		w := newView(n, look)
		l.page.line().text(fmt.Sprintf("#%s ", n.ID)).text(w.short())
		label := cut(fmt.Sprintf("%s → #%s %s", word, n.ID, w.short()), 60)
		l.keys = append(l.keys, []tgbotapi.InlineKeyboardButton{b.seal.press(label, pressOf(a, n.ID), a.Chat)})
	}
	b.sayThen(a.Chat, a.Message, l, several(a.Chat))
}

// several is the receipt for a message about more than one nudge.
func several(chat int64) func(sent) nudge.Receipt {
	return func(m sent) nudge.Receipt {
		return nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several, Chat: chat}, Message: m.ID, Sent: m.at()}
	}
}

// askUnseen asks for consent to what can't be seen. Where only the short preview hides it, it is
// shown instead.
func (b *Bot) askUnseen(a nudge.Answer, v view) {
	if v.chat.minimal && !v.Prompt.Partial && !v.masked {
		b.show(a.Chat, a.Message, v)
		return
	}
	p := pressOf(a, v.ID)
	p.unseen = true
	v.chat.minimal = false // they asked
	l := letter{keys: keys{{b.seal.press("⚠ Approve what can't be seen", p, a.Chat)}}}
	v.about(&l.page, "⚠ ", "Seen only in part: ")
	why := "A part of what is asked can't be seen from here."
	if v.masked && !v.Prompt.Partial {
		why = "A secret in what is asked is masked and stands in no message."
	}
	l.page.line().text(why + " Nothing was typed. Look at the screen, or approve it unseen:")
	b.sayThen(a.Chat, a.Message, l, func(m sent) nudge.Receipt {
		n := nudge.Notice{Kind: nudge.Consent, Chat: a.Chat, Nudge: v.Nudge}
		return nudge.Receipt{Notice: n, Message: m.ID, Sent: m.at()}
	})
}

// show sends the whole message of a nudge whose preview was kept short.
func (b *Bot) show(chat int64, replyTo int, v view) {
	b.queue(chat, "show #"+v.ID, func(ctx context.Context) error {
		l, hidden, err := b.wholeLetter(ctx, chat, v)
		if err != nil {
			return err
		}
		l.replyTo = replyTo
		m, err := b.send(ctx, chat, l)
		if err == nil {
			b.owe(chat, shown(chat, m, v, hidden))
		}
		return err
	})
}

// wholeLetter is a nudge's message as it is without a short preview, its file sent.
func (b *Bot) wholeLetter(ctx context.Context, chat int64, v view) (l letter, hidden bool, err error) {
	v.chat.minimal = false
	return b.withFile(ctx, chat, v, v.fullLetter(chat, b.seal, time.Now(), seenIn(v.Nudge, chat)))
}

// shown is the receipt that lifts what a short preview hid.
func shown(chat int64, m sent, v view, hidden bool) nudge.Receipt {
	n := nudge.Notice{Kind: nudge.Send, Chat: chat, Nudge: v.Nudge}
	return nudge.Receipt{Notice: n, Message: m.ID, Sent: m.at(), Hidden: hidden}
}

func (b *Bot) askSure(a nudge.Answer, v view) {
	p := pressOf(a, v.ID)
	p.sure = true
	v.chat.minimal = false // they asked
	var l letter
	v.about(&l.page, "⚠ ", "Grants more than this once: ")
	if p.verb == verbChoose && p.option < len(v.labels) {
		label := v.labels[p.option]
		l.page.line().bold(label).line()
		if g := grants(v.Prompt.Options[p.option].Scope); g != "" {
			l.page.text("It holds beyond this once: " + g + ". ")
		}
		l.keys = keys{{b.seal.press(cut("Yes: "+label, 60), p, a.Chat)}}
	}
	l.page.text("Nothing was typed. Tap to confirm:")
	b.say(a.Chat, a.Message, l)
}

func (b *Bot) sayRejected(a nudge.Answer, v nudge.Verdict, look look) {
	detail := oneLine(look.redact(v.Detail))
	if detail == "" {
		detail = refusalSentence(v.Reason)
	}
	if v.Nudge.ID == "" {
		b.say(a.Chat, a.Message, sentence("🚫 "+detail+" Nothing was typed."))
		return
	}
	w := newView(v.Nudge, look)
	l := letter{}
	w.about(&l.page, "🚫 ", "Nothing was typed: ")
	l.page.line().text(detail)
	switch {
	case v.Reason == deliver.Expired && v.Nudge.Standing:
		l.keys = keys{{b.seal.button("🔁 Ask again", verbAgain, v.Nudge.ID, a.Chat)}}
	case v.Nudge.Kind == detect.Question && !v.Nudge.State.Over():
		l.keys = w.buttons(a.Chat, b.seal)
	}
	b.say(a.Chat, a.Message, l)
}
