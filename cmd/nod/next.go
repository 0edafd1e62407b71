package main

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"nod/internal/tmux"
)

func (p *program) nextCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "next",
		Short: "go to the pane that waits",
		Long: `Takes the tmux client that you sit at to the pane at the head of the queue. It fits a key:
  bind-key g run-shell 'nod next'`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var queue []nudgeResult
			if err := p.call(cmd.Context(), "nudge.queue", nil, &queue); err != nil {
				return err
			}
			if len(queue) == 0 {
				return errNothingWaits
			}
			head := queue[0]
			if err := goTo(cmd.Context(), head); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "#%s  %s  %s\n", head.ID, oneLine(head.Where), head.asks())
			return nil
		},
	}
}

// goTo shows a nudge's pane in the client that this command was called from.
func goTo(ctx context.Context, n nudgeResult) error {
	by, _, _ := here()
	if by == nil || by.Socket() != n.Server {
		return &failure{
			code: exitFailed,
			err:  fmt.Errorf("#%s waits in %s on the tmux server %s, which you are not in", n.ID, n.Where, n.Server),
			hint: fmt.Sprintf("tmux -S %s attach -t '%s'", n.Server, n.Where),
		}
	}
	listing, err := by.List(ctx)
	if err != nil {
		return err
	}
	client, ok := callingClient(listing.Clients)
	if !ok {
		return errors.New("nobody is attached to this tmux server")
	}
	return by.Switch(ctx, client.Name, n.Pane)
}

// callingClient is the client that a person pressed a key in last, of those that show the pane which
// nod runs in; of all where none does, as when a key binding called it.
func callingClient(clients []tmux.Client) (tmux.Client, bool) {
	_, pane, _ := here()
	mine := slices.DeleteFunc(slices.Clone(clients), func(c tmux.Client) bool { return !slices.Contains(c.Shows, pane) })
	if len(mine) == 0 {
		mine = clients
	}
	if len(mine) == 0 {
		return tmux.Client{}, false
	}
	return slices.MaxFunc(mine, func(a, b tmux.Client) int { return a.Activity.Compare(b.Activity) }), true
}
