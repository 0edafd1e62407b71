package main

import (
	"errors"
	"fmt"

	"github.com/mattn/go-runewidth"
	"github.com/spf13/cobra"

	"nod/cmd/internal/console/doctor"
	"nod/deploy"
	"nod/internal/host/ansi"
	"nod/internal/text/plural"
	"nod/internal/text/wrap"
)

func (p *program) doctorCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "what is wrong, and what to do about it",
		Long: `Checks everything that can keep nod from working: settings, files, Telegram, tmux, agents, hooks, the
service, the database, the disk. It prints one line for each check, with the next step if one is needed,
and takes at most three seconds. It changes nothing and takes no message away from a running nod. Exit
code 1: something is broken (✗). Something not set up yet (!) is no failure.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			nod, err := deploy.Program()
			if err != nil {
				nod = "nod" // built by `go run`; then no hook can call it, and doctor says so
			}
			report := doctor.Examine(cmd.Context(), doctor.Machine{Env: p.env, ServiceEnv: p.env.ForService(), Program: nod, Version: version()})
			if asJSON {
				if err := printJSON(p.out, report); err != nil {
					return err
				}
			} else {
				p.printReport(report)
			}
			if !report.OK {
				return &failure{code: exitFailed, err: errors.New("something is broken"), quiet: true}
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// marks are the sign and colour of each level.
var marks = map[doctor.Level]struct{ sign, colour string }{
	doctor.OK:      {"✓", "\x1b[32m"},
	doctor.Note:    {"!", "\x1b[33m"},
	doctor.Broken:  {"✗", "\x1b[31m"},
	doctor.Skipped: {"–", "\x1b[2m"},
}

// checkWidth is the length of the longest name of a check.
const checkWidth = 12

// printReport prints a line for each finding. On a terminal, a long line continues below, indented past the
// name.
func (p *program) printReport(r doctor.Report) {
	columns := 0
	if isTerminal(p.out) {
		columns = width(p.out)
	}
	broken := 0
	for _, f := range r.Findings {
		mark := marks[f.Level]
		sign := mark.sign
		if colour(p.out) {
			sign = mark.colour + sign + "\x1b[0m"
		}
		text := ansi.Harmless(f.Says)
		if f.Next != "" {
			text += " → " + ansi.Harmless(f.Next)
		}
		fmt.Fprintf(p.out, "%s %s %s\n", sign, runewidth.FillRight(f.Check, checkWidth), wrap.Text(text, checkWidth+3, columns))
		if f.Level == doctor.Broken {
			broken++
		}
	}
	switch {
	case broken > 0:
		fmt.Fprintf(p.out, "\n%s broken: begin with the first ✗.\n", plural.Of(broken, "thing is", "things are"))
	default:
		fmt.Fprintln(p.out, "\nNothing is broken.")
	}
}
