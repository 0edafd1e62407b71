package bot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/internal/words"
	"nod/nudge"
)

// status answers /status: the agents, the open nudges, whether messages are muted, and the problems.
func (b *Bot) status(_ context.Context, _ int, m *incoming, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("read the queue: %w", err)
	}
	var out message.Outgoing
	style, now := b.style(), time.Now()
	panes := slices.Concat(b.cfg.Panes(), b.cfg.Background())
	out.Page.Bold(statusHead(style.Host, len(panes), open)).Line()
	out.Page.List(b.statusLines(panes, open, style, now))
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

func statusHead(host string, agents int, open []nudge.Nudge) string {
	head := plural.Of(agents, "agent", "agents") + ", " + message.Waits(open)
	if host != "" {
		head = host + ": " + head
	}
	return head
}

func (b *Bot) statusLines(panes []detect.Sighting, open []nudge.Nudge, style message.Style, now time.Time) []string {
	var lines []string
	if len(panes) == 0 {
		lines = append(lines, "No agent runs in a pane that nod watches. At the machine, nod doctor says where nod looks.")
	}
	waiting := map[detect.PaneRef]nudge.Nudge{}
	for _, n := range open {
		waiting[n.Pane] = n
	}
	for _, s := range panes {
		line := fmt.Sprintf("%s · %s · %s for %s", style.Where(s.Where), style.Title(s.Agent, s.Name, s.Project), stateWord(s.State), elapsed.Short(now.Sub(s.Since)))
		n, ok := waiting[s.Pane]
		if s.Pane.Outside() {
			at := slices.IndexFunc(open, func(n nudge.Nudge) bool { return n.Pane == s.Pane && n.Process == s.Process })
			if ok = at >= 0; ok {
				n = open[at]
			}
		}
		if ok {
			line += " · #" + n.ID
			if n.Stuck() {
				line += " (stuck)"
			}
		}
		lines = append(lines, line)
		for _, why := range s.Unasked {
			lines = append(lines, "   "+message.OneLine(style.Redact(words.Why(why))))
		}
	}
	lines = append(lines, b.muteLines(now)...)
	for _, h := range b.cfg.Keeper.Held() {
		lines = append(lines, "Held: #"+h.Nudge+", "+message.OneLine(style.Redact(h.Why)))
	}
	return append(lines, b.troubleLines()...)
}

// muteLines say what is muted at the moment.
func (b *Bot) muteLines(now time.Time) []string {
	var lines []string
	if until, err := b.cfg.Keeper.Muted(now); err == nil && until.After(now) {
		lines = append(lines, "Muted for "+elapsed.Short(until.Sub(now))+" more: messages come silently.")
	}
	names, err := b.cfg.Keeper.MutedNames(now)
	if err != nil {
		return lines // reported elsewhere
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		lines = append(lines, fmt.Sprintf("Muted for %s more: %s.", elapsed.Short(names[name].Sub(now)), message.Cut(message.OneLine(name), message.NameRoom)))
	}
	return lines
}

func (b *Bot) troubleLines() []string {
	all := b.Health()
	if more := b.settings().Health; more != nil {
		all = append(all, more()...)
	}
	var lines []string
	for _, t := range all {
		lines = append(lines, "⚠ "+message.OneLine(b.style().Redact(t)))
	}
	return lines
}

func stateWord(s screen.State) string {
	switch s {
	case screen.Permission:
		return "awaiting permission"
	case screen.Question:
		return "awaiting an answer"
	case screen.Silent:
		return "silent, perhaps stuck,"
	}
	return string(s)
}

// showSettings answers /settings.
func (b *Bot) showSettings(_ context.Context, _ int, m *incoming, _ string) error {
	var out message.Outgoing
	out.Page.Bold("Settings").Line()
	var lines []string
	for _, line := range b.settings().Lines {
		lines = append(lines, message.OneLine(line))
	}
	q, err := b.cfg.Keeper.Quiet()
	if err != nil {
		return fmt.Errorf("read quiet hours: %w", err)
	}
	if q != nil {
		lines = append(lines, "Quiet hours are "+quietInWords(*q, time.Now())+".")
	}
	if lines = append(lines, b.muteLines(time.Now())...); len(lines) == 0 {
		lines = []string{"All of them are at their defaults."}
	}
	out.Page.List(lines)
	out.Page.Line().Line().Text("All others are at their defaults; nod config at the machine lists them. From here you can use /mute, /unmute and /quiet.")
	b.say(m.Chat.ID, m.ID, out)
	return nil
}
