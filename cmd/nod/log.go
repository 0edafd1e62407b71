package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/text/plural"
	"nod/internal/text/visible"
	"nod/nudge"
	"nod/store"
)

func (p *program) logCommand() *cobra.Command {
	var follow bool
	var limit int
	var print logPrinter
	c := &cobra.Command{
		Use:   "log",
		Short: "what happened: prompts, messages, answers, keys, refusals",
		Long: `Shows the audit trail: each prompt seen, message sent, answer, key typed and refusal, with time and
person. --json prints one object per line. --follow goes on with each event as it happens, also for
scripts and status bars.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 1 {
				return misuse("--lines takes a number of lines from 1")
			}
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			print.out, print.client = p.out, client
			err = print.page(cmd.Context(), limit)
			if err == nil && follow {
				err = print.follow(cmd.Context())
			}
			if follow && cmd.Context().Err() != nil {
				return nil // following ends by an interrupt
			}
			return err
		},
	}
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens")
	c.Flags().BoolVar(&print.asJSON, "json", false, "print JSON, one object a line")
	c.Flags().IntVar(&limit, "lines", 50, "begin with the last `N` events")
	return c
}

// logPrinter prints the audit trail page by page.
type logPrinter struct {
	out    io.Writer
	client *rpc.Client
	asJSON bool
	last   uint64 // the number of the last event printed; 0 for none
	day    string // day of that event
}

// page prints the events after the last one, at most limit of them. The first call prints the newest events.
func (l *logPrinter) page(ctx context.Context, limit int) error {
	var page control.Log
	if err := l.client.Call(ctx, "log.list", control.LogParams{After: l.last, Limit: limit}, &page); err != nil {
		return err
	}
	for _, event := range page.Events {
		l.last = event.Seq
		if !l.asJSON {
			l.event(event)
			continue
		}
		text, err := json.Marshal(event)
		if err != nil {
			return err
		}
		fmt.Fprintln(l.out, visible.JSON(string(text)))
	}
	return nil
}

// follow prints new events as they happen. If nod drops the stream, because a pager at its first page reads
// nothing, follow continues after the last event.
func (l *logPrinter) follow(ctx context.Context) error {
	for {
		err := l.client.Stream(ctx, "events", control.EventsParams{After: l.last}, l.told)
		if err != nil {
			return err
		}
	}
}

// told prints one event of the stream.
func (l *logPrinter) told(text json.RawMessage) error {
	var event store.Line
	if err := json.Unmarshal(text, &event); err != nil {
		return fmt.Errorf("read an event: %w", err)
	}
	l.last = event.Seq
	if l.asJSON {
		_, err := fmt.Fprintln(l.out, visible.JSON(string(text)))
		return err
	}
	l.event(event)
	return nil
}

// event prints one event, preceded by the day if that changes. On a terminal each event is cut to one row; a
// file or a pipe gets it whole.
func (l *logPrinter) event(e store.Line) {
	if day := e.At.Local().Format(time.DateOnly); day != l.day {
		l.day = day
		fmt.Fprintln(l.out, day)
	}
	line := logLine(e)
	if isTerminal(l.out) {
		line = runewidth.Truncate(line, width(l.out), "…")
	}
	fmt.Fprintln(l.out, line)
}

// oneRow joins the lines of a text, with a sign where each ends.
func oneRow(text string) string {
	var rows []string
	for line := range strings.Lines(ansi.Harmless(text)) {
		if line = ansi.OneLine(line); line != "" {
			rows = append(rows, line)
		}
	}
	return strings.Join(rows, " ↵ ")
}

// logLine formats one event for people: time, kind and details. Details that are the same for a nudge's whole
// life are printed only when its prompt is seen.
func logLine(e store.Line) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %-18s", e.At.Local().Format(time.TimeOnly), e.Kind)
	add := func(format string, value any, set bool) {
		if set {
			fmt.Fprintf(&b, "  "+format, value)
		}
	}
	first := e.Shape != "" && e.Kind == nudge.PromptDetected
	add("#%s", e.Nudge, e.Nudge != "")
	add("#%s", e.Instruction, e.Instruction != "")
	add("%s", e.Monitor, e.Monitor != "")
	add("%s", plural.Of(e.Count, "line", "lines"), e.Count > 0)
	add("%s", e.Pane, e.Pane != "" && (first || e.Nudge == ""))
	add("%s", e.Agent, first)
	add("%s", e.State, e.State != "")
	add("%s", e.Decision, e.Decision != "")
	add("%s", strings.Join(e.Keys, " "), len(e.Keys) > 0)
	add("reminder %d", e.Reminder, e.Reminder > 0)
	add("%s", e.Reason, e.Reason != "")
	add("by %s", e.By, e.By != "")
	add("(%s)", e.Way, e.Way != "")
	add("after %s", e.After, e.After != "")
	session := e.Kind == nudge.SessionStarted || e.Kind == nudge.SessionEnded
	add("%s", oneRow(e.Subject), (first || session || e.Kind == nudge.CallBlocked) && e.Subject != "")
	return strings.TrimRight(strings.ReplaceAll(ansi.Harmless(b.String()), "\n", " "), " ")
}
