package bot

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/detect"
	"nod/nudge"
)

const (
	screenRows  = 60               // what /screen and its button show
	captureTime = 10 * time.Second // a tmux that takes longer hangs
)

// screen answers /screen NAME.
func (b *Bot) screen(ctx context.Context, _ int, m *message, rest string) error {
	s, ok, err := b.chosenPane(m, rest, "/screen NAME")
	if err != nil || !ok {
		return err
	}
	b.sendScreen(ctx, m.Chat.ID, m.ID, s.Pane, titleOf(s.Agent, s.Name, s.Project), s.Where)
	return nil
}

// chosenPane finds the pane that name means; without a name the only one, or that of the nudge which
// the message replies to. When it can't tell, it says so and gives false.
func (b *Bot) chosenPane(m *message, name, usage string) (detect.Sighting, bool, error) {
	panes := b.cfg.Panes()
	if name == "" && m.ReplyTo != nil {
		ids, err := b.about(m.Chat.ID, m.ReplyTo)
		if err != nil {
			return detect.Sighting{}, false, err
		}
		if len(ids) == 1 {
			return b.paneOf(m, ids[0], panes)
		}
	}
	fits := panesNamed(panes, name)
	if len(fits) == 1 {
		return fits[0], true, nil
	}
	why := fmt.Sprintf("No pane is called %q.", cut(oneLine(name), 40))
	if len(fits) > 1 {
		why = "More than one pane fits."
		panes = fits
	}
	if len(panes) == 0 {
		why = "No agent runs in a pane that nod watches."
	}
	b.say(m.Chat.ID, m.ID, paneChoice(why, usage, panes))
	return detect.Sighting{}, false, nil
}

func (b *Bot) paneOf(m *message, id string, panes []detect.Sighting) (detect.Sighting, bool, error) {
	n, ok, err := b.cfg.Keeper.Find(id)
	if err != nil {
		return detect.Sighting{}, false, fmt.Errorf("find nudge %s: %w", id, err)
	}
	for _, s := range panes {
		if ok && s.Pane == n.Pane {
			return s, true, nil
		}
	}
	b.say(m.Chat.ID, m.ID, sentence("That pane is gone."))
	return detect.Sighting{}, false, nil
}

// panesNamed lists the panes that name means: the pane id and the place are exact, else the given
// name, else project or agent. An empty name fits all.
func panesNamed(panes []detect.Sighting, name string) []detect.Sighting {
	if name == "" {
		return panes
	}
	for _, same := range []func(detect.Sighting) bool{
		func(s detect.Sighting) bool { return s.Pane.ID == name || s.Where == name },
		func(s detect.Sighting) bool { return s.Name != "" && strings.EqualFold(s.Name, name) },
		func(s detect.Sighting) bool { return strings.EqualFold(s.Project, name) },
		func(s detect.Sighting) bool { return strings.EqualFold(s.Agent, name) },
	} {
		var fits []detect.Sighting
		for _, s := range panes {
			if same(s) {
				fits = append(fits, s)
			}
		}
		if len(fits) > 0 {
			return fits
		}
	}
	return nil
}

func paneChoice(why, usage string, panes []detect.Sighting) letter {
	var l letter
	l.page.text(why)
	if len(panes) == 0 {
		return l
	}
	l.page.text(" Use " + usage + " with one of:").line()
	var lines []string
	for _, s := range panes {
		lines = append(lines, fmt.Sprintf("%s · %s", oneLine(s.Where), titleOf(s.Agent, s.Name, s.Project)))
	}
	slices.Sort(lines)
	l.page.list(lines)
	return l
}

// sendScreen reads a pane beside the poll loop, for tmux may hang, and sends what it shows.
func (b *Bot) sendScreen(ctx context.Context, chat int64, replyTo int, ref detect.PaneRef, title, where string) {
	b.lines.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, captureTime)
		defer cancel()
		rows, err := b.cfg.Capture(ctx, ref, screenRows)
		if err != nil {
			b.say(chat, replyTo, sentence("The pane can't be read: "+oneLine(err.Error())))
			return
		}
		b.say(chat, replyTo, b.screenLetter(rows, title, where, time.Now()))
	})
}

// screenLetter shows a screen. Its first two lines are nod's own: what stands below proves nothing.
func (b *Bot) screenLetter(rows []string, title, where string, now time.Time) letter {
	look := b.look()
	var l letter
	l.page.text("🔎 ").bold(title).line().text(oneLine(where) + " at " + now.In(look.zone).Format("15:04:05")).line()
	lines := screenLines(rows, look)
	if len(lines) == 0 {
		l.page.line().text("The screen is empty.")
		return l
	}
	shown, short := lastLines(lines, maxText-l.page.size()-64)
	text := strings.Join(shown, "\n")
	if short {
		text = "…\n" + text
	}
	l.page.line().pre(text)
	return l
}

// tellCommand answers /tell NAME TEXT: it gives text as it stands to an agent. The outcome follows as a notice.
func (b *Bot) tellCommand(_ context.Context, id int, m *message, rest string) error {
	name, text := rest, ""
	if i := strings.IndexAny(rest, " \n"); i >= 0 {
		name, text = rest[:i], strings.TrimSpace(rest[i:])
	}
	if name == "" || text == "" {
		b.say(m.Chat.ID, m.ID, paneChoice("Nothing was typed.", "/tell NAME TEXT", b.cfg.Panes()))
		return nil
	}
	s, ok, err := b.chosenPane(m, name, "/tell NAME TEXT")
	if err != nil || !ok {
		return err
	}
	a := answerOf(id, m, nudge.ByFresh)
	a.Text = text
	_, err = b.tell(s.Pane, a)
	return err
}
