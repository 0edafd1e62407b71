package main

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"
)

func (p *program) queueCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "queue",
		Short: "what waits for you, most urgent first",
		Long: `Lists what waits for you, most urgent first: prompts and questions before idle agents, then
the oldest first. What was skipped stands behind the others.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var queue []nudgeResult
			if err := p.call(cmd.Context(), "nudge.queue", nil, &queue); err != nil {
				return err
			}
			switch {
			case asJSON:
				return printJSON(p.out, queue)
			case len(queue) == 0:
				fmt.Fprintln(p.out, "Nothing waits.")
			default:
				p.printNudges(queue, time.Now())
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}
