package bot

import (
	"context"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// say queues a message in reply to another.
func (b *Bot) say(chat int64, replyTo int, out message.Outgoing) { b.sayThen(chat, replyTo, out, nil) }

// sayThen queues a message and reports it to the keeper with the receipt from then.
func (b *Bot) sayThen(chat int64, replyTo int, out message.Outgoing, then func(sent) nudge.Receipt) {
	out.ReplyTo = replyTo
	b.queue(chat, job{what: message.Cut(message.OneLine(out.Page.Plain), 40), do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		m, err := s.send(ctx, out)
		if err != nil || then == nil {
			return nil, err
		}
		receipt := then(m)
		return &receipt, nil
	}})
}

// Announce sends everybody a sentence.
func (b *Bot) Announce(text string) {
	for _, chat := range b.audience() {
		b.say(chat, 0, message.Sentence(message.Cut(message.OneLine(b.style().Redact(text)), message.SentenceRoom)))
	}
}

// queue adds a job to the chat that does not come from records.
func (b *Bot) queue(chat int64, j job) {
	s := b.sender(chat)
	s.answers.put(&j)
	s.wakeUp()
}

// severalReceipt returns the receipt for a message about more than one nudge.
func severalReceipt(chat int64) func(sent) nudge.Receipt {
	return func(m sent) nudge.Receipt {
		return nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several, Place: message.Place(chat)}, Message: m.ID, Topic: m.topic(), Sent: m.at()}
	}
}

// receiptOf returns the receipt for a bot message whose buttons are about these nudges.
func (b *Bot) receiptOf(chat int64, kind nudge.NoticeKind, buttons nudge.Offer, nudges []nudge.Nudge) func(sent) nudge.Receipt {
	return func(m sent) nudge.Receipt {
		r := severalReceipt(chat)(m)
		r.Notice.Kind, r.Notice.Watch, r.Offer = kind, b.watches(chat), buttons
		for _, n := range nudges {
			r.Parts = append(r.Parts, nudge.Part{Nudge: n})
		}
		return r
	}
}

// ask sends a further question about the subject of a message. The keeper gets to know its buttons, so that
// they are removed with the subject.
func (b *Bot) ask(chat int64, replyTo int, kind nudge.NoticeKind, of nudge.Of, out message.Outgoing) {
	b.sayThen(chat, replyTo, out, func(m sent) nudge.Receipt {
		n := nudge.Notice{Kind: kind, Place: message.Place(chat), Of: of}
		return nudge.Receipt{Notice: n, Message: m.ID, Topic: m.topic(), Sent: m.at()}
	})
}

// showWhole replaces a short preview by the whole message.
func (b *Bot) showWhole(chat int64, number int, what string, whole func(message.Style) message.Outgoing) {
	style := b.style()
	style.Minimal = false
	b.queue(chat, job{what: "show " + what, edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		_, err := s.edit(ctx, number, whole(style))
		return nil, err
	}})
}

// sayOf is say for a bot message about a nudge. The keeper gets to know its buttons, so that they are removed
// with the nudge.
func (b *Bot) sayOf(chat int64, replyTo int, out message.Outgoing, n nudge.Nudge) {
	var then func(sent) nudge.Receipt
	if buttons := offerOf(out, n); buttons != "" {
		then = b.receiptOf(chat, nudge.Listed, buttons, []nudge.Nudge{n})
	}
	b.sayThen(chat, replyTo, out, then)
}

// offerOf returns the kind of buttons in a bot message about a nudge; empty: it has none to remove later.
func offerOf(out message.Outgoing, n nudge.Nudge) nudge.Offer {
	switch {
	case len(out.Keys) == 0:
		return ""
	case !n.State.Over():
		return nudge.OfferOne
	case n.Standing:
		return nudge.OfferExpired
	case n.Claim != nil && n.CanRepeat(n.Claim.Stamp()):
		return nudge.OfferWords
	}
	return ""
}

// show sends the whole message of a nudge with a short preview.
func (b *Bot) show(chat int64, replyTo int, r message.Renderer) {
	b.queue(chat, job{what: "show #" + r.ID, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		out, hidden, err := s.wholeMessage(ctx, r, replyTo)
		if err != nil {
			return nil, err
		}
		out.ReplyTo = replyTo
		m, err := s.send(ctx, out)
		if err != nil {
			return nil, err
		}
		return shownReceipt(s.id, m, r, hidden || m.short), nil
	}})
}

// wholeMessage returns a nudge's message without a short preview. It sends the message's file to the topic of
// the message beside.
func (s *sender) wholeMessage(ctx context.Context, r message.Renderer, beside int) (out message.Outgoing, hidden bool, err error) {
	r.Style.Minimal = false
	out = r.Message(s.id, s.bot.seal, time.Now(), seenIn(r.Nudge, s.id))
	out.Topic = s.bot.threads.of(s.id, beside)
	return s.withFile(ctx, r, out)
}

// shownReceipt returns the receipt for a message that shows what a short preview hid.
func shownReceipt(chat int64, m sent, r message.Renderer, hidden bool) *nudge.Receipt {
	n := nudge.Notice{Kind: nudge.Send, Place: message.Place(chat), Of: nudge.OfNudge{Nudge: r.Nudge}, Watch: r.Style.Watches}
	return &nudge.Receipt{Notice: n, Message: m.ID, Topic: m.topic(), Sent: m.at(), Hidden: hidden}
}

// stripLater removes the buttons of a message.
func (b *Bot) stripLater(chat int64, number int) {
	b.queue(chat, job{what: "take the buttons off", edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		return nil, s.strip(ctx, number)
	}})
}
