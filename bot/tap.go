package bot

import (
	"context"
	"fmt"
	"time"

	"nod/detect/screen"

	"nod/deliver"
	"nod/nudge"
)

// tapped reads the tap of a button. A supervisor's is always answered at once, or their phone shows
// a spinner.
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
	p, ok := b.seal.open(c.Data, m.Chat.ID)
	if !ok {
		b.cfg.Log.Warn("a tap brought data that nod did not make", "user", c.From.ID, "message", m.ID)
		b.toast(c.ID, "This button is not valid. Nothing was typed.")
		return nil
	}
	if watches && p.verb != verbScreen && p.verb != verbShow && p.verb != verbRenew {
		b.toast(c.ID, "You are told, but only supervisors may answer. Nothing was typed.")
		return nil
	}
	said, err := b.press(ctx, id, c, p)
	if err != nil {
		said = "nod could not keep your answer, so nothing was typed yet. It tries again."
	}
	b.toast(c.ID, said)
	return err
}

// press does what a button asks for, and gives the words that show after the tap.
func (b *Bot) press(ctx context.Context, id int, c *callback, p press) (string, error) {
	chat, message := c.Message.Chat.ID, c.Message.ID
	switch p.verb {
	case verbRenew:
		return b.renewScreen(c.Message, p.id), nil
	case verbNeither:
		return b.pressNeither(chat, message)
	case verbScreen, verbShow, verbAgain, verbSkip, verbSnooze, verbWhy:
		return b.pressOther(ctx, chat, message, p)
	case verbQueue:
		return b.pressQueue(id, c, p)
	case verbNew:
		return b.pressLaunch(c, p)
	case verbDrop, verbUp:
		return b.pressNext(c, p)
	}
	return b.pressAnswer(id, c, p)
}

// pressOther does what a button asks for that answers nothing.
func (b *Bot) pressOther(ctx context.Context, chat int64, message int, p press) (string, error) {
	n, ok, err := b.cfg.Keeper.Find(p.id)
	if err != nil {
		return "", fmt.Errorf("find nudge %s: %w", p.id, err)
	}
	if !ok {
		return b.forgotten(chat, message), nil
	}
	r := newRenderer(n, b.styleIn(chat))
	switch p.verb {
	case verbScreen:
		b.sendScreen(chat, message, n.Pane, r.title, n.Where)
		return "", nil
	case verbShow:
		b.unfold(chat, message, r)
		return "", nil
	case verbSkip:
		return b.skip(chat, message, n)
	case verbSnooze:
		return b.snooze(n.ID)
	case verbWhy:
		return b.askReason(chat, message, r), nil
	}
	if n.State != nudge.Expired || !n.Standing {
		return "That question no longer stands, or was asked again already.", nil
	}
	if err := b.cfg.Keeper.AskAgain(p.id); err != nil {
		return "", fmt.Errorf("ask #%s again: %w", p.id, err)
	}
	return "It is asked again.", nil
}

// pressNeither ends a question which one is meant.
func (b *Bot) pressNeither(chat int64, message int) (string, error) {
	if err := b.cfg.Keeper.Neither(nudge.Ref{Place: Place(chat), Message: message}); err != nil {
		return "", fmt.Errorf("end a question which one is meant: %w", err)
	}
	b.stripLater(chat, message)
	return "Nothing was typed.", nil
}

// forgotten takes the buttons off a message whose nudge nod keeps no record of.
func (b *Bot) forgotten(chat int64, message int) string {
	b.stripLater(chat, message)
	return "nod keeps no record of this question any more. Nothing was typed."
}

// pressAnswer hands the answer of a button to the keeper.
func (b *Bot) pressAnswer(id int, c *callback, p press) (string, error) {
	chat, now := c.Message.Chat.ID, time.Now()
	a := nudge.Answer{
		By: personOf(c.From), Way: nudge.ByButton, Ref: nudge.Ref{Place: Place(chat), Message: c.Message.ID, Topic: c.Message.topic(), Update: id},
		Written: now, Read: now, Nudge: p.id, Shown: []nudge.Shown{p.shown()},
		Unseen: p.unseen, LeaveMode: p.leave, Sure: p.sure, Ticks: p.ticks,
	}
	switch p.verb {
	case verbApprove:
		a.Decision = screen.Approve
	case verbDeny:
		a.Decision = screen.Deny
	case verbSend:
		a.Decision = screen.Send
	case verbLeave:
		a.Decision = screen.Dismiss
	case verbChoose, verbTick:
		a.Choice = &deliver.Choice{Index: p.option}
	case verbTell:
		if a.Repeat = p.claim; a.Repeat == "" {
			return "These are not the words that were given last. Nothing was typed.", nil
		}
	}
	v, err := b.cfg.Keeper.Answer(a)
	switch {
	case err != nil:
		return "", fmt.Errorf("take an answer: %w", err)
	case v.Reason == deliver.NotFound:
		return b.forgotten(chat, c.Message.ID), nil
	case v.Kind == nudge.Taken && !v.Nudge.Shows(a.Ref):
		b.stripLater(chat, c.Message.ID) // a question of nod's that has its answer now
	case v.Kind != nudge.Rejected || a.Repeat == "":
		b.explain(a, v)
	}
	return toastFor(a, v, newRenderer(v.Nudge, b.style())), nil
}

func toastFor(a nudge.Answer, v nudge.Verdict, r renderer) string {
	switch v.Kind {
	case nudge.Taken:
		return wishOf(a) + ": " + r.short()
	case nudge.AskUnseen, nudge.AskSure:
		return "Nothing was typed yet: please confirm."
	case nudge.Rejected:
		if v.Detail != "" {
			return "Nothing was typed. " + oneLine(r.style.redact(v.Detail))
		}
		return "Nothing was typed. " + v.Reason.Sentence()
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

// unfold turns a message with a short preview into the whole one.
func (b *Bot) unfold(chat int64, message int, r renderer) {
	switch {
	case r.State.Over():
		b.sayOf(chat, message, r.endingMessage(chat, b.seal, time.Now()), r.Nudge)
		return
	case !r.Shows(nudge.Ref{Place: Place(chat), Message: message}), r.GroupedIn(nudge.Ref{Place: Place(chat), Message: message}):
		b.show(chat, message, r)
		return
	}
	b.queue(chat, job{what: "show #" + r.ID, edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		out, hidden, err := s.wholeMessage(ctx, r, message)
		if err != nil {
			return nil, err
		}
		short, err := s.edit(ctx, message, out)
		if err != nil {
			return nil, err
		}
		return shownReceipt(chat, sent{ID: message, Date: sentAt(r.Nudge, chat, message)}, r, hidden || short), nil
	}})
}

func sentAt(n nudge.Nudge, chat int64, message int) int64 {
	for _, c := range n.Copies {
		if c.Place == Place(chat) && c.Message == message {
			return c.Sent.Unix()
		}
	}
	return time.Now().Unix()
}
