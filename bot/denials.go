package bot

import (
	"context"
	"fmt"
	"slices"

	"nod/bot/message"
	"nod/deliver"
	"nod/internal/words"
	"nod/nudge"
)

// tellDenials sends or updates a message about denied calls, or says how they ended.
func (s *sender) tellDenials(ctx context.Context, n nudge.Notice, d nudge.Denials) (nudge.Receipt, error) {
	style := s.bot.style()
	switch {
	case n.Kind == nudge.Close && !n.Newest:
		return nudge.Receipt{Notice: n}, s.strip(ctx, n.Copy.Message)
	case n.Kind == nudge.Close:
		_, err := s.edit(ctx, n.Copy.Message, message.DenialsOver(d, style))
		return nudge.Receipt{Notice: n}, err
	case n.Kind == nudge.Refresh:
		_, err := s.edit(ctx, n.Copy.Message, message.Denials(d, s.id, s.bot.seal, style))
		return nudge.Receipt{Notice: n}, err
	}
	out := message.Denials(d, s.id, s.bot.seal, style)
	if d.Pane.ID != "" {
		topic, err := s.topicOf(ctx, d.Pane, style.Title(d.Agent, d.Name, d.Project))
		if err != nil {
			return nudge.Receipt{}, err
		}
		out.Topic = topic
	}
	return s.aboutAgent(ctx, n, out, slices.ContainsFunc(d.Calls, func(c nudge.Denial) bool { return c.Cut() || message.Risky(c.Text, d.Project) }))
}

// tapDenied carries out a button under a denied call and returns the text to show after the tap. The call's
// message shows its state by itself.
func (b *Bot) tapDenied(id int, c *callback, p message.Tap) (string, error) {
	chat := c.Message.Chat.ID
	if p.Verb == message.VerbShowDenied {
		return b.showDenied(chat, c.Message.ID, p.ID)
	}
	a := tapped(id, c, p)
	var placed nudge.Placed
	var err error
	said := "Allowed once. Nothing else is."
	switch p.Verb {
	case message.VerbLeaveDenied:
		said = "Left denied."
		placed, err = b.cfg.Keeper.LeaveDenied(a, p.Option)
	case message.VerbTryAgain:
		placed, err = b.cfg.Keeper.TellToTryAgain(a, p.Option)
		said = message.PlaceWords(placed)
	default:
		placed, err = b.cfg.Keeper.AllowDenied(a, p.Option, p.Shown().Subject)
		if err == nil && placed.Reason == "" && placed.Denials != nil && placed.ID != "" { // it goes as text
			said = message.PlaceWords(placed)
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("decide about the denied calls #%s: %w", p.ID, err)
	case placed.Repeated:
		return "", nil
	case placed.Reason == deliver.NeedsConfirmation:
		b.ask(chat, c.Message.ID, nudge.Consent, placed.Denials, message.DenialUnseen(*placed.Denials, p.Option, chat, b.seal, b.style()))
	case placed.Reason == deliver.NotFound && placed.Denials == nil:
		b.stripLater(chat, c.Message.ID)
	}
	if placed.Reason != "" {
		return message.OneLine(b.style().Redact(words.Why(placed.Refusal))), nil
	}
	return said, nil
}

// showDenied replaces a short preview of denied calls by the whole message.
func (b *Bot) showDenied(chat int64, number int, id string) (string, error) {
	d, found, err := b.cfg.Keeper.DenialsOf(id)
	switch {
	case err != nil:
		return "", fmt.Errorf("find the denied calls #%s: %w", id, err)
	case !found || !d.Ended.IsZero():
		return "Those calls are over.", nil
	}
	b.showWhole(chat, number, "the denied calls #"+id, func(s message.Style) message.Outgoing { return message.Denials(d, chat, b.seal, s) })
	return "", nil
}
