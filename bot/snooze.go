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
var snoozeSpans = []time.Duration{10 * time.Minute, 30 * time.Minute, 2 * time.Hour}

const (
	snoozeUsual = 1                         // of snoozeSpans
	snoozeEarly = 8 * time.Hour             // when the morning is, where quiet hours do not say it
	snoozeLeast = snoozeEarly - 4*time.Hour // a morning that is nearer is the next one
	usualFirst  = 0                         // the Option of a button that offers no other length yet
	chosenMark  = "✓ "                      // stands before the length that holds
)

// snoozeUntil is when a question is asked again that is snoozed by a button with this option; false: there is none such.
func (b *Bot) snoozeUntil(option int, now time.Time) (time.Time, bool) {
	switch {
	case option == usualFirst:
		return now.Add(snoozeSpans[snoozeUsual]), true
	case option <= len(snoozeSpans):
		return now.Add(snoozeSpans[option-1]), true
	}
	return b.morning(now), option == len(snoozeSpans)+1
}

// morning is when the quiet hours end that last over night, else eight o'clock: the next one that is some hours away.
func (b *Bot) morning(now time.Time) time.Time {
	zone, at := b.style().Zone, snoozeEarly
	if q, err := b.cfg.Keeper.Quiet(); err == nil && q != nil {
		if q.Zone != nil {
			zone = q.Zone
		}
		if q.From > q.To {
			at = q.To
		}
	}
	day := now.In(zone)
	for {
		m := time.Date(day.Year(), day.Month(), day.Day(), 0, int(at.Minutes()), 0, 0, zone)
		if m.Sub(now) >= snoozeLeast {
			return m
		}
		day = day.AddDate(0, 0, 1)
	}
}

// snooze keeps the reminders of a nudge back, and gives the words that show after the tap.
func (b *Bot) snooze(c *callback, p message.Tap) (string, error) {
	now := time.Now()
	until, ok := b.snoozeUntil(p.Option, now)
	if !ok {
		return "This button is not valid. Nothing was changed.", nil
	}
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
	labels := []string{}
	for _, span := range snoozeSpans {
		labels = append(labels, message.Length(span))
	}
	labels = append(labels, "Morning")
	chosen := p.Option
	if chosen == usualFirst {
		chosen = snoozeUsual + 1
	}
	lengths := make(message.Keys, 1)
	for i, label := range labels {
		if p.Option = i + 1; p.Option == chosen {
			label = chosenMark + label
		}
		lengths[0] = append(lengths[0], b.seal.Tap(label, p, chat))
	}
	return append(keys, lengths...)
}
