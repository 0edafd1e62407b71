package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// queueList answers /queue.
func (b *Bot) queueList(_ context.Context, _ int, m *incoming, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	out, err := b.queuePage(open, m.Chat.ID)
	if err != nil {
		return err
	}
	b.sayThen(m.Chat.ID, m.ID, out, b.receiptOf(m.Chat.ID, nudge.Several, nudge.OfferList, message.OfferedIn(open)))
	return nil
}

// queuePage returns the list of open nudges, and of the denied calls that somebody may still decide about.
func (b *Bot) queuePage(open []nudge.Nudge, chat int64) (message.Outgoing, error) {
	denied, err := b.cfg.Keeper.Denials()
	if err != nil {
		return message.Outgoing{}, fmt.Errorf("list the denied calls: %w", err)
	}
	return message.Queue(open, denied, chat, b.seal, b.styleIn(chat), time.Now()), nil
}

// redrawQueue updates a list of open nudges after one of them has ended.
func (s *sender) redrawQueue(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	open, err := s.bot.cfg.Keeper.Queue()
	if err != nil {
		return nudge.Receipt{}, fmt.Errorf("read the queue: %w", err)
	}
	open = slices.DeleteFunc(open, func(one nudge.Nudge) bool { return !slices.Contains(n.Copy.Group, one.ID) })
	r, err := s.closed(n, func(one nudge.Nudge) bool { return one.State.Over() && !one.Standing })
	if err != nil {
		return r, err
	}
	if len(open) > 0 && !slices.ContainsFunc(open, func(one nudge.Nudge) bool { return one.ListedIn(n.Copy.Ref) }) {
		return r, s.strip(ctx, n.Copy.Message) // what still waits is in a newer list
	}
	out, err := s.bot.queuePage(open, s.id)
	if err == nil {
		_, err = s.edit(ctx, n.Copy.Message, out)
	}
	return r, err
}

// skip moves a nudge behind the others and redraws the tapped list. It returns the text to show after the
// tap.
func (b *Bot) skip(chat int64, number int, n nudge.Nudge) (string, error) {
	if n.State != nudge.Pending && !n.Standing {
		return "#" + n.ID + " no longer waits.", nil
	}
	if err := b.cfg.Keeper.Skip(n.ID); err != nil {
		return "", fmt.Errorf("skip #%s: %w", n.ID, err)
	}
	b.queue(chat, job{what: "the queue", edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		open, err := b.cfg.Keeper.Queue()
		if err != nil {
			return nil, fmt.Errorf("read the queue: %w", err)
		}
		out, err := b.queuePage(open, chat)
		if err != nil {
			return nil, err
		}
		if _, err = s.edit(ctx, number, out); err != nil {
			return nil, err
		}
		r := b.receiptOf(chat, nudge.Listed, nudge.OfferList, message.OfferedIn(open))(sent{ID: number, Date: time.Now().Unix()})
		return &r, nil
	}})
	return "#" + n.ID + " is now behind the others.", nil
}
