package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"nod/internal/control"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// hookTimeout is how long an agent waits at the most for a hook that no human is to answer. Codex draws its prompt only
// when the hook has ended.
const hookTimeout = 500 * time.Millisecond

// signalLag is how much later one of two who wait for a signal may hear of it.
const signalLag = 50 * time.Millisecond

// longestDecision is more than any decision that an agent reads.
const longestDecision = 16 << 10

func (p *program) hookCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT",
		Short: "called by an agent's hook, event JSON on standard input",
		Long: `Hands an agent's event, JSON on standard input, to the running bot, and exits 0 whatever happens.
` + "`nod hooks install`" + ` makes agents call it. Where an agent takes an answer from its hook without holding its prompt
back (Claude Code's PermissionRequest, OpenCode's and Kilo's permission.asked), it waits, and prints a human's
decision on that very request. It prints nothing else: when the prompt was answered at the terminal, or nod
stops, it ends without a word.`,
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
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	defer signal.Stop(terminated)
	s, err := settings.Load(p.env)
	if err != nil {
		return
	}
	client := rpc.Dial(string(s.Socket))
	defer client.Close()
	h := rpc.Hook{Agent: agent, Tmux: os.Getenv("TMUX"), Pane: os.Getenv("TMUX_PANE")}
	told := make(chan string, 1)
	go func() {
		event, err := io.ReadAll(io.LimitReader(p.in, rpc.MaxHook))
		if err != nil {
			return
		}
		h.Event = event
		if door, err := p.tellEvent(ctx, client, h); err == nil {
			told <- door
			return
		}
		told <- "" // nothing can be done about an error, and nobody may be told
	}()
	select {
	case door := <-told:
		if door != "" {
			p.waitAtDoor(ctx, client, h, door, terminated)
		}
	case <-time.After(hookTimeout): // standard input may stay open for ever
	case <-ctx.Done():
	}
}

// tellEvent hands an event over, and gives the word with which the hook may wait for its answer.
func (p *program) tellEvent(ctx context.Context, client *rpc.Client, h rpc.Hook) (door string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	return client.Hook(ctx, h)
}

// waitAtDoor waits for a human's answer to the request that started this hook, and prints it. An agent that ends the hook
// meanwhile says with it that the request was answered at its terminal.
func (p *program) waitAtDoor(ctx context.Context, client *rpc.Client, h rpc.Hook, door string, terminated <-chan os.Signal) {
	var answer control.DoorAnswer
	err := client.Wait(ctx, "door.wait", control.DoorParams{Door: door}, &answer)
	if err != nil {
		select {
		case <-terminated:
			h.Ended = true
			_, _ = p.tellEvent(context.WithoutCancel(ctx), client, h)
		case <-time.After(signalLag):
		}
		return
	}
	if len(answer.Print) > longestDecision || !json.Valid([]byte(answer.Print)) {
		return
	}
	if _, err := io.WriteString(p.out, answer.Print+"\n"); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookTimeout)
	defer cancel()
	_ = client.Call(ctx, "door.printed", control.DoorParams{Door: door}, nil)
}
