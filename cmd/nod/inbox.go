package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control/caller"
	"nod/cmd/internal/desk"
	"nod/cmd/internal/desk/inbox"
)

func (p *program) inboxCommand() *cobra.Command {
	var popup, lines bool
	c := &cobra.Command{
		Use:   "inbox",
		Short: "all that waits, answered in one pane",
		Long: `Shows all waiting questions in one pane, the longest waiting first, and answers them there: ? lists the
keys. Answers follow the rules of the chat; in tmux a key counts only if a person pressed it. The
terminal's bell rings for each new question and reminder.

To open it as a pop-up with prefix and i, in tmux 3.2 or later, put this into ~/.tmux.conf:

  bind-key i display-popup -E -w 90% -h 90% 'nod inbox --popup'`,
		Example: "  nod inbox\n  nod inbox --plain | tee waits.log",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			start := "nod run"
			if p.nothingSetUp() {
				start = "nod setup"
			}
			if lines {
				inbox.Plain(cmd.Context(), client, p.out, start)
				return nil
			}
			in, isIn := p.in.(*os.File)
			out, isOut := p.out.(*os.File)
			if !isIn || !isOut || !isTerminal(in) || !isTerminal(out) {
				return misuse("it takes a terminal: --plain writes a line for each change")
			}
			return inbox.Run(cmd.Context(), inbox.Config{Client: client, In: in, Out: out, Colours: colour(p.out), Popup: popup, Start: start, Go: showPane, Agents: isAgents})
		},
	}
	c.Flags().BoolVar(&popup, "popup", false, "in a pop-up of tmux: Esc, and going to a pane, end it")
	c.Flags().BoolVar(&lines, "plain", false, "write one line for each change, for a screen reader or a file")
	return c
}

// isAgents reports whether a process, such as a tmux client, belongs to an agent.
func isAgents(ctx context.Context, pid int) bool {
	return caller.Find(ctx, pid, nil, nil).Kind == caller.Agent
}

// showPane shows an agent's pane in the tmux client that the inbox runs in.
func showPane(ctx context.Context, a desk.Agent) error {
	err := goTo(ctx, target{what: a.Title, pane: a.Pane, where: a.Where, server: a.Server})
	if f := (*failure)(nil); errors.As(err, &f) && f.hint != "" {
		return fmt.Errorf("%w: %s", f.err, f.hint)
	}
	return err
}
