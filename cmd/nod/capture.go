package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nod/internal/tmux"
)

func (p *program) captureCommand() *cobra.Command {
	var lines int
	var colours bool
	c := &cobra.Command{
		Use:   "capture PANE",
		Short: "print a pane",
		Long: `Prints what a pane shows. What a terminal would obey is taken out: with --color only colours
stay. It needs no running bot.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if lines < 0 {
				return misuse("--lines takes a number of lines from 0")
			}
			server, pane, err := findPane(cmd.Context(), p.localServers(), args[0])
			if err != nil {
				return err
			}
			look, err := server.History(cmd.Context(), pane.ID, lines)
			if err != nil {
				return err
			}
			fmt.Fprintln(p.out, contentOf(look, lines, colours))
			return nil
		},
	}
	c.Flags().IntVar(&lines, "lines", 0, "print the last `N` lines, also from above the screen; 0: the screen")
	c.Flags().BoolVar(&colours, "color", false, "keep colours")
	return c
}

// contentOf is a capture made harmless: the last lines of it above its trailing blank rows, all of
// them where lines is 0.
func contentOf(look tmux.Look, lines int, colours bool) string {
	clean := harmless
	if colours {
		clean = harmlessColours
	}
	rows := strings.Split(clean(look.Capture), "\n")
	for len(rows) > 0 && strings.TrimSpace(harmless(rows[len(rows)-1])) == "" {
		rows = rows[:len(rows)-1]
	}
	if lines > 0 && len(rows) > lines {
		rows = rows[len(rows)-lines:]
	}
	text := strings.Join(rows, "\n")
	if colours {
		text += "\x1b[0m"
	}
	return text
}
