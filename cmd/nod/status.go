package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/internal/rpc"
	"nod/internal/tmux"
)

func (p *program) statusCommand() *cobra.Command {
	var asJSON, forTmux bool
	c := &cobra.Command{
		Use:   "status",
		Short: "panes with agent and state, what waits, the bot's health",
		Long: `Shows the panes that agents run in, what each does and since when, what waits for you, and
whether the bot is well.

With --tmux it prints a few characters for tmux's status line, as in
  set -g status-right '#(nod status --tmux)'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && forTmux {
				return misuse("--json and --tmux exclude each other")
			}
			s, err := p.readStatus(cmd)
			switch {
			case forTmux:
				return p.tmuxStatus(s, err)
			case err != nil:
				return err
			case asJSON:
				return printJSON(p.out, s)
			}
			p.printStatus(s, time.Now())
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&forTmux, "tmux", false, "print a few characters for tmux's status line")
	return c
}

type statusResult struct {
	Health healthResult  `json:"health"`
	Panes  []paneResult  `json:"panes"`
	Nudges []nudgeResult `json:"nudges"`
}

func (p *program) readStatus(cmd *cobra.Command) (statusResult, error) {
	var s statusResult
	client, err := p.bot()
	if err != nil {
		return s, err
	}
	defer client.Close()
	for _, part := range []struct {
		method string
		into   any
	}{{"health", &s.Health}, {"pane.list", &s.Panes}, {"nudge.list", &s.Nudges}} {
		if err := client.Call(cmd.Context(), part.method, nil, part.into); err != nil {
			return s, err
		}
	}
	return s, nil
}

// tmuxStatus never fills the status line with a sentence: what is wrong is one word and the exit code.
func (p *program) tmuxStatus(s statusResult, err error) error {
	waiting := len(s.Nudges)
	switch {
	case errors.Is(err, rpc.ErrNotRunning):
		fmt.Fprintln(p.out, "nod off")
	case err != nil:
		fmt.Fprintln(p.out, "nod ?")
	case s.Health.Status != "ok" && waiting > 0:
		fmt.Fprintf(p.out, "⚠ %d !\n", waiting)
	case s.Health.Status != "ok":
		fmt.Fprintln(p.out, "nod !")
	case waiting > 0:
		fmt.Fprintf(p.out, "⚠ %d\n", waiting)
	default:
		fmt.Fprintln(p.out)
	}
	if err == nil {
		return nil
	}
	f := explain(err)
	f.quiet = true
	return f
}

// unwatchedServers are the sockets of tmux servers that run here and that the settings do not name.
func (p *program) unwatchedServers() []string {
	sockets, err := tmux.Sockets()
	if err != nil {
		return nil // it is a hint; systems other than Linux have none
	}
	watched := p.localServers()
	return slices.DeleteFunc(sockets, func(socket string) bool {
		return slices.ContainsFunc(watched, func(s *tmux.Server) bool { return s.Socket() == socket })
	})
}

func (p *program) printStatus(s statusResult, now time.Time) {
	up := time.Duration(s.Health.UptimeMS) * time.Millisecond
	fmt.Fprintf(p.out, "nod %s, %s, up %s\n", s.Health.Version, s.Health.Status, ago(up))
	for _, problem := range s.Health.Problems {
		fmt.Fprintln(p.out, "  "+oneLine(problem))
	}
	fmt.Fprintln(p.out)
	if len(s.Panes) == 0 {
		fmt.Fprintln(p.out, "No agent runs in a watched tmux pane.")
		for _, socket := range p.unwatchedServers() {
			fmt.Fprintf(p.out, "A tmux server listens at %s: name it in NOD_TMUX_SOCKET to have it watched.\n", oneLine(socket))
		}
	} else {
		rows := [][]string{{"PANE", "ID", "AGENT", "STATE", "SINCE", "NUDGE", "PROJECT"}}
		for _, pane := range s.Panes {
			rows = append(rows, []string{
				oneLine(pane.Where), pane.Pane, oneLine(nameOf(pane)), pane.State, ago(now.Sub(pane.Since)), mark(pane.Nudge), oneLine(pane.Project),
			})
		}
		table(p.out, width(p.out), rows)
	}
	if len(s.Nudges) > 0 {
		fmt.Fprintln(p.out)
		p.printNudges(s.Nudges, now)
	}
	if hooks := s.Health.Hooks; hooks.Refused > 0 {
		fmt.Fprintf(p.out, "\n%d of %d events of hooks were refused: see `nod hooks status`.\n", hooks.Refused, hooks.Events)
	}
	for _, held := range s.Health.Held {
		fmt.Fprintf(p.out, "\n#%s is held until %s: %s\n", held.Nudge, held.Until.Local().Format("15:04:05"), oneLine(held.Why))
	}
}

func nameOf(pane paneResult) string {
	if pane.Name != "" {
		return pane.Name
	}
	return pane.Agent
}

func mark(id string) string {
	if id == "" {
		return "-"
	}
	return "#" + id
}

// printNudges prints what waits: a row each, and below it what is asked, with the width to show it.
func (p *program) printNudges(nudges []nudgeResult, now time.Time) {
	rows := [][]string{{"NUDGE", "PANE", "AGENT", "STATE", "AGE", "TOLD", "NEXT"}}
	for _, n := range nudges {
		rows = append(rows, []string{
			"#" + n.ID, oneLine(n.Where), oneLine(n.Agent), n.state(), ago(now.Sub(n.Detected)),
			fmt.Sprintf("%d of %d", n.Reminder, n.Of), n.next(),
		})
	}
	columns := width(p.out)
	var aligned strings.Builder
	table(&aligned, columns, rows)
	head, rest, _ := strings.Cut(aligned.String(), "\n")
	fmt.Fprintln(p.out, head)
	for i, row := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		fmt.Fprintln(p.out, row)
		fmt.Fprintln(p.out, "      "+runewidth.Truncate(nudges[i].asks(), max(columns-6, 20), "…"))
	}
}

// state is the nudge's state for people: that it is stuck says more than that it is pending.
func (n nudgeResult) state() string {
	switch {
	case n.Stuck:
		return "stuck"
	case n.Reason != "":
		return n.State + ", " + n.Reason
	}
	return n.State
}

// asks is what is asked, on one line: a command as it is, else with its verb.
func (n nudgeResult) asks() string { return oneLine(n.Verb + " " + n.Subject) }

func (n nudgeResult) next() string {
	if n.Due == nil {
		return "-"
	}
	return n.Due.Local().Format("15:04")
}

func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
