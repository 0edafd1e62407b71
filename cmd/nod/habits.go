package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect/agents"
	"nod/internal/host/ansi"
	"nod/internal/text/plural"
	"nod/internal/text/wrap"
)

func (p *program) habitsCommand() *cobra.Command {
	var asJSON bool
	var least int
	c := &cobra.Command{
		Use:   "habits [AGENT]",
		Short: "what you always approve, and the agent's own setting for it",
		Long: `Lists the calls that you approved at least three times in the last 30 days and never denied, most
frequent first. Where the agent's own settings can allow that very command and nothing else, and nod knows the
command as one that only looks at the project, builds it or tests it, it prints the file and the entry. nod
answers nothing by itself and changes no file: whether to add an entry is up to you.

Known are ls, pwd and wc; what git only reads (status, diff, log, show, blame); building, testing and checking with
go, make, just, npm, pnpm, yarn, bun, deno, cargo, pytest, mvn, gradle, dotnet, mix, rspec, swift, zig and ctest; and
tsc, mypy, ruff, staticcheck, golangci-lint and shellcheck: with options that write nowhere else, and with
names inside the project. Any other command has its count and no entry, for no list of dangers names them all.
So has what holds a secret, an edit, and what several commands have in common.

An entry allows the words, whatever the programs and files behind them do by then: make test runs what the
Makefile says on that day.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp),
		RunE: func(cmd *cobra.Command, args []string) error {
			params := control.HabitParams{Least: least}
			if least < 1 {
				return misuse("--least takes a number from 1")
			}
			if len(args) == 1 {
				if err := p.misspelt(args[0]); err != nil {
					return err
				}
				params.Agent = args[0]
			}
			var habits []control.Habit
			if err := p.call(cmd.Context(), "habit.list", params, &habits); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.out, habits)
			}
			p.printHabits(habits, least)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	c.Flags().IntVar(&least, "least", 3, "leave out what was approved less than `N` times")
	return c
}

func (p *program) printHabits(habits []control.Habit, least int) {
	if len(habits) == 0 {
		fmt.Fprintf(p.out, "Nothing was approved %s or more and never denied in the last 30 days.\n", plural.Of(least, "time", "times"))
	}
	for i, h := range habits {
		if i > 0 {
			fmt.Fprintln(p.out)
		}
		say := func(before, text string) {
			fmt.Fprintln(p.out, before+wrap.Text(ansi.OneLine(text), 2, width(p.out)))
		}
		say("", h.Verb+" "+h.Call)
		count := fmt.Sprintf("%s in %s, since %s", plural.Of(h.Times, "time", "times"), strings.TrimSpace(h.Agent+" "+inProject(h.Project)), h.First.Local().Format(time.DateOnly))
		if h.Calls > 0 {
			count += fmt.Sprintf(", as %d different commands", h.Calls)
		}
		say("  ", count)
		if h.Entry == "" {
			say("  ", "no entry: "+h.Why)
			continue
		}
		fmt.Fprintf(p.out, "  %s:\n  %s\n", ansi.OneLine(h.File), ansi.OneLine(h.Entry))
	}
}

func inProject(project string) string {
	if project == "" {
		return ""
	}
	return "(" + project + ")"
}
