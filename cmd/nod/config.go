package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console"
	"nod/cmd/internal/control"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/wrap"
)

// configRow is one setting, with its value here and in the running bot.
type configRow struct {
	settings.Row
	Running *string `json:"running"` // the bot's value; null if nod is not running
}

func (p *program) configCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "every setting, where it comes from, and what the bot uses",
		Long: `Shows every setting with its value, secrets masked, and its source: the environment, the settings
file, or the default. If a running bot uses another value, that is shown too.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := p.settings()
			if err != nil {
				return err
			}
			var running control.Settings
			err = rpc.Dial(string(s.Socket)).Call(cmd.Context(), "settings.list", nil, &running)
			if err != nil && !errors.Is(err, rpc.ErrNotRunning) {
				return err
			}
			rows := compareSettings(s.Rows(), running.Settings)
			if asJSON {
				return printJSON(p.out, rows)
			}
			p.printSettings(rows, err == nil)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	set := p.configSetCommand()
	set.Args = explained(set.Args)
	c.AddCommand(set)
	return c
}

func (p *program) configSetCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "set NAME [VALUE]",
		Short: "change one setting in the settings file",
		Long: `Changes one setting in the settings file; every other line stays as it is. An empty VALUE removes the
setting, so that its default applies. A running nod uses most settings at once; the command says whether
it does. The token can't be an argument, which a shell's history would keep: without a VALUE the command
asks for it, or reads it from standard input.`,
		Example:           "  nod config set NOD_IDLE on\n  nod config set NOD_QUIET '22:00-07:00 Europe/Berlin'\n  nod config set NOD_TELEGRAM_TOKEN <token.txt",
		Args:              func(cmd *cobra.Command, args []string) error { return cobra.RangeArgs(1, 2)(cmd, nameAndValue(args)) },
		ValidArgsFunction: completeSettings,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = nameAndValue(args)
			secret := args[0] == "NOD_TELEGRAM_TOKEN"
			switch {
			case secret && len(args) == 2:
				return misuse("the token is a secret, and a command line is kept by the shell: leave it out, and nod asks for it")
			case !secret && len(args) == 1:
				return misuse("missing VALUE")
			}
			if err := p.onlyHumans(cmd.Context()); err != nil {
				return err
			}
			change := settings.Change{Variable: args[0]}
			if secret {
				token, err := p.readToken(cmd.Context())
				if err != nil {
					return err
				}
				change.Value = token.Reveal()
			} else {
				change.Value = args[1]
			}
			if err := settings.Try(p.env, []settings.Change{change}); err != nil {
				return misuse("%w", err)
			}
			listens, _ := settings.SocketOf(p.env) // the change may name another socket
			if err := settings.Save(settings.File(p.env), []settings.Change{change}); err != nil {
				return err
			}
			return p.printChanged(cmd.Context(), change, listens)
		},
	}
	c.Flags().SetInterspersed(false) // the id of a group is below zero
	return c
}

// nameAndValue drops the -- that some people write before a value which begins with a dash.
func nameAndValue(args []string) []string {
	if len(args) == 0 {
		return nil
	}
	return append(args[:1:1], operands(args[1:])...)
}

// readToken asks for the bot's token, or reads it from a file or a pipe.
func (p *program) readToken(ctx context.Context) (settings.Secret, error) {
	c := console.New(p.in, p.err, false)
	ask := c.Ask
	question := ""
	if c.Terminal() {
		ask, question = c.Secret, "Token (it is not shown): "
	}
	text, err := ask(ctx, question)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	return settings.ParseToken(text)
}

// printChanged prints a setting's new value and whether the running bot, which listens there, uses it.
func (p *program) printChanged(ctx context.Context, change settings.Change, listens settings.Path) error {
	variables := settings.Variables()
	v := variables[slices.IndexFunc(variables, func(v settings.Variable) bool { return v.Name == change.Variable })]
	if change.Value == "" {
		fmt.Fprintf(p.out, "%s was taken out of %s; its default is %s.\n", v.Name, settings.File(p.env), orDash(v.Default))
	} else {
		shown := ansi.OneLine(change.Value)
		if change.Variable == "NOD_TELEGRAM_TOKEN" {
			shown = settings.Secret(change.Value).String()
		}
		fmt.Fprintf(p.out, "%s is %s in %s.\n", v.Name, shown, settings.File(p.env))
	}
	if p.env[v.Name] != "" {
		fmt.Fprintf(p.out, "The environment sets %s here too, and that wins.\n", v.Name)
	}
	s, err := p.settings()
	if err != nil {
		return err // about another setting
	}
	var running control.Health
	switch incomplete := s.Ready(); {
	case rpc.Dial(string(listens)).Call(ctx, "health", nil, &running) != nil: // the bot will read the file when it starts
	case incomplete != nil && !running.Edge:
		for line := range strings.SplitSeq(incomplete.Error(), "\n") {
			fmt.Fprintln(p.out, wrap.Text(line, 0, width(p.out)))
		}
		fmt.Fprintln(p.out, "The running nod goes on as it was, and would not start with these settings.")
	case s.Socket != listens:
		fmt.Fprintf(p.out, "The running nod still listens at %s, where no command looks now:\nend it and `nod run`, or `nod service restart` if it is a service.\n", listens)
	case v.Restart:
		fmt.Fprintln(p.out, "The running nod uses it once it is started again: end it and `nod run`,\nor `nod service restart` if it is a service.")
	default:
		fmt.Fprintln(p.out, "The running nod uses it within a few seconds.")
	}
	return nil
}

func compareSettings(here, running []settings.Row) []configRow {
	values := map[string]string{}
	for _, row := range running {
		values[row.Variable] = row.Value
	}
	var rows []configRow
	for _, row := range here {
		c := configRow{Row: row}
		if value, ok := values[row.Variable]; ok {
			c.Running = &value
		}
		rows = append(rows, c)
	}
	return rows
}

func (p *program) printSettings(rows []configRow, runs bool) {
	fmt.Fprintf(p.out, "settings file: %s\n\n", settings.File(p.env))
	lines := [][]string{{"SETTING", "FROM", "VALUE"}}
	for _, row := range rows {
		value := orDash(ansi.OneLine(row.Value))
		if row.Running != nil && *row.Running != row.Value {
			value += fmt.Sprintf("  (the running bot uses %s", orDash(ansi.OneLine(*row.Running)))
			if row.Restart {
				value += " until it is started again"
			}
			value += ")"
		}
		lines = append(lines, []string{row.Variable, string(row.Source), value})
	}
	table(p.out, 1000, lines) // a value that is cut off would be wrong
	for _, problem := range p.env.Misspelt() {
		fmt.Fprintf(p.out, "\n%s\n", ansi.OneLine(problem.String()))
	}
	switch {
	case p.nothingSetUp():
		fmt.Fprintln(p.out, "\nNothing is set up yet: run `nod setup`.")
	case !runs:
		fmt.Fprintln(p.out, "\nnod is not running.")
	}
}
