package bot

import (
	"context"
	"fmt"
	"time"

	"nod/detect"
	"nod/nudge"
)

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

// tell hands words for the agent of a pane to the keeper, as answer does with what means a nudge.
func (b *Bot) tell(pane detect.PaneRef, a nudge.Answer) (nudge.Verdict, error) {
	v, err := b.cfg.Keeper.Tell(pane, a)
	if err != nil {
		return v, fmt.Errorf("take words for %s: %w", pane.ID, err)
	}
	b.explain(a, v)
	return v, nil
}

// explain says what a verdict means, where the human must hear of it now.
func (b *Bot) explain(a nudge.Answer, v nudge.Verdict) {
	look := b.look()
	switch v.Kind {
	case nudge.WhichOne:
		b.sayThen(a.Chat, a.Message, whichLetter(a, v.Among, look, b.seal), several(a.Chat))
	case nudge.AskUnseen:
		b.askUnseen(a, newView(v.Nudge, look))
	case nudge.AskSure:
		b.say(a.Chat, a.Message, newView(v.Nudge, look).sureLetter(a, b.seal))
	case nudge.Rejected:
		b.say(a.Chat, a.Message, rejectedLetter(a, v, look, b.seal))
	case nudge.NothingDue:
		b.say(a.Chat, a.Message, sentence("Nothing waits for a yes or no now, so nothing was typed. /queue lists what waits."))
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
	b.sayThen(a.Chat, a.Message, v.unseenLetter(a, b.seal), func(m sent) nudge.Receipt {
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
	return b.withFile(ctx, chat, v, v.letter(chat, b.seal, time.Now(), seenIn(v.Nudge, chat)))
}

// shown is the receipt that lifts what a short preview hid.
func shown(chat int64, m sent, v view, hidden bool) nudge.Receipt {
	n := nudge.Notice{Kind: nudge.Send, Chat: chat, Nudge: v.Nudge}
	return nudge.Receipt{Notice: n, Message: m.ID, Sent: m.at(), Hidden: hidden}
}
