package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/internal/text/elapsed"
	"nod/internal/text/wrap"
)

func (p *program) hubCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "hub",
		Short: "let other machines join this bot over the network",
		Long: `If NOD_HUB or NOD_NATS is set, other machines can join this bot, one with each code of ` + "`nod hub invite`" + `.
` + "`nod machines`" + ` lists them, and ` + "`nod machines forget NAME`" + ` removes one.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.AddCommand(p.inviteCommand())
	return c
}

func (p *program) inviteCommand() *cobra.Command {
	var address string
	lasts := 10 * time.Minute
	c := &cobra.Command{
		Use:   "invite",
		Short: "a code with which one machine can join",
		Long: `Prints the command that joins another machine to this bot. Its code works once. Before that machine is let in,
you are asked, on Telegram and in ` + "`nod inbox`" + `, with six digits that it shows as well. An agent gets no code.`,
		Example: "  nod hub invite --address hub.example.org:7443",
		Args:    explained(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if lasts <= 0 || lasts > 24*time.Hour {
				return misuse("--for takes a time of up to a day, as in 10m")
			}
			var made control.Invite
			if err := p.call(cmd.Context(), "hub.invite", control.InviteParams{Address: address, ForMS: lasts.Milliseconds()}, &made); err != nil {
				return notFound(err, "") // it says what to do
			}
			fmt.Fprintf(p.out, "Run this on the other machine, within %s:\n\n  nod join %s\n\n", elapsed.Short(lasts), made.Code)
			says := "It shows six digits. You are asked whether to let it in, with six digits too: do so only if they are the same."
			if !strings.Contains(made.Address, "://") {
				says += " It finds this bot at " + made.Address + ": if it can't from there, run this again with --address HOST:PORT."
			}
			if made.NewKey {
				says += " This bot's hub has a key of its own from now on, by which machines know it: keep hub/hub.json in NOD_STATE_DIR; without it every machine has to join again."
			}
			fmt.Fprintln(p.out, wrap.Text(says, 0, width(p.out)))
			return nil
		},
	}
	c.Flags().StringVar(&address, "address", "", "where the other machine reaches this one, `HOST:PORT`, or the NATS servers of NOD_NATS, as a URL; NOD_HUB is only where it listens")
	c.Flags().DurationVar(&lasts, "for", lasts, "the code works for this `TIME`")
	return c
}

func (p *program) forgetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "forget NAME",
		Short: "take a machine out that has joined",
		Long: `Removes a machine that joined with ` + "`nod join`" + `: its connection is cut at once, and its key becomes invalid. To remove a
machine of NOD_MACHINES, change that setting.`,
		Example: "  nod machines forget laptop-2",
		Args:    explained(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.call(cmd.Context(), "machine.forget", control.MachineParams{Name: args[0]}, nil); err != nil {
				return notFound(err, "`nod machines` lists them")
			}
			p.say("%s is forgotten. There, `nod service uninstall` ends its edge.", args[0])
			return nil
		},
	}
}
