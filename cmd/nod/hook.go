package main

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"nod/internal/rpc"
	"nod/internal/settings"
)

// How long an agent waits for its hook at the most, and how large an event may be. Codex draws its
// prompt only when the hook has ended.
const (
	hookPatience = 500 * time.Millisecond
	largestEvent = 8 << 20
)

func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "called by an agent's hook, event JSON on standard input",
		Long: `Hands an agent's event, JSON on standard input, to the running bot. It prints nothing, so that it
can decide nothing, and exits 0 whatever happens. ` + "`nod hooks install` makes agents call it.",
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		Run: func(cmd *cobra.Command, args []string) {
			if len(args) > 0 {
				p.hook(cmd.Context(), args[0])
			}
		},
	}
}

// hook is silent about every error: what it printed, an agent might read as a decision.
func (p *program) hook(ctx context.Context, agent string) {
	ctx, cancel := context.WithTimeout(ctx, hookPatience)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		event, err := io.ReadAll(io.LimitReader(p.in, largestEvent))
		if err != nil {
			return
		}
		s, err := settings.Load(p.env)
		if err != nil {
			return
		}
		client := rpc.Dial(string(s.Socket))
		defer client.Close()
		// Nothing can be done about an error, and nobody may be told.
		_ = client.Hook(ctx, rpc.Hook{Agent: agent, Tmux: os.Getenv("TMUX"), Pane: os.Getenv("TMUX_PANE"), Event: event})
	}()
	select {
	case <-done:
	case <-ctx.Done(): // standard input may stay open for ever
	}
}
