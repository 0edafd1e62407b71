package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/await"
	"nod/cmd/internal/control"
	"nod/cmd/internal/jobs/monitor"
	"nod/detect"
	"nod/internal/host/ansi"
	"nod/internal/text/elapsed"
)

func (p *program) monitorCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "monitor",
		Short: "run a command beside the bot, and be told of lines that match",
		Long: `Runs commands beside the bot, or reads panes, and reports matching lines on Telegram. A command runs
without a shell and without nod's settings, and ends with nod; the next nod starts it again. A command
that ends at once when nod starts it is tried three times.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []*cobra.Command{
		p.monitorStart(), p.monitorList(), p.monitorShow(), p.monitorStop(), p.monitorRestart(), p.monitorLogs(),
	} {
		sub.Args = explained(sub.Args)
		c.AddCommand(sub)
	}
	return c
}

func (p *program) monitorStart() *cobra.Command {
	var params control.MonitorParams
	var debounce time.Duration
	c := &cobra.Command{
		Use:   "start NAME --match RE2 [flags] [-- CMD ARG…]",
		Short: "start a monitor",
		Long: `Starts a command without a shell, or reads the new lines of a pane, and reports matching lines, with a
count and the last ten, masked like screens: the first match at once, then at most one message per
debounce. At the end it reports the exit status, and ends the remaining processes. The values of --env are
kept in nod's database for a restart, and shown to nobody.`,
		Example: `  nod monitor start ci --match 'FAIL|panic' -- make watch
  nod monitor start web --pane main:1.0 --match 'HTTP 5\d\d'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Name, params.Argv, params.Debounce = args[0], args[1:], debounce.String()
			if len(params.Argv) > 0 && cmd.ArgsLenAtDash() != 1 {
				return misuse("put the command after --, as in `nod monitor start ci --match FAIL -- make watch`")
			}
			if err := absolute(&params); err != nil {
				return err
			}
			spec := monitor.Spec{Name: params.Name, Match: params.Match, Debounce: debounce, Argv: params.Argv, Cwd: params.Cwd, Env: params.Env}
			if params.Pane != "" {
				spec.Pane = &detect.PaneRef{}
			}
			if err := spec.Check(); err != nil {
				return misuse("%w", err)
			}
			var made control.MonitorStarted
			if err := p.call(cmd.Context(), "monitor.start", params, &made); err != nil {
				return err
			}
			p.saidStarted(made)
			return nil
		},
	}
	c.Flags().StringVar(&params.Match, "match", "", "report lines that this `RE2` matches")
	c.Flags().DurationVar(&debounce, "debounce", monitor.DefaultDebounce, "the `TIME` between two messages, 30s at least")
	c.Flags().StringVar(&params.Cwd, "cwd", "", "run it in this `DIR`; the present one is the default")
	c.Flags().StringArrayVar(&params.Env, "env", nil, "set `K=V` in its environment; may be given several times")
	c.Flags().StringVar(&params.Pane, "pane", "", "read this `PANE` in place of a command")
	return c
}

// absolute adds what the bot, another process, can't know: the current folder and this shell's path of the
// command.
func absolute(params *control.MonitorParams) error {
	if len(params.Argv) == 0 {
		return nil
	}
	cwd, err := filepath.Abs(params.Cwd)
	if err != nil {
		return fmt.Errorf("find the present folder: %w", err)
	}
	params.Cwd = cwd
	if path, err := exec.LookPath(params.Argv[0]); err == nil && filepath.IsAbs(path) {
		params.Argv = append([]string{path}, params.Argv[1:]...)
	}
	return nil
}

func (p *program) saidStarted(made control.MonitorStarted) {
	if made.PID == 0 {
		p.say("%s runs", made.Name)
		return
	}
	p.say("%s runs as process %d", made.Name, made.PID)
}

func (p *program) monitorList() *cobra.Command {
	var all, asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "list the monitors that run",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []control.Monitor
			if err := p.call(cmd.Context(), "monitor.list", control.MonitorsParams{All: all}, &list); err != nil {
				return err
			}
			switch {
			case asJSON:
				return printJSON(p.out, list)
			case len(list) == 0:
				fmt.Fprintln(p.out, "No monitor runs.")
				return nil
			}
			rows := [][]string{{"NAME", "STATUS", "FOR", "MATCHES", "WATCHES"}}
			for _, m := range list {
				rows = append(rows, []string{m.Name, m.Status, elapsed.Short(lived(m)), fmt.Sprint(m.MatchCount), watches(m)})
			}
			table(p.out, width(p.out), rows)
			return nil
		},
	}
	c.Flags().BoolVar(&all, "all", false, "also those that have ended")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// lived is how long a monitor has been running, or ran.
func lived(m control.Monitor) time.Duration {
	if m.Ended != nil {
		return m.Ended.Sub(m.Started)
	}
	return time.Since(m.Started)
}

func watches(m control.Monitor) string {
	if m.Pane != "" {
		return "pane " + m.Pane
	}
	return strings.Join(m.Argv, " ")
}

func (p *program) monitorShow() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:               "show NAME",
		Short:             "show a monitor and its last matches",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeMonitors,
		RunE: func(cmd *cobra.Command, args []string) error {
			var m control.Monitor
			if err := p.call(cmd.Context(), "monitor.show", control.NameParams{Name: args[0]}, &m); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.out, m)
			}
			status := m.Status
			if m.PID != 0 {
				status += fmt.Sprintf(" as process %d", m.PID)
			}
			if m.Exit != "" {
				status += " (" + m.Exit + ")"
			}
			rows := [][]string{
				{"name", m.Name}, {"status", status}, {"for", elapsed.Short(lived(m))}, {"watches", watches(m)}, {"match", m.Match},
				{"debounce", m.Debounce}, {"matches", fmt.Sprint(m.MatchCount)},
			}
			if m.Cwd != "" {
				rows = append(rows, []string{"in", m.Cwd})
			}
			if len(m.Env) > 0 {
				rows = append(rows, []string{"env", strings.Join(m.Env, " ")})
			}
			table(p.out, width(p.out), rows)
			for _, line := range m.Recent {
				fmt.Fprintln(p.out, "  "+ansi.OneLine(line))
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (p *program) monitorStop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop NAME",
		Short: "end a monitor with all that it has started",
		Long: `Ends a monitor with all its processes: they are asked to end, and killed after five seconds. On Linux
these are all processes below it, even in another session or with another environment, except those that
another service started for it. If some can't be ended, it names them, and the exit code is 1.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeMonitors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.call(cmd.Context(), "monitor.stop", control.NameParams{Name: args[0]}, nil); err != nil {
				return err
			}
			p.say("%s is stopped", args[0])
			return nil
		},
	}
}

func (p *program) monitorRestart() *cobra.Command {
	return &cobra.Command{
		Use:               "restart NAME",
		Short:             "restart a monitor",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeMonitors,
		RunE: func(cmd *cobra.Command, args []string) error {
			var made control.MonitorStarted
			if err := p.call(cmd.Context(), "monitor.restart", control.NameParams{Name: args[0]}, &made); err != nil {
				return err
			}
			p.saidStarted(made)
			return nil
		},
	}
}

func (p *program) monitorLogs() *cobra.Command {
	params := control.LogsParams{}
	follow := false
	c := &cobra.Command{
		Use:               "logs NAME",
		Short:             "print what a monitor wrote last",
		Long:              "Prints a monitor's last output. While nod runs, it keeps a megabyte of each, and sixteen of all that have ended.",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completeMonitors,
		RunE: func(cmd *cobra.Command, args []string) error {
			if params.Bytes < 0 {
				return misuse("--bytes must be a number such as 4096")
			}
			params.Name = args[0]
			return p.printLogs(cmd.Context(), params, follow)
		},
	}
	c.Flags().IntVar(&params.Bytes, "bytes", 0, "print `N` bytes at most; all that is kept is the default")
	c.Flags().BoolVar(&follow, "follow", false, "go on with what it writes until it ends")
	return c
}

func (p *program) printLogs(ctx context.Context, params control.LogsParams, follow bool) error {
	client, err := p.bot()
	if err != nil {
		return err
	}
	defer client.Close()
	return await.Output(ctx, client, params, follow, func(text string) error { return printOutput(p.out, text) })
}

// printOutput prints a program's output: unchanged into a file, without escape sequences on a terminal.
func printOutput(w io.Writer, text string) error {
	if isTerminal(w) {
		text = ansi.Harmless(text)
	}
	_, err := io.WriteString(w, text)
	return err
}
