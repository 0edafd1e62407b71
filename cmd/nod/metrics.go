package main

import (
	"github.com/spf13/cobra"
)

func (p *program) metricsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "metrics",
		Short: "what the bot has counted since its start, for Prometheus",
		Long: `Prints the running bot's counts since its start, in Prometheus's text format. They contain no text
from a screen. docs/metrics.md explains each count.`,
		Example: "  nod metrics >nod.prom.new && mv nod.prom.new nod.prom",
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			text, err := client.Metrics(cmd.Context())
			if err != nil {
				return err
			}
			_, err = p.out.Write(text)
			return err
		},
	}
}
