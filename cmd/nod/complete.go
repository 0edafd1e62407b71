package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect/agents"
	"nod/internal/host/ansi"
)

// completeFor is how long a shell waits for what it could complete: a bot that does not answer must
// not hold up somebody's typing.
const completeFor = time.Second

// completeFirst completes the first argument with what find finds. It is silent about errors.
func completeFirst(cmd *cobra.Command, args []string, find func(context.Context) []cobra.Completion) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	return find(ctx), cobra.ShellCompDirectiveNoFileComp
}

// completeNudges completes the first argument with the ids of what waits.
func (p *program) completeNudges(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		queue, _ := p.queue(ctx)
		for _, n := range queue {
			found = append(found, cobra.CompletionWithDesc(n.ID, ansi.OneLine(n.Agent+" in "+n.Project+": "+asked(n))))
		}
		return found
	})
}

// completePanes completes the first argument with the panes that nod sees.
func (p *program) completePanes(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		var panes []control.Pane
		_ = p.call(ctx, "pane.list", nil, &panes)
		for _, pane := range panes {
			found = append(found, cobra.CompletionWithDesc(pane.Where, nameOf(pane)+", "+pane.State))
		}
		return found
	})
}

// completeMonitors completes the first argument with the monitors' names.
func (p *program) completeMonitors(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return completeFirst(cmd, args, func(ctx context.Context) (found []cobra.Completion) {
		var list []control.Monitor
		_ = p.call(ctx, "monitor.list", control.MonitorsParams{All: true}, &list)
		for _, m := range list {
			found = append(found, cobra.CompletionWithDesc(m.Name, m.Status))
		}
		return found
	})
}

// completeAgents offers the agents that nod knows for --agent.
func completeAgents(c *cobra.Command) {
	err := c.RegisterFlagCompletionFunc("agent", cobra.FixedCompletions(agents.Names(), cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag does not exist, whatever the user does
	}
}
