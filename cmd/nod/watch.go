package main

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/detect/agents"
)

func (p *program) watchCommand() *cobra.Command {
	var agent string
	c := &cobra.Command{
		Use:   "watch PANE --agent NAME",
		Short: "watch a pane that nod does not find by itself",
		Long: `Watches a pane as an agent's, even if nod finds no agent in it: behind ssh, or in a container. It lasts
until nod unwatch, or until the pane is gone.`,
		Example:           "  nod watch main:2.0 --agent claude",
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if agent == "" {
				return misuse("--agent is missing: which agent runs in %s?", args[0])
			}
			if err := p.misspelt(agent); err != nil {
				return err
			}
			if err := p.call(cmd.Context(), "pane.watch", control.WatchParams{Pane: args[0], Agent: agent}, nil); err != nil {
				return err
			}
			p.say("watching %s as %s", args[0], agent)
			if !slices.Contains(agents.Names(), agent) && !p.teaches(agent) {
				fmt.Fprintf(p.out, "nod knows no agent %q: it reads its dialogs as those of an unknown one\n", agent)
			}
			return nil
		},
	}
	c.Flags().StringVar(&agent, "agent", "", "the agent's `NAME`, as in claude")
	completeAgents(c)
	return c
}

func (p *program) unwatchCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "unwatch PANE",
		Short:             "leave a pane alone",
		Long:              `Stops watching a pane, whatever runs in it, until nod watch.`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.call(cmd.Context(), "pane.unwatch", control.PaneParams{Pane: args[0]}, nil); err != nil {
				return err
			}
			p.say("no longer watching %s", args[0])
			return nil
		},
	}
}
