package main

import (
	"os"

	"github.com/spf13/cobra"

	"nod/internal/actor"
)

// actorCommand plays one of the demo's agents. It is hidden: the demo starts it under the agent's name, in a
// pane of its own tmux server.
func actorCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "actor SCRIPT",
		Short:  "plays a scripted agent in this terminal",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			script, err := actor.ReadScript(args[0])
			if err != nil {
				return err
			}
			return actor.Run(cmd.Context(), script, os.Stdin, os.Stdout)
		},
	}
}
