package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/internal/rpc"
	"nod/store"
)

func (p *program) logCommand() *cobra.Command {
	var follow, asJSON bool
	var limit int
	c := &cobra.Command{
		Use:   "log",
		Short: "what happened: prompts, messages, answers, keys, refusals",
		Long: `Shows the audit trail: each prompt that was seen, message that was sent, answer, key that was
typed and refusal, with times and who. With --json one object a line.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return misuse("--lines takes a number of lines from 1")
			}
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			last, err := p.printLog(cmd.Context(), client, logParams{Limit: limit}, asJSON)
			for err == nil && follow {
				last, err = p.followLog(cmd.Context(), client, last, asJSON)
			}
			if follow && cmd.Context().Err() != nil {
				return nil // interrupted: how following ends
			}
			return err
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON, one object a line")
	c.Flags().IntVar(&limit, "lines", 50, "begin with the last `N` events")
	return c
}

// followEvery is how soon a new event is shown.
const followEvery = 500 * time.Millisecond

// followPage is how many events are asked for at a time.
const followPage = 500

func (p *program) followLog(ctx context.Context, client *rpc.Client, last uint64, asJSON bool) (uint64, error) {
	select {
	case <-ctx.Done():
		return last, ctx.Err()
	case <-time.After(followEvery):
	}
	if last == 0 { // nothing had happened yet
		return p.printLog(ctx, client, logParams{Limit: followPage}, asJSON)
	}
	return p.printLog(ctx, client, logParams{After: last, Limit: followPage}, asJSON)
}

// printLog prints one page and returns the number of the last event that was printed so far.
func (p *program) printLog(ctx context.Context, client *rpc.Client, ask logParams, asJSON bool) (uint64, error) {
	var page logResult
	if err := client.Call(ctx, "log.list", ask, &page); err != nil {
		return ask.After, err
	}
	last := ask.After
	for _, event := range page.Events {
		last = event.Seq
		if !asJSON {
			p.printEvent(event)
			continue
		}
		text, err := json.Marshal(event)
		if err != nil {
			return last, err
		}
		fmt.Fprintln(p.out, string(text))
	}
	return last, nil
}

// printEvent prints one event, and before the first of a day the day. A terminal gets one row an
// event; a file or a pipe gets all of it.
func (p *program) printEvent(e store.Line) {
	if day := e.At.Local().Format(time.DateOnly); day != p.day {
		p.day = day
		fmt.Fprintln(p.out, day)
	}
	line := logLine(e)
	if isTerminal(p.out) {
		line = runewidth.Truncate(line, width(p.out), "…")
	}
	fmt.Fprintln(p.out, line)
}

// logLine is one event for people: when, what, and what is known of it. What stays the same for all
// of a nudge's life is said once, when its prompt is seen.
func logLine(e store.Line) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %-15s", e.At.Local().Format(time.TimeOnly), e.Kind)
	add := func(format string, value any, set bool) {
		if set {
			fmt.Fprintf(&b, "  "+format, value)
		}
	}
	first := e.Shape != "" && e.Kind == "prompt detected"
	add("#%s", e.Nudge, e.Nudge != "")
	add("%s", e.Pane, e.Pane != "" && (first || e.Nudge == ""))
	add("%s", e.Shape, first)
	add("%s", e.State, e.State != "")
	add("%s", e.Decision, e.Decision != "")
	add("%s", strings.Join(e.Keys, " "), len(e.Keys) > 0)
	add("reminder %d", e.Reminder, e.Reminder > 0)
	add("%s", e.Reason, e.Reason != "")
	add("by %s", e.By, e.By != "")
	add("(%s)", e.Way, e.Way != "")
	add("after %s", e.After, e.After != "")
	add("%s", oneLine(e.Subject), first && e.Subject != "")
	return strings.TrimRight(harmless(b.String()), " ")
}
