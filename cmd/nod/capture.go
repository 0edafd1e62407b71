package main

import (
	"fmt"

	"github.com/spf13/cobra"
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
			server, pane, err := p.find(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			look, err := server.History(cmd.Context(), pane.ID, lines)
			if err != nil {
				return err
			}
			fmt.Fprintln(p.out, look.Text(lines, colours))
			return nil
		},
	}
	c.Flags().IntVar(&lines, "lines", 0, "print the last `N` lines, also from above the screen; 0: the screen")
	c.Flags().BoolVar(&colours, "color", false, "keep colours")
	return c
}
