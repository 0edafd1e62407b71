package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"nod/cmd/internal/console"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/settings"
)

const usage = `nod tells you on Telegram when a coding agent in tmux waits for you, and types
your answer into its pane.`

// streams are a command's input and output.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// program is the state that all commands share.
type program struct {
	streams
	env settings.Environment
}

// The groups of commands in the help.
const (
	groupBot   = "bot"
	groupSee   = "see"
	groupAct   = "act"
	groupOther = "other"
)

// run runs one command line and returns its exit code.
func run(ctx context.Context, env settings.Environment, args []string, s streams) int {
	p := &program{streams: s, env: env}
	root := p.root()
	root.SetArgs(args)
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.SetOut(offersFor(s.out, args))
	}
	if cmd, err := root.ExecuteContextC(ctx); err != nil {
		return p.report(cmd, err)
	}
	return 0
}

func (p *program) root() *cobra.Command {
	var saysVersion bool
	root := &cobra.Command{
		Use:           "nod",
		Short:         "tells you when a coding agent waits, and types your answer",
		Long:          usage,
		SilenceErrors: true, // report prints them
		SilenceUsage:  true,

		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if saysVersion {
				_, err := fmt.Fprintln(p.out, fullVersion())
				return err
			}
			return p.alone(cmd)
		},
	}
	root.Flags().BoolVarP(&saysVersion, "version", "v", false, "version for nod") // cobra would format its own version flag with a template
	root.SetIn(p.in)
	root.SetOut(p.out)
	root.SetErr(p.err)
	root.SetFlagErrorFunc(wrongFlag)
	root.SetHelpFunc(func(c *cobra.Command, _ []string) { fmt.Fprint(p.out, help(c, width(p.out))) })
	root.AddGroup(
		&cobra.Group{ID: groupBot, Title: "The bot:"},
		&cobra.Group{ID: groupSee, Title: "See:"},
		&cobra.Group{ID: groupAct, Title: "Answer and type:"},
		&cobra.Group{ID: groupOther, Title: "Other:"},
	)
	root.SetHelpCommandGroupID(groupOther)
	in := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			c.Args = explained(c.Args)
			root.AddCommand(c)
		}
	}
	in(groupBot, p.setupCommand(), p.doctorCommand(), p.runCommand(), p.edgeCommand(), p.machinesCommand(), p.hubCommand(), p.joinCommand(), demoCommand(), p.serviceCommand(), p.configCommand(), p.backupCommand())
	in(groupSee, p.inboxCommand(), p.webCommand(), p.statusCommand(), p.queueCommand(), p.captureCommand(), p.checkCommand(), p.logCommand(), p.habitsCommand(), p.recordCommand(), p.teachCommand())
	in(groupAct, p.replyCommand(), p.askCommand(), p.shareCommand(), p.tellCommand(), p.sendCommand(), p.nextCommand(), p.skipCommand(), p.monitorCommand(), p.sessionCommand(), p.newCommand(), p.endCommand(), p.restartCommand(), p.watchCommand(), p.unwatchCommand())
	in(groupOther, p.hooksCommand(), p.hookCommand(), p.mcpCommand(), p.metricsCommand(), p.bugreportCommand(), p.versionCommand(), completionCommand(), p.docsCommand(), actorCommand())
	root.InitDefaultHelpCmd()
	if c, _, err := root.Find([]string{"help"}); err == nil { // cobra's own words are longer
		c.Short, c.Long = "what a command does", "Says what a command does, as its --help does."
	}
	return root
}

// welcome is printed by nod without arguments if nothing is set up yet.
const welcome = `nod asks you on Telegram when an agent in tmux waits, and types your answer.
Set it up in two minutes:          nod setup
See it first, without an account:  nod demo     (all else: nod --help)
`

// alone runs nod without a command.
func (p *program) alone(cmd *cobra.Command) error {
	if s, err := p.settings(); err == nil && s.Ready() != nil {
		_, err := fmt.Fprint(p.out, welcome)
		return err
	}
	return cmd.Help()
}

// settings loads the settings. Its error has an exit code of its own.
func (p *program) settings() (settings.Settings, error) { return settings.Load(p.env) }

// bot returns a client of the running bot.
func (p *program) bot() (*rpc.Client, error) {
	s, err := p.settings()
	if err != nil {
		return nil, err
	}
	return rpc.Dial(string(s.Socket)), nil
}

// call calls one method of the running bot.
func (p *program) call(ctx context.Context, method string, params, result any) error {
	client, err := p.bot()
	if err != nil {
		return err
	}
	defer client.Close()
	return client.Call(ctx, method, params, result)
}

// say prints a sentence in one line, whatever the names in it hold.
func (p *program) say(format string, args ...any) {
	fmt.Fprintln(p.out, ansi.OneLine(fmt.Sprintf(format, args...)))
}

// agree asks a person at the terminal and returns an error unless the answer is yes.
func (p *program) agree(ctx context.Context, out io.Writer, question string) error {
	if yes, err := console.New(p.in, out, false).Insist(ctx, question); err != nil || !yes {
		return errors.New("nothing was done") // no answer counts as no
	}
	return nil
}

// colour reports whether w shows colours: a terminal does, unless NO_COLOR (https://no-color.org) or TERM say
// otherwise.
func colour(w io.Writer) bool {
	if f, ok := w.(*frame); ok {
		return f.colours
	}
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the number of columns of w; 80 if it is no terminal.
func width(w io.Writer) int {
	if f, ok := w.(*frame); ok {
		return f.columns
	}
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 20 {
			return columns
		}
	}
	return 80
}
