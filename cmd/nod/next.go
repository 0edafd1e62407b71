package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/deploy"
	"nod/internal/host/ansi"
	"nod/internal/host/tmux"
)

func (p *program) nextCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "next",
		Short: "go to the pane that waits",
		Long: `Takes the tmux client that you sit at to the first pane of the queue. It fits a key of tmux:
see nod status --snippet.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			queue, err := p.queue(cmd.Context())
			if err != nil {
				return err
			}
			at := slices.IndexFunc(queue, func(n control.Nudge) bool { return n.Pane != "" })
			if at < 0 {
				return errNothingWaits
			}
			head := queue[at]
			if err := goTo(cmd.Context(), head); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "#%s  %s  %s\n", head.ID, ansi.OneLine(head.Where), asked(head))
			return nil
		},
	}
}

// goTo shows a nudge's pane in the client that this command was called from.
func goTo(ctx context.Context, n control.Nudge) error {
	by, pane := tmux.Here()
	if by == nil || by.Socket() != n.Server {
		return &failure{
			code: exitFailed,
			err:  fmt.Errorf("#%s waits in %s on the tmux server %s, which you are not in", n.ID, n.Where, n.Server),
			hint: fmt.Sprintf("tmux -S %s attach -t %s", deploy.ShellQuote(n.Server), deploy.ShellQuote(n.Where)),
		}
	}
	listing, err := by.List(ctx)
	if err != nil {
		return err
	}
	client, ok := listing.ClientAt(pane)
	if !ok {
		return errors.New("nobody is attached to this tmux server")
	}
	return by.Switch(ctx, client.Name, n.Pane)
}
