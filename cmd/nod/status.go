package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/deploy"
	"nod/detect/screen"
	"nod/internal/host/ansi"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/text/elapsed"
	"nod/internal/text/plural"
	"nod/internal/text/visible"
	"nod/internal/text/wrap"
	"nod/internal/words"
	"nod/nudge"
)

func (p *program) statusCommand() *cobra.Command {
	var asJSON, forTmux, snippet, watch bool
	c := &cobra.Command{
		Use:   "status",
		Short: "panes with agent and state, what waits, the bot's health",
		Long: `Prints problems, what waits for you, and the agents' panes, with the state of each agent and its age.

With --tmux it prints a few characters for tmux's status line: ⚠ 2 for two that hold up an agent, ✓ 1 for
one that is done and takes its next instruction, ! where something is wrong. --snippet prints lines for
~/.tmux.conf that put this into the status line, and ` + "`nod next`" + ` on a key: ` + "`nod status --snippet >>~/.tmux.conf`" + `

With --watch it stays on the terminal and shows what changes, until Ctrl-C.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON && forTmux || watch && (asJSON || forTmux) {
				return misuse("--json, --tmux and --watch exclude each other")
			}
			if snippet {
				nod, err := deploy.Program()
				if err != nil {
					return err
				}
				fmt.Fprint(p.out, deploy.TmuxLines(nod))
				return nil
			}
			if watch {
				return p.watchStatus(cmd.Context())
			}
			s, err := p.readStatus(cmd.Context())
			switch {
			case forTmux:
				return p.tmuxStatus(s, err)
			case err != nil:
				return err
			case asJSON:
				return printJSON(p.out, s)
			}
			p.printStatus(s, time.Now())
			p.printAbsent(cmd.Context(), p.watched(s.Health))
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().BoolVar(&forTmux, "tmux", false, "print a few characters for tmux's status line")
	c.Flags().BoolVarP(&watch, "watch", "w", false, "stay, and show what changes")
	c.Flags().BoolVar(&snippet, "snippet", false, "print lines for ~/.tmux.conf")
	return c
}

type statusResult struct {
	Health     control.Health  `json:"health"`
	Panes      []control.Pane  `json:"panes"`
	Background []control.Pane  `json:"background"` // agents without a pane
	Nudges     []control.Nudge `json:"nudges"`
}

func (p *program) readStatus(ctx context.Context) (statusResult, error) {
	var s statusResult
	client, err := p.bot()
	if err != nil {
		return s, err
	}
	defer client.Close()
	for _, part := range []struct {
		method string
		into   any
	}{{"health", &s.Health}, {"pane.list", &s.Panes}, {"background.list", &s.Background}, {"nudge.queue", &s.Nudges}} {
		if err := client.Call(ctx, part.method, nil, part.into); err != nil {
			return s, err
		}
	}
	return s, nil
}

// tmuxStatus prints the status for tmux's status line. A problem is one word and an exit code, never a
// sentence.
func (p *program) tmuxStatus(s statusResult, err error) error {
	var words []string
	switch {
	case errors.Is(err, rpc.ErrNotRunning):
		words = []string{"nod off"}
	case err != nil:
		words = []string{"nod ?"}
	default:
		asking, others := urgency(s.Nudges)
		if asking > 0 {
			words = append(words, fmt.Sprintf("⚠ %d", asking))
		}
		if others > 0 {
			words = append(words, fmt.Sprintf("✓ %d", others))
		}
		if s.Health.Status != "ok" {
			if words == nil {
				words = []string{"nod"}
			}
			words = append(words, "!")
		}
	}
	fmt.Fprintln(p.out, strings.Join(words, " "))
	if err == nil {
		return nil
	}
	f := explain(err)
	f.quiet = true
	return f
}

// urgency counts the waiting nudges: asking ones block an agent, others do not.
func urgency(nudges []control.Nudge) (asking, others int) {
	for _, n := range nudges {
		if screen.State(n.Kind).Asks() {
			asking++
		} else {
			others++
		}
	}
	return asking, others
}

// watched returns the tmux servers that the running nod watches: its environment may name others than ours. An
// older nod does not say; then those of the settings count.
func (p *program) watched(h control.Health) []*tmux.Server {
	if h.Tmux == nil {
		return p.localServers()
	}
	return tmux.Servers(h.Tmux)
}

// unwatchedServers returns the sockets of this user's tmux servers that are not among the watched ones.
func unwatchedServers(watched []*tmux.Server) []string {
	sockets, err := tmux.Sockets()
	if err != nil {
		return nil // only a hint; it works only on Linux
	}
	return slices.DeleteFunc(sockets, func(socket string) bool {
		return tmux.SocketOwner(socket) != os.Getuid() ||
			slices.ContainsFunc(watched, func(s *tmux.Server) bool { return tmux.SameSocket(s.Socket(), socket) })
	})
}

// printAbsent names the watched servers that are not running.
func (p *program) printAbsent(ctx context.Context, watched []*tmux.Server) {
	for _, server := range watched {
		if _, err := server.List(ctx); errors.Is(err, tmux.ErrNoServer) {
			sentence := "No tmux server runs at " + ansi.OneLine(server.Socket()) + ": nod sees its panes once one does. NOD_TMUX_SOCKET says where nod looks."
			fmt.Fprintln(p.out, wrap.Text(sentence, 2, width(p.out)))
		}
	}
}

// printStatus prints problems first, then the waiting nudges, then the rest.
func (p *program) printStatus(s statusResult, now time.Time) {
	columns := width(p.out)
	red, off := "", ""
	if colour(p.out) {
		red, off = "\x1b[31m", "\x1b[0m"
	}
	for _, problem := range s.Health.Problems {
		fmt.Fprintln(p.out, red+"✗"+off+" "+wrap.Text(ansi.OneLine(problem), 2, columns))
	}
	up := time.Duration(s.Health.UptimeMS) * time.Millisecond
	fmt.Fprintln(p.out, wrap.Text(ansi.OneLine(fmt.Sprintf("nod %s, %s, up %s: %s", s.Health.Version, s.Health.Status, elapsed.Short(up), summary(s))), 2, columns))
	if s.Health.Telegram == "off" {
		fmt.Fprintln(p.out, wrap.Text("Telegram is off: questions are shown and answered only at this machine, as in `nod inbox`.", 0, columns))
	}
	if len(s.Nudges) > 0 {
		fmt.Fprintln(p.out)
		p.printNudges(s.Nudges, now)
	}
	fmt.Fprintln(p.out)
	agents := append(s.Panes[:len(s.Panes):len(s.Panes)], s.Background...)
	if len(s.Panes) == 0 {
		fmt.Fprintln(p.out, "No agent runs in a watched tmux pane.")
		for _, socket := range unwatchedServers(p.watched(s.Health)) {
			fmt.Fprintln(p.out, wrap.Text("A tmux server listens at "+ansi.OneLine(socket)+": name it in NOD_TMUX_SOCKET to have it watched.", 2, columns))
		}
	}
	if len(agents) > 0 {
		rows := [][]string{{"PANE", "ID", "AGENT", "STATE", "FOR", "WAITS", "PROJECT"}}
		for _, pane := range agents {
			rows = append(rows, []string{
				placeOf(pane.Machine, pane.Where), cmp.Or(pane.Pane, "-"), nameOf(pane), pane.State, elapsed.Short(now.Sub(pane.Since)), mark(pane.Nudge), pane.Project,
			})
		}
		table(p.out, columns, rows)
		printUnasked(p.out, s.Panes, columns)
	}
	if hooks := s.Health.Hooks; hooks.Refused > 0 {
		fmt.Fprintf(p.out, "\n%d of %d events of hooks were refused: see `nod hooks status`.\n", hooks.Refused, hooks.Events)
	}
	for _, held := range s.Health.Held {
		fmt.Fprintln(p.out)
		p.say("#%s is held until %s: %s", held.Nudge, held.Until.Local().Format("15:04:05"), held.Why)
	}
}

// summary counts what waits, in one line.
func summary(s statusResult) string {
	agents := plural.Of(len(s.Panes)+len(s.Background), "agent", "agents")
	asking, others := urgency(s.Nudges)
	stuck := 0
	for _, n := range s.Nudges {
		if screen.State(n.Kind) == screen.Silent {
			stuck++
		}
	}
	return agents + ", " + words.Waits(asking, others-stuck, stuck)
}

func nameOf(pane control.Pane) string {
	if pane.Name != "" {
		return pane.Name
	}
	return pane.Agent
}

// placeOf returns the name by which commands take a pane, on this machine or another.
func placeOf(machine, where string) string {
	if machine != "" {
		where = machine + ":" + where
	}
	return where
}

func mark(id string) string {
	if id == "" {
		return "-"
	}
	return "#" + id
}

// printNudges prints the waiting nudges, a row each, and below each its question at full width.
func (p *program) printNudges(nudges []control.Nudge, now time.Time) {
	rows := [][]string{{"ID", "PANE", "AGENT", "WHAT", "FOR", "TOLD", "NEXT"}}
	for _, n := range nudges {
		rows = append(rows, []string{
			"#" + n.ID, cmp.Or(placeOf(n.Machine, n.Where), "-"), n.Agent, whatOf(n), elapsed.Short(now.Sub(n.Detected)), toldOf(n), nextOf(n),
		})
	}
	columns := width(p.out)
	var aligned strings.Builder
	table(&aligned, columns, rows)
	head, rest, _ := strings.Cut(aligned.String(), "\n")
	fmt.Fprintln(p.out, head)
	for i, row := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		fmt.Fprintln(p.out, row)
		if about := asked(nudges[i]); about != "" {
			fmt.Fprintln(p.out, "      "+runewidth.Truncate(about, max(columns-6, 20), "…"))
		}
	}
}

// whatOf returns the kind of a nudge: a permission, a question, an agent that is done. A state other than
// pending is appended.
func whatOf(n control.Nudge) string {
	what := n.Kind
	switch {
	case n.Failed != "":
		what = "stopped"
	case screen.State(n.Kind) == screen.Idle:
		what = "done"
	}
	switch {
	case n.Stuck:
		return what + ", stuck"
	case n.State != string(nudge.Pending):
		what += ", " + n.State
	}
	if n.Reason != "" {
		what += ", " + n.Reason
	}
	return what
}

// toldOf returns how many of a nudge's reminders were sent, or "-" if it has only one message.
func toldOf(n control.Nudge) string {
	switch {
	case n.Held:
		return "held"
	case n.Of < 2:
		return "-"
	}
	return fmt.Sprintf("%d of %d", n.Reminder, n.Of)
}

// asked returns the question on one line: a command alone, anything else with its verb. For an agent that
// asks nothing it returns why it stopped, or its last words.
func asked(n control.Nudge) string {
	if n.Failed != "" || n.Says != "" {
		return ansi.OneLine(cmp.Or(n.Failed, n.Says))
	}
	p := screen.Prompt{Content: screen.Content{Subject: n.Subject, Lead: n.Lead}}
	lead := p.Leading()
	if n.Kind == string(screen.Question) {
		lead = screen.QuestionFirst(lead, n.Question)
	}
	return ansi.OneLine(n.Verb + " " + lead)
}

func nextOf(n control.Nudge) string {
	if n.Due == nil {
		return "-"
	}
	return n.Due.Local().Format("15:04")
}

// printJSON prints a value for a program. A person may see it on a terminal.
func printJSON(w io.Writer, value any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return err
	}
	_, err := io.WriteString(w, visible.JSON(text.String()))
	return err
}

// printUnasked names the agents that do not ask before all of their calls.
func printUnasked(w io.Writer, panes []control.Pane, columns int) {
	for _, pane := range panes {
		for _, why := range pane.Unasked {
			fmt.Fprintln(w, wrap.Text(ansi.OneLine(fmt.Sprintf("%s %s, %s", placeOf(pane.Machine, pane.Where), nameOf(pane), why)), 2, columns))
		}
	}
}
