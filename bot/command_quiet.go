package bot

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/internal/settings/quiet"
	"nod/internal/text/elapsed"
	"nod/nudge"
)

const (
	muteFor    = 2 * time.Hour // /mute without a span
	muteAtMost = 7 * 24 * time.Hour
	snoozeFor  = 30 * time.Minute
)

// mute answers /mute [NAME] [SPAN]: all messages, or those of an agent or project.
func (b *Bot) mute(_ context.Context, _ int, m *incoming, rest string) error {
	name, long := "", rest
	if words := strings.Fields(rest); len(words) > 0 {
		if _, ok := parseSpan(words[len(words)-1]); ok {
			name, long = strings.Join(words[:len(words)-1], " "), words[len(words)-1]
		} else if !looksLikeSpan(words[len(words)-1]) {
			name, long = strings.Join(words, " "), ""
		}
	}
	span, ok := parseSpan(long)
	if !ok {
		b.say(m.Chat.ID, m.ID, message.Sentence("Say for how long, at most 7 days: /mute 45m, /mute 2h, /mute api 1d. Nothing was changed."))
		return nil
	}
	now := time.Now()
	until := now.Add(span)
	if name == "" {
		if err := b.cfg.Keeper.Mute(until); err != nil {
			return fmt.Errorf("mute: %w", err)
		}
		var out message.Outgoing
		out.Page.Text("🔕 Messages come silently until ").At(until, now, b.style().Zone).Text(". /unmute ends that.")
		b.say(m.Chat.ID, m.ID, out)
		return nil
	}
	if !b.knows(name) {
		b.say(m.Chat.ID, m.ID, b.paneChoice(fmt.Sprintf("No agent or project is called %q, so nothing was changed.", message.Cut(message.OneLine(name), 40)), "/mute NAME 2h", b.cfg.Panes()))
		return nil
	}
	if err := b.cfg.Keeper.MuteName(name, until); err != nil {
		return fmt.Errorf("mute %s: %w", name, err)
	}
	shown := message.Cut(message.OneLine(name), 40)
	var out message.Outgoing
	out.Page.Text("🔕 Messages about "+shown+" come silently until ").At(until, now, b.style().Zone).Text(". /unmute " + shown + " ends that.")
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

// knows reports whether a watched pane has an agent, a name or a project that is called so.
func (b *Bot) knows(name string) bool {
	return slices.ContainsFunc(b.cfg.Panes(), func(s detect.Sighting) bool {
		return strings.EqualFold(s.Agent, name) || strings.EqualFold(s.Name, name) || strings.EqualFold(s.Project, name)
	})
}

// looksLikeSpan reports whether a word was meant as a span: it begins with a digit.
func looksLikeSpan(word string) bool {
	return word != "" && (word[0] == '-' || word[0] >= '0' && word[0] <= '9')
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

// unmute answers /unmute [NAME].
func (b *Bot) unmute(_ context.Context, _ int, m *incoming, rest string) error {
	if name := strings.Join(strings.Fields(rest), " "); name != "" {
		if err := b.cfg.Keeper.MuteName(name, time.Time{}); err != nil {
			return fmt.Errorf("unmute %s: %w", name, err)
		}
		b.say(m.Chat.ID, m.ID, message.Sentence(fmt.Sprintf("🔔 Messages about %s ring again, unless all are silent.", message.Cut(message.OneLine(name), 40))))
		return nil
	}
	if err := b.cfg.Keeper.Unmute(); err != nil {
		return fmt.Errorf("unmute: %w", err)
	}
	b.say(m.Chat.ID, m.ID, message.Sentence("🔔 Messages ring again, outside quiet hours."))
	return nil
}

// quiet answers /quiet, /quiet off and /quiet 22:00-07:00 Europe/Berlin.
func (b *Bot) quiet(_ context.Context, _ int, m *incoming, rest string) error {
	var q *nudge.Quiet
	switch strings.ToLower(rest) {
	case "":
		return b.sayQuiet(m)
	case "off":
	default:
		var err error
		if q, err = quiet.Parse(rest); err != nil {
			b.say(m.Chat.ID, m.ID, message.Sentence(message.OneLine(err.Error())+". Nothing was changed."))
			return nil
		}
	}
	if err := b.cfg.Keeper.SetQuiet(q); err != nil {
		return fmt.Errorf("set quiet hours: %w", err)
	}
	return b.sayQuiet(m)
}

func (b *Bot) sayQuiet(m *incoming) error {
	q, err := b.cfg.Keeper.Quiet()
	if err != nil {
		return fmt.Errorf("read quiet hours: %w", err)
	}
	text := "There are no quiet hours. To set them: /quiet 22:00-07:00 Europe/Berlin"
	if q != nil {
		text = "Quiet hours are " + q.String() + ": messages come silently then; none is held back. /quiet off ends them."
	}
	b.say(m.Chat.ID, m.ID, message.Sentence(text))
	return nil
}

// snooze keeps the reminders of a nudge back, and gives the words that show after the tap.
func (b *Bot) snooze(id string) (string, error) {
	if err := b.cfg.Keeper.Snooze(id, time.Now().Add(snoozeFor)); err != nil {
		if n, found, failed := b.cfg.Keeper.Find(id); failed == nil && found && n.State == nudge.Pending {
			return "", fmt.Errorf("snooze #%s: %w", id, err)
		}
		return "#" + id + " no longer waits.", nil
	}
	return "💤 It is asked again in " + elapsed.Short(snoozeFor) + ".", nil
}
