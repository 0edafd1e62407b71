package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
)

func (p *program) skipCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "skip [ID]",
		Short:             "put the head of the queue behind the others",
		Long:              `Moves the head of the queue, or the one with that ID, behind the others until they were seen.`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: p.completeNudges,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, skipped := "", ""
			if len(args) == 1 {
				id = nudgeID(args[0])
				skipped = "#" + id
			} else {
				head, err := p.head(cmd.Context())
				if err != nil {
					return err
				}
				id = head.ID
				skipped = fmt.Sprintf("#%s, %s: %s", id, titled(head.Agent, head.Project), asked(head)) // the person did not name it
			}
			if err := p.call(cmd.Context(), "nudge.skip", control.DeferParams{ID: id}, nil); err != nil {
				return notFound(err, whatWaits)
			}
			p.say("skipped %s", skipped)
			return nil
		},
	}
}

// nudgeID normalises a nudge's id as people write it: #K3F is k3f.
func nudgeID(arg string) string { return strings.TrimPrefix(strings.ToLower(arg), "#") }
