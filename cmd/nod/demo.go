package main

import (
	"net"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"nod/cmd/internal/demo"
)

const demoHelp = `Shows the whole loop without a Telegram account. It starts three scripted agents in a tmux
server of its own, an emulator of Telegram's Bot API on loopback, and the real bot, and prints
the address of a page where you are the person on the phone: approve, deny, reply y or n, and
watch the panes.

The agents draw recorded screens of Claude Code, Codex and OpenCode, and run what you approve in
a temporary folder. Ctrl-C ends all of it and leaves nothing behind.

With --auto it plays the person too, prints what happened line by line, and exits 0 only if every
answer had the intended effect.`

// demoCommand runs the whole loop on one machine.
func demoCommand() *cobra.Command {
	var o demo.Options
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "the whole loop without a Telegram account",
		Long:  demoHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := onLoopback(o.Listen); err != nil {
				return err
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP)
			defer stop()
			return demo.Run(ctx, cmd.OutOrStdout(), o)
		},
	}
	cmd.Flags().BoolVar(&o.Auto, "auto", false, "play the person too, and check that every answer lands")
	cmd.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:0", "loopback `ADDRESS` of the chat page")
	cmd.Flags().BoolVar(&o.Topics, "topics", false, "give each agent a topic of its own in the chat")
	cmd.Flags().BoolVar(&o.Machines, "machines", false, "have one of the agents ask on a second machine, which the bot reaches by a pipe in place of ssh")
	return cmd
}

// onLoopback refuses an address that other machines could reach: anybody who sees the page can answer.
func onLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return misuse("--listen %s: it is HOST:PORT, such as 127.0.0.1:8080", address)
	}
	if ip := net.ParseIP(host); host == "localhost" || ip != nil && ip.IsLoopback() {
		return nil
	}
	return misuse("--listen %s: the chat page is for this machine alone, so the address must be on loopback, such as 127.0.0.1:8080", address)
}
