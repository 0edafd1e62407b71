package bot

import (
	"context"
	"fmt"
	"time"

	"nod/bot/message"
	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/words"
	"nod/nudge"
)

// tapped reads the tap of a button. A supervisor's tap is always answered at once, because their phone shows
// a spinner until then.
func (b *Bot) tapped(ctx context.Context, id int, c *callback) error {
	if c.From == nil || c.From.IsBot {
		return nil
	}
	watches := b.watches(c.From.ID)
	if !watches && !b.supervises(c.From.ID) {
		b.ignore(c.From)
		return nil
	}
	m := c.Message
	if m == nil || m.Chat == nil || (m.Chat.Type != "private" || m.Chat.ID != c.From.ID) && !b.shared(m.Chat) {
		b.toast(c.ID, "Buttons work in your own chat with the bot only.")
		return nil
	}
	b.threads.note(m)
	b.unblock(m.Chat.ID)
	p, ok := b.seal.Open(c.Data, m.Chat.ID)
	if !ok {
		b.cfg.Log.Warn("a tap brought data that nod did not make", "user", c.From.ID, "message", m.ID)
		b.toast(c.ID, "This button is not valid. Nothing was typed.")
		return nil
	}
	if looks := p.Verb == message.VerbScreen || p.Verb == message.VerbShow || p.Verb == message.VerbRenew || p.Verb == message.VerbDiff; watches && (!looks || b.shared(m.Chat)) {
		b.toast(c.ID, "You are told, but only supervisors may answer. Nothing was typed.")
		return nil
	}
	said, err := b.tap(ctx, id, c, p)
	if err != nil {
		// Telegram brings a tap again for 150 s (telegram-bot-api, Client.cpp).
		said = "nod could not keep your answer, so nothing was typed yet. It tries again for two minutes; after that, tap once more."
	}
	b.toast(c.ID, said)
	return err
}

// tap carries out a button and returns the text to show after the tap.
func (b *Bot) tap(ctx context.Context, id int, c *callback, p message.Tap) (string, error) {
	chat, number := c.Message.Chat.ID, c.Message.ID
	switch p.Verb {
	case message.VerbRenew:
		return b.renewScreen(c.Message, p.ID), nil
	case message.VerbMute:
		return b.tapMute(chat, number, p.ID)
	case message.VerbTo, message.VerbWords:
		return b.tapTell(chat, number, p), nil
	case message.VerbNext:
		return b.tapPane(chat, number, p.ID), nil
	case message.VerbNeither:
		return b.pressNeither(chat, number)
	case message.VerbScreen, message.VerbShow, message.VerbAgain, message.VerbSkip, message.VerbSnooze, message.VerbWhy, message.VerbDiff:
		return b.pressOther(ctx, c, p)
	case message.VerbQueue:
		return b.tapQueue(id, c, p)
	case message.VerbNew:
		return b.tapLaunch(c, p)
	case message.VerbSendWish, message.VerbDropWish, message.VerbShowWish:
		return b.tapWish(id, c, p)
	case message.VerbAllow, message.VerbLeaveDenied, message.VerbTryAgain, message.VerbShowDenied:
		return b.tapDenied(id, c, p)
	case message.VerbDrop, message.VerbUp, message.VerbOutlast:
		return b.tapNext(c, p)
	}
	return b.pressAnswer(id, c, p)
}

// pressOther carries out a button that answers nothing.
func (b *Bot) pressOther(ctx context.Context, c *callback, p message.Tap) (string, error) {
	chat, number := c.Message.Chat.ID, c.Message.ID
	n, ok, err := b.cfg.Keeper.Find(p.ID)
	if err != nil {
		return "", fmt.Errorf("find nudge %s: %w", p.ID, err)
	}
	if !ok {
		return b.forgotten(chat, number), nil
	}
	r := message.Of(n, b.styleIn(chat))
	switch p.Verb {
	case message.VerbScreen:
		b.sendScreen(chat, number, n.Pane, r.Title, n.Where)
		return "", nil
	case message.VerbShow:
		b.unfold(chat, number, r)
		return "", nil
	case message.VerbDiff:
		return b.sendDiff(chat, number, r), nil
	case message.VerbSkip:
		return b.skip(chat, number, n)
	case message.VerbSnooze:
		return b.snooze(c, p)
	case message.VerbWhy:
		return b.askReason(chat, number, r), nil
	}
	if n.State != nudge.Expired || !n.Standing {
		return "That question is gone, or was already asked again.", nil
	}
	if err := b.cfg.Keeper.AskAgain(p.ID); err != nil {
		return "", fmt.Errorf("ask #%s again: %w", p.ID, err)
	}
	return "It is asked again.", nil
}

// pressNeither ends a question which nudge is meant.
func (b *Bot) pressNeither(chat int64, number int) (string, error) {
	if err := b.cfg.Keeper.Neither(nudge.Ref{Place: message.Place(chat), Message: number}); err != nil {
		return "", fmt.Errorf("end the question which nudge is meant: %w", err)
	}
	b.stripLater(chat, number)
	return "Nothing was typed.", nil
}

// forgotten removes the buttons of a message whose nudge has no record.
func (b *Bot) forgotten(chat int64, number int) string {
	b.stripLater(chat, number)
	return "nod keeps no record of this question any more. Nothing was typed."
}

// pressAnswer gives the answer of a button to the keeper.
func (b *Bot) pressAnswer(id int, c *callback, p message.Tap) (string, error) {
	chat := c.Message.Chat.ID
	a := tapped(id, c, p)
	a.Shown, a.Sure = []nudge.Shown{p.Shown()}, p.Sure
	a.Said = nudge.Said{Unseen: p.Unseen, LeaveMode: p.Leave, Ticks: p.Ticks}
	switch p.Verb {
	case message.VerbApprove:
		a.Decision = screen.Approve
	case message.VerbDeny:
		a.Decision = screen.Deny
	case message.VerbSend:
		a.Decision = screen.Send
	case message.VerbLeave:
		a.Decision = screen.Dismiss
	case message.VerbChoose, message.VerbTick:
		a.Choice = &deliver.Choice{Index: p.Option}
	case message.VerbTell:
		if a.Repeat = p.Claim; a.Repeat == "" {
			return "Those are not the latest words. Nothing was typed.", nil
		}
	}
	v, err := b.cfg.Keeper.Answer(a)
	switch {
	case err != nil:
		return "", fmt.Errorf("take an answer: %w", err)
	case v.Reason == deliver.NotFound:
		return b.forgotten(chat, c.Message.ID), nil
	case v.Reason == deliver.Away && p.Wait && b.hold(a):
		b.stripLater(chat, c.Message.ID)
		return "Nothing was typed yet: your answer waits a minute for " + message.OneLine(v.Nudge.Pane.Machine) + ".", nil
	case v.Kind == nudge.Taken && !v.Nudge.Shows(a.Ref):
		b.stripLater(chat, c.Message.ID) // a question of nod that is answered now
	case v.Kind != nudge.Rejected || a.Repeat == "":
		b.explain(a, v)
	}
	return toastFor(a, v, message.Of(v.Nudge, b.style())), nil
}

func toastFor(a nudge.Answer, v nudge.Verdict, r message.Renderer) string {
	switch v.Kind {
	case nudge.Taken:
		return wishOf(a) + ": " + r.Short()
	case nudge.AskUnseen, nudge.AskSure:
		return "Nothing was typed yet: please confirm."
	case nudge.Rejected:
		if !v.Detail.IsZero() {
			return "Nothing was typed. " + message.OneLine(r.Style.Redact(words.Why(v.Detail)))
		}
		return "Nothing was typed. " + words.Refused(string(v.Reason))
	case nudge.Repeated:
		return ""
	}
	return "Nothing was typed."
}

func wishOf(a nudge.Answer) string {
	switch {
	case a.Choice != nil:
		return "Answering"
	case a.Repeat != "":
		return "Telling"
	case a.Decision == screen.Send:
		return "Sending"
	case a.Decision == screen.Dismiss:
		return "Dismissing"
	case a.Decision == screen.Deny:
		return "Denying"
	}
	return "Approving"
}

// unfold replaces a short preview by the whole message.
func (b *Bot) unfold(chat int64, number int, r message.Renderer) {
	switch {
	case r.State.Over():
		b.sayOf(chat, number, r.Over(chat, b.seal, time.Now()), r.Nudge)
		return
	case !r.Shows(nudge.Ref{Place: message.Place(chat), Message: number}), r.GroupedIn(nudge.Ref{Place: message.Place(chat), Message: number}):
		b.show(chat, number, r)
		return
	}
	b.queue(chat, job{what: "show #" + r.ID, edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		out, hidden, err := s.wholeMessage(ctx, r, number)
		if err != nil {
			return nil, err
		}
		short, err := s.edit(ctx, number, out)
		if err != nil {
			return nil, err
		}
		return shownReceipt(chat, sent{ID: number, Date: sentAt(r.Nudge, chat, number)}, r, hidden || short), nil
	}})
}

func sentAt(n nudge.Nudge, chat int64, number int) int64 {
	for _, c := range n.Copies {
		if c.Place == message.Place(chat) && c.Message == number {
			return c.Sent.Unix()
		}
	}
	return time.Now().Unix()
}

// tapped returns the answer of a tap: its author, its time and its nudge.
func tapped(id int, c *callback, p message.Tap) nudge.Answer {
	now := time.Now()
	return nudge.Answer{
		By: personOf(c.From), Way: nudge.ByButton, Written: now, Read: now, Nudge: p.ID,
		Ref: nudge.Ref{Place: message.Place(c.Message.Chat.ID), Message: c.Message.ID, Topic: c.Message.topic(), Update: id},
	}
}
