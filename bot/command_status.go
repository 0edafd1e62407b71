package bot

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nod/bot/message"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/nudge"
	"nod/store"
)

// status answers /status: every agent, what waits, how messages come, and what is wrong.
func (b *Bot) status(_ context.Context, _ int, m *incoming, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("list what waits: %w", err)
	}
	var out message.Outgoing
	style, now := b.style(), time.Now()
	panes := b.cfg.Panes()
	out.Page.Bold(statusHead(style.Host, len(panes), len(open))).Line()
	out.Page.List(b.statusLines(panes, open, style, now))
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

func statusHead(host string, agents, waiting int) string {
	head := fmt.Sprintf("%s, %d waiting", plural.Of(agents, "agent", "agents"), waiting)
	if host != "" {
		head = host + ": " + head
	}
	return head
}

func (b *Bot) statusLines(panes []detect.Sighting, open []nudge.Nudge, style message.Style, now time.Time) []string {
	var lines []string
	waiting := map[detect.PaneRef]nudge.Nudge{}
	for _, n := range open {
		waiting[n.Pane] = n
	}
	for _, s := range panes {
		line := fmt.Sprintf("%s · %s · %s for %s", style.Where(s.Where), style.Title(s.Agent, s.Name, s.Project), stateWord(s.State), elapsed.Short(now.Sub(s.Since)))
		if n, ok := waiting[s.Pane]; ok {
			line += " · #" + n.ID
			if n.Stuck() {
				line += " (stuck)"
			}
		}
		lines = append(lines, line)
	}
	lines = append(lines, b.muteLines(now)...)
	for _, h := range b.cfg.Keeper.Held() {
		lines = append(lines, "Held: #"+h.Nudge+", "+message.OneLine(style.Redact(h.Why)))
	}
	return append(lines, b.troubleLines()...)
}

// muteLines say how messages come at the moment, where that is not with a sound.
func (b *Bot) muteLines(now time.Time) []string {
	var lines []string
	if until, err := b.cfg.Keeper.Muted(now); err == nil && until.After(now) {
		lines = append(lines, "Muted for "+elapsed.Short(until.Sub(now))+" more: messages come silently.")
	}
	names, err := b.cfg.Keeper.MutedNames(now)
	if err != nil {
		return lines // said elsewhere
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
		return "asks for permission"
	case screen.Question:
		return "asks a question"
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
	out.Page.List(lines)
	out.Page.List(b.muteLines(time.Now()))
	out.Page.Line().Line().Text("They come from the environment and nod.env. From here you can use /mute, /unmute and /quiet.")
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

// logLines is how many events /log shows.
const logLines = 15

// showLog answers /log, the oldest first.
func (b *Bot) showLog(_ context.Context, _ int, m *incoming, _ string) error {
	events, err := b.cfg.Store.Tail(logLines)
	if err != nil {
		return fmt.Errorf("read the audit trail: %w", err)
	}
	if len(events) == 0 {
		b.say(m.Chat.ID, m.ID, message.Sentence("Nothing has happened yet."))
		return nil
	}
	var out message.Outgoing
	style := b.style()
	out.Page.Bold("What happened lately").Line()
	var lines []message.Dated
	for _, e := range events {
		lines = append(lines, message.Dated{At: e.At, Text: logLine(e, style)})
	}
	out.Page.ListDated(lines, time.Now(), style.Zone)
	b.say(m.Chat.ID, m.ID, out)
	return nil
}

func logLine(e store.Line, style message.Style) string {
	parts := []string{message.OneLine(e.Kind)}
	if e.Nudge != "" {
		parts = append(parts, "#"+e.Nudge)
	}
	subject := ""
	if !style.Minimal {
		subject = message.Cut(message.OneLine(style.Redact(e.Subject)), 60)
	}
	for _, s := range []string{subject, e.Decision, strings.Join(e.Keys, " "), e.Reason, e.State, e.By} {
		if s = message.OneLine(style.Redact(s)); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
