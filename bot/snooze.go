package bot

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nod/bot/message"
	"nod/nudge"
)

// The button that snoozes a question does so at once, for as long as snoozeUsual says, and then offers other lengths.
const (
	usualFirst  = 0    // the Option of a button that offers no other length yet; else it counts nudge.Snoozes from 1
	snoozeUsual = 2    // the Option of the length that is usual
	chosenMark  = "✓ " // stands before the length that holds
)

// chosen is the Option of the length that a button means.
func chosen(option int) int {
	if option == usualFirst {
		return snoozeUsual
	}
	return option
}

// snooze keeps the reminders of a nudge back, and gives the words that show after the tap.
func (b *Bot) snooze(c *callback, p message.Tap) (string, error) {
	now, option := time.Now(), chosen(p.Option)
	if option > len(nudge.Snoozes) {
		return "This button is not valid. Nothing was changed.", nil
	}
	quiet, _ := b.cfg.Keeper.Quiet() // else the usual morning
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

// offerLengths puts the lengths that a snooze may have under the message that was tapped, unless it was closed meanwhile or
// shows what is ticked, which may have changed.
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

// withLengths are the buttons of a message with the lengths of a snooze in the place of the button that snoozes.
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
