package main

import (
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/await"
	"nod/detect/agents"
	"nod/internal/rpc"
	"nod/internal/settings"
)

func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "called by an agent's hook, event JSON on standard input",
		Long: `Passes an agent's event, JSON on standard input, to the running bot, and always exits with 0.
` + "`nod hooks install`" + ` makes agents call it. Where an agent takes an answer from its hook without holding its prompt
back (Claude Code's PermissionRequest, OpenCode's and Kilo's permission.asked), it waits, and prints a human's
decision on that very request. It prints nothing else: when the prompt was answered at the terminal, or nod
stops, it ends without a word.`,
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Run: func(cmd *cobra.Command, args []string) {
			if len(args) == 0 {
				return
			}
			terminated := make(chan os.Signal, 1)
			signal.Notify(terminated, syscall.SIGTERM)
			defer signal.Stop(terminated)
			socket, err := settings.SocketOf(p.env)
			if err != nil {
				return // the agent might read an error message as a decision
			}
			client := rpc.Dial(string(socket))
			defer client.Close()
			h := rpc.Hook{Agent: args[0], Tmux: os.Getenv("TMUX"), Pane: os.Getenv("TMUX_PANE")}
			if tells := agents.HooksOf(h.Agent).VersionIn; tells != nil {
				h.Version = tells(os.Getenv)
			}
			await.Decision(cmd.Context(), client, h, p.in, p.out, terminated)
		},
	}
}
