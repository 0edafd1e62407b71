package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
		Long:  "Switches your tmux client to the first pane of the queue. `nod status --snippet` prints the line that binds it to a tmux key.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			// The keys that somebody types just then would go into the question. A key binding runs it without a terminal.
			if place := p.place(cmd.Context()); place.Certain {
				return &failure{code: exitFailed, err: errors.New(place.Refusal())}
			}
			queue, err := p.queue(cmd.Context())
			if err != nil {
				return err
			}
			at := slices.IndexFunc(queue, func(n control.Nudge) bool { return n.Pane != "" && strings.HasPrefix(n.Server, "/") })
			if at < 0 {
				return errNothingWaits
			}
			head := queue[at]
			if err := goTo(cmd.Context(), target{what: "#" + head.ID, pane: head.Pane, where: head.Where, server: head.Server}); err != nil {
				return err
			}
			fmt.Fprintf(p.out, "#%s  %s  %s\n", head.ID, ansi.OneLine(head.Where), asked(head))
			return nil
		},
	}
}

// target is a pane to go to.
type target struct{ what, pane, where, server string }

// goTo shows a pane in the tmux client that this command was called from.
func goTo(ctx context.Context, to target) error {
	by, pane := tmux.Here()
	if by == nil || by.Socket() != to.server {
		at, there, socket := "the tmux server "+to.server+", which you are not in", "", to.server
		if machine, far, ok := strings.Cut(to.server, ":"); ok && !strings.HasPrefix(to.server, "/") {
			at, there, socket = "the machine "+machine, "there: ", far
		}
		return &failure{
			code: exitFailed,
			err:  fmt.Errorf("%s waits in %s on %s", to.what, to.where, at),
			hint: fmt.Sprintf("%stmux -S %s attach -t %s", there, deploy.ShellQuote(socket), deploy.ShellQuote(cmp.Or(safeWord().FindString(to.where), to.pane))), // a name of other characters may be wrapped
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
	return by.Switch(ctx, client.Name, to.pane)
}
