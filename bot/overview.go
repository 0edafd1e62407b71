package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nod/detect"
	"nod/nudge"
	"nod/store"
)

// listRoom is how many code points a list may take; what does not fit is counted instead.
const listRoom = maxText - 300

// list writes lines as long as they fit.
func (p *page) list(lines []string) {
	for i, line := range lines {
		if p.size()+len([]rune(line)) > listRoom {
			p.line().text(fmt.Sprintf("… and %d more", len(lines)-i))
			return
		}
		p.line().text(line)
	}
}

// status answers /status: every agent, what waits, how messages come, and what is wrong.
func (b *Bot) status(_ context.Context, _ int, m *message, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("list what waits: %w", err)
	}
	var l letter
	look, now := b.look(), time.Now()
	panes := b.cfg.Panes()
	l.page.bold(statusHead(look.host, len(panes), len(open))).line()
	l.page.list(b.statusLines(panes, open, now))
	b.say(m.Chat.ID, m.ID, l)
	return nil
}

func statusHead(host string, agents, waiting int) string {
	head := fmt.Sprintf("%s, %d waiting", plural(agents, "agent", "agents"), waiting)
	if host != "" {
		head = host + ": " + head
	}
	return head
}

func (b *Bot) statusLines(panes []detect.Sighting, open []nudge.Nudge, now time.Time) []string {
	var lines []string
	waiting := map[detect.PaneRef]nudge.Nudge{}
	for _, n := range open {
		waiting[n.Pane] = n
	}
	for _, s := range panes {
		line := fmt.Sprintf("%s · %s · %s for %s", oneLine(s.Where), titleOf(s.Agent, s.Name, s.Project), stateWord(s.State), ago(now.Sub(s.Since)))
		if n, ok := waiting[s.Pane]; ok {
			line += " · #" + n.ID
			if n.Stuck() {
				line += " (stuck)"
			}
		}
		lines = append(lines, line)
	}
	lines = append(lines, b.manner(now)...)
	for _, h := range b.cfg.Keeper.Held() {
		lines = append(lines, "Held: #"+h.Nudge+", "+h.Why)
	}
	return append(lines, b.troubleLines()...)
}

// manner says how messages come at the moment, where that is not with a sound.
func (b *Bot) manner(now time.Time) []string {
	until, err := b.cfg.Keeper.Muted(now)
	if err != nil || !until.After(now) {
		return nil
	}
	return []string{"Muted until " + clock(until, now, b.look().zone) + ": messages come silently."}
}

func (b *Bot) troubleLines() []string {
	all := b.Health()
	if more := b.settings().Health; more != nil {
		all = append(all, more()...)
	}
	var lines []string
	for _, t := range all {
		lines = append(lines, "⚠ "+t)
	}
	return lines
}

func stateWord(s detect.State) string {
	switch s {
	case detect.Permission:
		return "asks for permission"
	case detect.Question:
		return "asks a question"
	case detect.Silent:
		return "silent, perhaps stuck,"
	}
	return string(s)
}

// showSettings answers /settings.
func (b *Bot) showSettings(_ context.Context, _ int, m *message, _ string) error {
	var l letter
	l.page.bold("Settings").line()
	l.page.list(b.settings().Lines)
	l.page.list(b.manner(time.Now()))
	l.page.line().line().text("They come from the environment and nod.env. From here: /mute, /unmute, /quiet.")
	b.say(m.Chat.ID, m.ID, l)
	return nil
}

// logLines is how many events /log shows.
const logLines = 15

// showLog answers /log, the oldest first.
func (b *Bot) showLog(_ context.Context, _ int, m *message, _ string) error {
	events, err := b.cfg.Store.Tail(logLines)
	if err != nil {
		return fmt.Errorf("read the audit trail: %w", err)
	}
	if len(events) == 0 {
		b.say(m.Chat.ID, m.ID, sentence("Nothing has happened yet."))
		return nil
	}
	var l letter
	look := b.look()
	l.page.bold("What happened last").line()
	var lines []string
	for _, e := range events {
		lines = append(lines, logLine(e, look))
	}
	l.page.list(lines)
	b.say(m.Chat.ID, m.ID, l)
	return nil
}

func logLine(e store.Line, look look) string {
	parts := []string{e.At.In(look.zone).Format("15:04:05"), oneLine(e.Kind)}
	if e.Nudge != "" {
		parts = append(parts, "#"+e.Nudge)
	}
	subject := ""
	if !look.minimal {
		subject = cut(oneLine(look.redact(e.Subject)), 60)
	}
	for _, s := range []string{subject, e.Decision, strings.Join(e.Keys, " "), e.Reason, e.State, e.By} {
		if s = oneLine(s); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, " ")
}
