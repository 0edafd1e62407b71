package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// The snooze button snoozes at once, for the usual length, and then offers other lengths.
const (
	usualFirst  = 0    // the Option of the first button; other values count nudge.Snoozes from 1
	snoozeUsual = 2    // the Option of the usual length
	chosenMark  = "✓ " // before the current length
)

// chosen returns the Option of the length that a button means.
func chosen(option int) int {
	if option == usualFirst {
		return snoozeUsual
	}
	return option
}

// snooze snoozes a nudge and returns the text to show after the tap.
func (b *Bot) snooze(c *callback, p message.Tap) (string, error) {
	now, option := time.Now(), chosen(p.Option)
	if option > len(nudge.Snoozes) {
		return "This button is not valid. Nothing was changed.", nil
	}
	quiet, _ := b.cfg.Keeper.Quiet() // if it can't be read, the usual morning
	until := nudge.SnoozeEnd(nudge.Snoozes[option-1], quiet, b.style().Zone, now)
	if err := b.cfg.Keeper.Snooze(p.ID, until); err != nil {
		if n, found, failed := b.cfg.Keeper.Find(p.ID); failed == nil && found && n.State == nudge.Pending {
			return "", fmt.Errorf("snooze #%s: %w", p.ID, err)
		}
		return "#" + p.ID + " no longer waits.", nil
	}
	if c.Message.Keyboard != nil {
		b.offerLengths(c, p)
	}
	return "💤 It is asked again in " + message.Length(until.Sub(now)) + ".", nil
}

// offerLengths adds buttons for the snooze lengths to the tapped message, unless the message was closed
// meanwhile or shows ticks, which may have changed.
func (b *Bot) offerLengths(c *callback, p message.Tap) {
	chat, number := c.Message.Chat.ID, c.Message.ID
	before := c.Message.Keyboard.Rows
	keys := b.withLengths(before, p, chat)
	if slices.EqualFunc(before, keys, slices.Equal) {
		return
	}
	b.queue(chat, job{what: "lengths of a snooze", edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		n, found, err := b.cfg.Keeper.Find(p.ID)
		open := slices.ContainsFunc(n.Copies, func(c nudge.Copy) bool { return c.Place == message.Place(chat) && c.Message == number && !c.Closed })
		if err != nil || !found || n.State != nudge.Pending || !open || n.Prompt().Ticks() != "" {
			return nil, err
		}
		return nil, s.rekey(ctx, number, keys)
	}})
}

// withLengths returns the buttons of a message with the snooze lengths in place of the snooze button.
func (b *Bot) withLengths(before message.Keys, p message.Tap, chat int64) message.Keys {
	var keys message.Keys
	for _, row := range before {
		rest := slices.Clone(row)[:0]
		for _, k := range row {
			if q, ok := b.seal.Open(k.Data, chat); !ok || q.Verb != message.VerbSnooze {
				rest = append(rest, k)
			}
		}
		if len(rest) > 0 {
			keys = append(keys, rest)
		}
	}
	holds, lengths := chosen(p.Option), make(message.Keys, 1)
	for i, span := range nudge.Snoozes {
		label := message.SnoozeLength(span)
		if p.Option = i + 1; p.Option == holds {
			label = chosenMark + label
		}
		lengths[0] = append(lengths[0], b.seal.Tap(label, p, chat))
	}
	return append(keys, lengths...)
}
