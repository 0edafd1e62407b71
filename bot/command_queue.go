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
		return fmt.Errorf("list what waits: %w", err)
	}
	out := message.Queue(open, m.Chat.ID, b.seal, b.styleIn(m.Chat.ID), time.Now())
	b.sayThen(m.Chat.ID, m.ID, out, b.receiptOf(m.Chat.ID, nudge.Several, nudge.BesideList, message.OfferedIn(open)))
	return nil
}

// redrawQueue brings a list of what waits up to date, one of which is over.
func (s *sender) redrawQueue(ctx context.Context, n nudge.Notice) (nudge.Receipt, error) {
	open, err := s.bot.cfg.Keeper.Queue()
	if err != nil {
		return nudge.Receipt{}, fmt.Errorf("list what waits: %w", err)
	}
	open = slices.DeleteFunc(open, func(one nudge.Nudge) bool { return !slices.Contains(n.Copy.Group, one.ID) })
	r, err := s.closed(n, func(one nudge.Nudge) bool { return one.State.Over() && !one.Standing })
	if err != nil {
		return r, err
	}
	_, err = s.edit(ctx, n.Copy.Message, message.Queue(open, s.id, s.bot.seal, s.bot.styleIn(s.id), time.Now()))
	return r, err
}

// skip puts a nudge behind the others, and redraws the list that was tapped. It gives the words that show
// after the tap.
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
			return nil, fmt.Errorf("list what waits: %w", err)
		}
		if _, err = s.edit(ctx, number, message.Queue(open, chat, b.seal, b.style(), time.Now())); err != nil {
			return nil, err
		}
		r := b.receiptOf(chat, nudge.Listed, nudge.BesideList, message.OfferedIn(open))(sent{ID: number, Date: time.Now().Unix()})
		return &r, nil
	}})
	return "#" + n.ID + " is now behind the others.", nil
}
