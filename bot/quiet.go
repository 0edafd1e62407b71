package bot

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"nod/nudge"
)

const (
	muteFor    = 2 * time.Hour // /mute without a span
	muteAtMost = 7 * 24 * time.Hour
)

// mute answers /mute [SPAN].
func (b *Bot) mute(_ context.Context, _ int, m *message, rest string) error {
	span, ok := parseSpan(rest)
	if !ok {
		b.say(m.Chat.ID, m.ID, sentence("Say for how long, at most 7 days: /mute 45m, /mute 2h, /mute 1d. Nothing was changed."))
		return nil
	}
	now := time.Now()
	until := now.Add(span)
	if err := b.cfg.Keeper.Mute(until); err != nil {
		return fmt.Errorf("mute: %w", err)
	}
	b.say(m.Chat.ID, m.ID, sentence("🔕 Messages come silently until "+clock(until, now, b.look().zone)+". /unmute ends that."))
	return nil
}

func parseSpan(text string) (time.Duration, bool) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return muteFor, true
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err := strconv.Atoi(days)
		return time.Duration(n) * 24 * time.Hour, err == nil && n >= 1 && n <= 7
	}
	d, err := time.ParseDuration(text)
	return d, err == nil && d > 0 && d <= muteAtMost
}

// unmute answers /unmute.
func (b *Bot) unmute(_ context.Context, _ int, m *message, _ string) error {
	if err := b.cfg.Keeper.Mute(time.Time{}); err != nil {
		return fmt.Errorf("unmute: %w", err)
	}
	b.say(m.Chat.ID, m.ID, sentence("🔔 Messages ring again, outside quiet hours."))
	return nil
}

// quiet answers /quiet, /quiet off and /quiet 22:00-07:00 Europe/Berlin.
func (b *Bot) quiet(_ context.Context, _ int, m *message, rest string) error {
	var q *nudge.Quiet
	switch strings.ToLower(rest) {
	case "":
		return b.sayQuiet(m)
	case "off":
	default:
		var err error
		if q, err = nudge.ParseQuiet(rest); err != nil {
			b.say(m.Chat.ID, m.ID, sentence(oneLine(err.Error())+". Nothing was changed."))
			return nil
		}
	}
	if err := b.cfg.Keeper.SetQuiet(q); err != nil {
		return fmt.Errorf("set quiet hours: %w", err)
	}
	return b.sayQuiet(m)
}

func (b *Bot) sayQuiet(m *message) error {
	q, err := b.cfg.Keeper.Quiet()
	if err != nil {
		return fmt.Errorf("read quiet hours: %w", err)
	}
	text := "There are no quiet hours. /quiet 22:00-07:00 Europe/Berlin sets some."
	if q != nil {
		text = "Quiet hours are " + q.String() + ": messages come silently then, none is held back. /quiet off ends them."
	}
	b.say(m.Chat.ID, m.ID, sentence(text))
	return nil
}
