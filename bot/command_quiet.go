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
	"nod/nudge"
)

// muteSpans are the choices that /mute offers if it is given no length.
var muteSpans = []time.Duration{time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour}

const (
	muteFor    = 2 * time.Hour // /mute NAME without a span
	muteAtMost = 7 * 24 * time.Hour
)

// mute answers /mute [NAME] [SPAN], for all messages or those of an agent or project.
func (b *Bot) mute(_ context.Context, _ int, m *incoming, rest string) error {
	if rest == "" {
		b.say(m.Chat.ID, m.ID, b.muteChoice(m.Chat.ID))
		return nil
	}
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
		b.say(m.Chat.ID, m.ID, b.mutedUntil(until, now))
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

func (b *Bot) mutedUntil(until, now time.Time) message.Outgoing {
	out := message.Outgoing{Keys: message.Keys{}}
	out.Page.Text("🔕 Messages come silently until ").At(until, now, b.style().Zone).Text(". /unmute ends that.")
	return out
}

// muteChoice asks how long messages should be silent.
func (b *Bot) muteChoice(chat int64) message.Outgoing {
	out := message.Sentence("For how long are messages to come silently? Nothing was changed yet. Or say it: /mute 45m, /mute api 1d.")
	out.Keys = make(message.Keys, 1)
	for _, span := range muteSpans {
		out.Keys[0] = append(out.Keys[0], b.seal.Button("🔕 "+message.Length(span), message.VerbMute, strconv.Itoa(int(span.Minutes())), chat))
	}
	return out
}

// tapMute mutes for the length on a button of muteChoice, and edits the message to say so.
func (b *Bot) tapMute(chat int64, number int, minutes string) (string, error) {
	n, err := strconv.Atoi(minutes)
	span, now := time.Duration(n)*time.Minute, time.Now()
	if err != nil || !slices.Contains(muteSpans, span) {
		return "This button is not valid. Nothing was changed.", nil
	}
	if err := b.cfg.Keeper.Mute(now.Add(span)); err != nil {
		return "", fmt.Errorf("mute: %w", err)
	}
	b.queue(chat, job{what: "a mute", edit: true, do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
		_, err := s.edit(ctx, number, b.mutedUntil(now.Add(span), now))
		return nil, err
	}})
	return "🔕 Messages come silently for " + message.Length(span) + ".", nil
}

// knows reports whether some watched pane has an agent, a name or a project with that name.
func (b *Bot) knows(name string) bool {
	return slices.ContainsFunc(b.cfg.Panes(), func(s detect.Sighting) bool {
		return strings.EqualFold(s.Agent, name) || strings.EqualFold(s.Name, name) || strings.EqualFold(s.Project, name)
	})
}

// looksLikeSpan reports whether a word was meant as a length: it begins with a digit or a minus.
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
			b.say(m.Chat.ID, m.ID, message.Sentence("Nothing was changed: "+message.OneLine(err.Error())+"."))
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
		text = "Quiet hours are " + quietInWords(*q, time.Now()) + ": messages come silently then; none is held back. /quiet off ends them."
	}
	b.say(m.Chat.ID, m.ID, message.Sentence(text))
	return nil
}

// quietInWords returns the hours with the clock that they follow: without a zone of their own it is the machine's, which is often
// not that of the person.
func quietInWords(q nudge.Quiet, now time.Time) string {
	if q.Zone != nil && q.Zone != time.Local {
		return q.String()
	}
	return q.String() + " by this machine's clock, where it is " + now.Format("15:04 MST") + " now"
}
