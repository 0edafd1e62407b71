package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
)

func (p *program) queueCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "queue",
		Short: "what waits for you, most urgent first",
		Long: `Lists what waits for you, most urgent first: permissions and questions before idle agents, then by age.
What you skipped comes last.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			queue, err := p.queue(cmd.Context())
			switch {
			case err != nil:
				return err
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

// queue returns the waiting nudges, most urgent first.
func (p *program) queue(ctx context.Context) (queue []control.Nudge, err error) {
	err = p.call(ctx, "nudge.queue", nil, &queue)
	return queue, err
}

// errNothingWaits is the error of `nod next` and `nod skip` if nothing waits, so that a script can tell.
var errNothingWaits = errors.New("nothing waits")

// head returns the first nudge of the queue.
func (p *program) head(ctx context.Context) (control.Nudge, error) {
	queue, err := p.queue(ctx)
	if err != nil {
		return control.Nudge{}, err
	}
	if len(queue) == 0 {
		return control.Nudge{}, errNothingWaits
	}
	return queue[0], nil
}
