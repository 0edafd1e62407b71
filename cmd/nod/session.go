package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/cmd/internal/jobs/launch"
	"nod/deliver"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
)

// sessionCommand has all commands about agents in sessions of their own. The most frequent ones also have
// short names.
func (p *program) sessionCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "session",
		Short: "agents in tmux sessions of their own: new, list, restart, end",
		Long: "Starts, lists, restarts and ends agents in tmux sessions of their own.\n" +
			"`nod new`, `nod restart` and `nod end` are short for `nod session new`, restart and end.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, sub := range []*cobra.Command{p.newCommand(), p.listSessionsCommand(), p.restartCommand(), p.endCommand()} {
		sub.Args = explained(sub.Args)
		c.AddCommand(sub)
	}
	return c
}

func (p *program) listSessionsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "the sessions that nod has started",
		Long:  "Lists the sessions that nod has started, including those that ended by themselves: `nod session restart` starts one again.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			var list []control.SessionRow
			if err := p.call(cmd.Context(), "session.list", nil, &list); err != nil {
				return err
			}
			if asJSON {
				return printJSON(p.out, list)
			}
			if len(list) == 0 {
				fmt.Fprintln(p.out, "nod has started no session: `nod session new NAME --agent AGENT` starts one.")
				return nil
			}
			rows := [][]string{{"NAME", "PANE", "AGENT", "STATE", "FOLDER"}}
			for _, s := range list {
				rows = append(rows, []string{s.Name, s.Pane, s.Agent, s.State, s.Cwd})
			}
			table(p.out, width(p.out), rows)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func (p *program) newCommand() *cobra.Command {
	var params control.SessionParams
	c := &cobra.Command{
		Use:   "new NAME --agent AGENT [flags] [-- ARG…]",
		Short: "start an agent in a tmux session of its own",
		Long: `Makes a tmux session with an agent in it, on the server that runs, and watches it under that name.
nod never starts a tmux server. The agent runs without a shell, with the arguments as they are. On another machine, with its
name before the session's, the folder is one there, and the home folder is the default.`,
		Example: "  nod new api --agent claude --cwd ~/src/api -- --resume\n  nod new gpu1:api --agent claude --cwd /home/ann/api",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if params.Agent == "" {
				return misuse("name the agent, as in --agent claude")
			}
			if len(args) > 1 && cmd.ArgsLenAtDash() != 1 {
				return misuse("put the agent's arguments after --, as in `nod new api --agent claude -- --resume`")
			}
			_, _, elsewhere := strings.Cut(args[0], ":")
			if err := p.misspelt(params.Agent); err != nil {
				return err
			}
			params.Name, params.Args = args[0], args[1:]
			switch cwd, err := filepath.Abs(params.Cwd); {
			case elsewhere && params.Cwd != "" && !filepath.IsAbs(params.Cwd):
				return misuse("name a folder of that machine from its root on, as in --cwd /home/ann/api")
			case elsewhere:
			case err != nil:
				return fmt.Errorf("find the present folder: %w", err)
			default:
				params.Cwd = cwd
				if err := (launch.Spec{Name: params.Name, Agent: params.Agent, Cwd: cwd, Args: params.Args}).Check(); err != nil {
					return misuse("%w", err)
				}
			}
			var made control.Session
			if err := p.call(cmd.Context(), "session.new", params, &made); err != nil {
				return err
			}
			p.say("%s runs in %s", made.Name, made.Pane)
			return nil
		},
	}
	c.Flags().StringVar(&params.Agent, "agent", "", "the agent's `NAME`, as in claude")
	c.Flags().StringVar(&params.Cwd, "cwd", "", "run it in this `DIR`; by default in the present one")
	completeAgents(c)
	return c
}

func (p *program) endCommand() *cobra.Command {
	var sure bool
	c := &cobra.Command{
		Use:   "end NAME",
		Short: "end a session that `nod new` has started",
		Long:  "Ends a session that `nod new` has started, with all of its panes. It first says what would be lost, and asks.",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := p.callSure(cmd.Context(), "session.end", args[0], "End it", sure); err != nil {
				return err
			}
			p.say("%s has ended", args[0])
			return nil
		},
	}
	c.Flags().BoolVarP(&sure, "yes", "y", false, "do it without asking")
	return c
}

func (p *program) restartCommand() *cobra.Command {
	var sure bool
	c := &cobra.Command{
		Use:   "restart NAME",
		Short: "restart a session that `nod new` has started",
		Long: `Ends a session that ` + "`nod new`" + ` has started and starts its agent again, with the folder and the
arguments of then. It says what would be lost, and asks.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := p.callSure(cmd.Context(), "session.restart", args[0], "Restart it", sure)
			if err != nil {
				return err
			}
			p.say("%s runs in %s", made.Name, made.Pane)
			return nil
		},
	}
	c.Flags().BoolVarP(&sure, "yes", "y", false, "do it without asking")
	return c
}

// callSure calls a method that refuses with a description of what would be lost, asks the person at the
// terminal, and calls again on a yes.
func (p *program) callSure(ctx context.Context, method, name, what string, sure bool) (made control.Session, err error) {
	err = p.call(ctx, method, control.EndParams{Name: name, Sure: sure}, &made)
	fault := (*rpc.Fault)(nil)
	if !errors.As(err, &fault) || fault.Reason != string(deliver.NeedsConfirmation) {
		return made, err
	}
	if !isTerminal(p.in) {
		return made, &failure{code: exitFailed, err: errors.New(fault.Message), hint: "nothing was done; --yes does it"}
	}
	if err := p.agree(ctx, p.err, ansi.OneLine(fault.Message)+" "+what+"?"); err != nil {
		return made, err
	}
	return made, p.call(ctx, method, control.EndParams{Name: name, Sure: true}, &made)
}
