package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"nod/internal/ansi"
	"nod/internal/control"
)

// completeFor is how long a shell waits for what it could complete: a bot that does not answer must
// not hold up somebody's typing.
const completeFor = time.Second

// completeNudges completes the first argument with the ids of what waits.
func (p *program) completeNudges(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	queue, _ := p.queue(ctx) // completion is silent about errors
	var found []cobra.Completion
	for _, n := range queue {
		found = append(found, cobra.CompletionWithDesc(n.ID, ansi.OneLine(n.Agent+" in "+n.Project+": "+asked(n))))
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}

// completePanes completes the first argument with the panes that nod sees.
func (p *program) completePanes(cmd *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(cmd.Context(), completeFor)
	defer cancel()
	var panes []control.Pane
	var found []cobra.Completion
	if p.call(ctx, "pane.list", nil, &panes) == nil {
		for _, pane := range panes {
			found = append(found, cobra.CompletionWithDesc(pane.Where, nameOf(pane)+", "+pane.State))
		}
	}
	return found, cobra.ShellCompDirectiveNoFileComp
}
