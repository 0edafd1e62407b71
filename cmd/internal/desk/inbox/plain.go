package inbox

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"nod/cmd/internal/desk"
	"nod/internal/rpc"
	"nod/internal/text/visible"
)

// Plain writes one line for each change of a card, for a screen reader or a file, until ctx ends. It answers
// nothing: each line about a question names the command that answers it. start is the command that starts nod.
func Plain(ctx context.Context, client *rpc.Client, out io.Writer, start string) {
	w := &writer{out: out, start: start}
	watch(ctx, client, w.change, w.lost)
}

// writer writes changes, each of them once.
type writer struct {
	out   io.Writer
	start string
	list  list
	last  string
}

func (w *writer) say(text string) {
	if text != w.last {
		fmt.Fprintf(w.out, "%s %s\n", time.Now().Format("15:04"), text)
	}
	w.last = text
}

func (w *writer) lost(err error) { w.say(oneLine(visible.Text(whyDown(err, w.start)))) }

func (w *writer) change(c desk.Change) {
	clean(&c)
	other, gone := w.list.apply(c)
	for _, card := range gone {
		w.say(oneLine(card.Title) + " is gone")
	}
	for _, card := range other {
		w.say(lineOf(card))
	}
	if c.Health != nil {
		for _, problem := range c.Health.Problems {
			w.say("nod: " + oneLine(problem))
		}
	}
}

// lineOf returns what fits on one line about a card.
func lineOf(c *desk.Card) string {
	parts := []string{c.Section.Name() + ": " + c.Title, c.State, c.About(), c.Note}
	if c.Asks != nil && c.Asks.Reminder > 1 {
		parts = slices.Insert(parts, 1, fmt.Sprint("reminder ", c.Asks.Reminder))
	}
	if c.Asks != nil {
		parts = append(parts, c.Asks.Minds...)
		for _, o := range c.Asks.Options {
			parts = append(parts, fmt.Sprintf("%d %s", o.Number, o.Label))
		}
	}
	for _, a := range c.Actions {
		if a.Do == desk.Yes && a.Refused == "" {
			parts = append(parts, "answer with: nod reply "+c.Asks.Nudge+" y")
		}
	}
	var told []string
	for _, part := range parts {
		if part = oneLine(part); part != "" {
			told = append(told, part)
		}
	}
	return strings.Join(told, "; ")
}
