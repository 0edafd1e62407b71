package main

import (
	"github.com/spf13/cobra"

	"nod/cmd/internal/console/mcpserver"
)

func (p *program) mcpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "let headless agents ask you, over MCP",
		Long: `Offers three tools to an agent that starts it as its MCP server. approve asks you whether a call may
run: it is what claude -p --permission-prompt-tool wants. ask_human puts a question to you and waits for
your answer. send_file brings a file of the project to the chat, if you agree. Whatever goes wrong,
approve denies.`,
		Example: `  claude mcp add nod -- nod mcp
  claude -p "tidy up" --permission-prompt-tool mcp__nod__approve`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			return mcpserver.Serve(cmd.Context(), p.human(client), version(), p.in, p.out)
		},
	}
}
