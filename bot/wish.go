package bot

import (
	"context"
	"fmt"

	"nod/bot/message"
	"nod/deliver"
	"nod/internal/words"
	"nod/nudge"
)

// tellWish sends a wish, or says how it ended.
func (s *sender) tellWish(ctx context.Context, n nudge.Notice, w nudge.Wish) (nudge.Receipt, error) {
	style := s.bot.style()
	switch {
	case n.Kind == nudge.Close && !n.Newest:
		return nudge.Receipt{Notice: n}, s.strip(ctx, n.Copy.Message)
	case n.Kind == nudge.Close:
		_, err := s.edit(ctx, n.Copy.Message, message.WishEnding(w, style))
		return nudge.Receipt{Notice: n}, err
	}
	out := message.Wish(w, s.id, s.bot.seal, style)
	topic, err := s.topicOf(ctx, w.Pane, style.Title(w.Agent, w.Name, w.Project))
	if err != nil {
		return nudge.Receipt{}, err
	}
	out.Topic = topic
	return s.aboutAgent(ctx, n, out, message.Risky(w.Text, w.Project))
}

// tapWish carries out a button under a wish and returns the text to show after the tap. The messages of the
// wish show its end by themselves.
func (b *Bot) tapWish(id int, c *callback, p message.Tap) (string, error) {
	chat := c.Message.Chat.ID
	if p.Verb == message.VerbShowWish {
		return b.showWish(chat, c.Message.ID, p.ID)
	}
	a := tapped(id, c, p)
	var placed nudge.Placed
	var err error
	if p.Verb == message.VerbDropWish {
		placed, err = b.cfg.Keeper.DropWish(a)
	} else {
		placed, err = b.cfg.Keeper.SendWish(a, p.Shown().Subject)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("decide about wish #%s: %w", p.ID, err)
	case placed.Repeated:
		return "", nil
	case placed.Reason == deliver.NeedsConfirmation:
		b.ask(chat, c.Message.ID, nudge.Consent, placed.Wish, message.WishUnseen(*placed.Wish, chat, b.seal, b.style()))
		return words.Why(placed.Refusal), nil
	case placed.Reason == deliver.NotFound:
		b.stripLater(chat, c.Message.ID)
		return words.Why(placed.Refusal), nil
	case placed.Reason != "":
		return message.OneLine(b.style().Redact(words.Why(placed.Refusal))), nil
	case p.Verb == message.VerbDropWish:
		return "Dropped. Nothing was sent.", nil
	case placed.Wish.File != nil:
		b.bring(chat, c.Message.ID, *placed.Wish)
		return "", nil
	}
	return message.PlaceWords(placed), nil
}

// showWish replaces a short preview of a wish by the whole message.
func (b *Bot) showWish(chat int64, number int, id string) (string, error) {
	w, found, err := b.cfg.Keeper.WishOf(id)
	switch {
	case err != nil:
		return "", fmt.Errorf("find wish #%s: %w", id, err)
	case !found || w.State != nudge.Wished:
		return "That wish is over.", nil
	}
	b.showWhole(chat, number, "wish #"+id, func(s message.Style) message.Outgoing { return message.Wish(w, chat, b.seal, s) })
	return "", nil
}
