package bot

import (
	"context"
	"fmt"
	"time"

	tgbotapi "github.com/go-telegram-bot-api/telegram-bot-api/v5"

	"nod/detect"
	"nod/nudge"
)

// queueList answers /queue.
func (b *Bot) queueList(_ context.Context, _ int, m *message, _ string) error {
	open, err := b.cfg.Keeper.Queue()
	if err != nil {
		return fmt.Errorf("list what waits: %w", err)
	}
	b.sayThen(m.Chat.ID, m.ID, queueLetter(open, m.Chat.ID, b.seal, b.look(), time.Now()), several(m.Chat.ID))
	return nil
}

// queueLetter lists what waits, in the queue's own order. Its buttons show one nudge each, and put the
// first behind the others.
func queueLetter(open []nudge.Nudge, chat int64, seal sealer, look look, now time.Time) letter {
	if len(open) == 0 {
		return letter{page: sentence("Nothing waits for you.").page, keys: keys{}}
	}
	var l letter
	l.page.bold(plural(len(open), "agent waits", "agents wait")).line()
	l.page.list(queueLines(open, look, now))
	var row []tgbotapi.InlineKeyboardButton
	for _, n := range open[:min(len(open), maxAmong)] {
		if row = append(row, seal.button("👁 #"+n.ID, verbShow, n.ID, chat)); len(row) == 3 {
			l.keys, row = append(l.keys, row), nil
		}
	}
	if len(row) > 0 {
		l.keys = append(l.keys, row)
	}
	if len(open) > 1 {
		l.keys = append(l.keys, []tgbotapi.InlineKeyboardButton{seal.button("⏭ Skip #"+open[0].ID, verbSkip, open[0].ID, chat)})
	}
	for _, n := range open {
		if n.Kind == detect.Permission {
			l.page.line().line().text("Name one to answer it, as in y " + n.ID + ".")
			break
		}
	}
	return l
}

func queueLines(open []nudge.Nudge, look look, now time.Time) []string {
	var lines []string
	for _, n := range open {
		line := fmt.Sprintf("#%s %s · waits for %s", n.ID, newView(n, look).short(), ago(now.Sub(n.Detected)))
		if n.Stuck() {
			line += " (stuck)"
		}
		if !n.Skipped.IsZero() {
			line += " (skipped)"
		}
		lines = append(lines, line)
	}
	return lines
}

// skip puts a nudge behind the others, and draws the list that was tapped anew. It gives the words that show
// after the tap.
func (b *Bot) skip(chat int64, message int, n nudge.Nudge) (string, error) {
	if n.State != nudge.Pending && !n.Standing {
		return "#" + n.ID + " waits no more.", nil
	}
	if err := b.cfg.Keeper.Skip(n.ID); err != nil {
		return "", fmt.Errorf("skip #%s: %w", n.ID, err)
	}
	b.queue(chat, "the queue", func(ctx context.Context) error {
		open, err := b.cfg.Keeper.Queue()
		if err != nil {
			return fmt.Errorf("list what waits: %w", err)
		}
		return b.edit(ctx, chat, message, queueLetter(open, chat, b.seal, b.look(), time.Now()))
	})
	return "#" + n.ID + " comes after the others now.", nil
}
