package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// configRow is one setting, here and in the running bot.
type configRow struct {
	settings.Row
	Running *string `json:"running"` // what the bot uses; null where none runs
}

func (p *program) configCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "config",
		Short: "every setting, where it comes from, and what the bot uses",
		Long: `Shows every setting with its value, secrets masked, and where it comes from: the environment,
the settings file, or the default. Where a bot runs and uses another value, that is shown too.`,
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
	return c
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
	table(p.out, 1000, lines) // a cut value would be a wrong one
	for _, problem := range p.env.Misspelt() {
		fmt.Fprintf(p.out, "\n%s\n", ansi.OneLine(problem.String()))
	}
	switch {
	case p.nothingSetUp():
		fmt.Fprintln(p.out, "\nNothing is set up yet: run `nod setup`.")
	case !runs:
		fmt.Fprintln(p.out, "\nNo nod is running.")
	}
}
