package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// errNothingWaits ends `nod next` and `nod skip`, so that a script can tell.
var errNothingWaits = errors.New("nothing waits")

func (p *program) skipCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "skip [ID]",
		Short: "put the head of the queue behind the others",
		Long: `Puts the nudge at the head of the queue, or the one that is named, behind the others until they
were seen.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeNudges,
		RunE: func(cmd *cobra.Command, args []string) error {
			var id string
			if len(args) == 1 {
				id = strings.TrimPrefix(strings.ToLower(args[0]), "#")
			} else {
				var queue []nudgeResult
				if err := p.call(cmd.Context(), "nudge.queue", nil, &queue); err != nil {
					return err
				}
				if len(queue) == 0 {
					return errNothingWaits
				}
				id = queue[0].ID
			}
			if err := p.call(cmd.Context(), "nudge.skip", idParams{ID: id}, nil); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "skipped #%s\n", id)
			return nil
		},
	}
}
