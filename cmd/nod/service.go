package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/fleet/join"
	"nod/deploy"
	"nod/internal/host/ansi"
	"nod/internal/settings"
)

func (p *program) serviceCommand() *cobra.Command {
	var yes, print, asJSON, follow bool
	var lines int
	verbs := []string{"install", "uninstall", "start", "stop", "restart", "status", "logs"}
	c := &cobra.Command{
		Use:   "service " + strings.Join(verbs, "|"),
		Short: "have nod run in the background, from login or boot on",
		Long: `Keeps ` + "`nod run`" + ` as a service of your own: a systemd user unit, or on macOS a launchd agent (written after
Apple's manual, not proven yet). install and uninstall list what they will do and ask first; an agent
can't uninstall, stop or restart it.

The service runs this program file, so run install again after moving it. It reads nod.env, and not the
variables of your shell. restart makes it read the settings that are only read at a start.`,
		Example:   "  nod service logs --follow",
		ValidArgs: verbs,
		Args:      cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			env := p.env.ForService()
			program, err := deploy.Program()
			if err != nil {
				return err
			}
			service, err := p.serviceFor(program, env)
			if err != nil {
				return err
			}
			switch args[0] {
			case "install":
				if print {
					fmt.Fprint(p.out, service.Text)
					return nil
				}
				return p.installService(cmd.Context(), service, env, yes)
			case "uninstall":
				return p.uninstallService(cmd.Context(), service, yes)
			case "start":
				return p.turnService(cmd.Context(), service, service.Start, "nod runs.")
			case "stop":
				return p.turnService(cmd.Context(), service, service.Stop, "nod has stopped. It starts again at the next boot or login, or with `nod service start`.")
			case "restart":
				return p.turnService(cmd.Context(), service, service.Restart, "nod was restarted.")
			case "logs":
				return p.serviceLog(cmd.Context(), service, service.Log(lines, follow))
			case "status":
				return p.serviceStatus(cmd.Context(), service, asJSON)
			}
			return misuse("%q is none of %s", args[0], listed(verbs, "and"))
		},
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it without asking")
	c.Flags().BoolVar(&print, "print", false, "with install: print the unit and do nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "with status: print JSON")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "with logs: go on with what comes")
	c.Flags().IntVar(&lines, "lines", 50, "with logs: begin with the last `N` lines")
	return c
}

func (p *program) installService(ctx context.Context, service deploy.Service, env settings.Environment, yes bool) error {
	if err := p.noAgents(ctx); err != nil { // the service reads the settings that the environment names
		return err
	}
	// Otherwise the reason why a service can't start would only be in a log.
	s, err := settings.Load(env)
	if runs, _ := p.serves(env); err == nil && runs == deploy.Bot {
		err = s.Ready()
	}
	if err != nil {
		return &failure{code: exitSettings, err: err, hint: "a service reads " + settings.File(env) + ", and nothing of this shell"}
	}
	if _, err := service.Status(ctx); err != nil {
		return err
	}
	if service.Unproven {
		fmt.Fprintf(p.out, "nod's service for %s was never run: please say what you find.\n", service.Manager)
	}
	if err := p.takeSteps(ctx, service.Install(), yes); err != nil {
		return err
	}
	return p.serviceStatus(ctx, service, false)
}

// serves says what a service runs here: the edge if this machine has joined another one's bot, else the bot.
func (p *program) serves(env settings.Environment) (runs string, err error) {
	_, err = join.Read(join.File(settings.File(env)))
	if errors.Is(err, join.ErrNotJoined) {
		return deploy.Bot, nil
	}
	return deploy.Edge, err
}

func (p *program) serviceFor(program string, env settings.Environment) (deploy.Service, error) {
	runs, err := p.serves(env)
	if err != nil {
		return deploy.Service{}, &failure{code: exitSettings, err: err}
	}
	return deploy.NewService(program, runs, env)
}

func (p *program) uninstallService(ctx context.Context, service deploy.Service, yes bool) error {
	if err := p.onlyHumans(ctx); err != nil {
		return err
	}
	status, err := service.Status(ctx)
	if !status.Installed && (err != nil || !status.Runs()) {
		fmt.Fprintf(p.out, "There is no service: %s does not exist.\n", service.Path)
		return nil
	}
	if err := p.takeSteps(ctx, service.Uninstall(), yes); err != nil {
		return err
	}
	fmt.Fprintln(p.out, "The service is gone. Your settings, nod's records and lingering are as they were.")
	return nil
}

// turnService starts, stops or restarts the service, and prints that.
func (p *program) turnService(ctx context.Context, service deploy.Service, step deploy.Step, done string) error {
	if err := p.onlyHumans(ctx); err != nil {
		return err
	}
	switch status, err := service.Status(ctx); {
	case err != nil:
		return err
	case !status.Installed:
		return &failure{code: exitFailed, err: errors.New("the service is not installed"), hint: "`nod service install` does it"}
	}
	if err := step.Run(ctx); err != nil {
		return err
	}
	fmt.Fprintln(p.out, done)
	return nil
}

// serviceLog shows the service's log with the service manager's own command.
func (p *program) serviceLog(ctx context.Context, service deploy.Service, command []string) error {
	if _, err := os.Stat(service.Path); errors.Is(err, fs.ErrNotExist) {
		return &failure{code: exitFailed, err: errors.New("the service is not installed, so it has no log"), hint: "`nod run` writes its log to its terminal; `nod log` lists questions and answers"}
	}
	log := exec.CommandContext(ctx, command[0], command[1:]...)
	log.Stdout, log.Stderr = p.out, p.err
	log.Cancel = func() error { return log.Process.Signal(os.Interrupt) }
	err := log.Run()
	switch exited := (*exec.ExitError)(nil); {
	case err == nil, ctx.Err() != nil: // following ends by an interrupt
		return nil
	case errors.As(err, &exited):
		return &failure{code: exitFailed, err: fmt.Errorf("`%s` failed", strings.Join(command, " ")), quiet: true}
	}
	return fmt.Errorf("show the service's log: %w", err)
}

// takeSteps prints the steps, asks, and runs them.
func (p *program) takeSteps(ctx context.Context, steps []deploy.Step, yes bool) error {
	for _, step := range steps {
		fmt.Fprintln(p.out, "  "+step.Does)
		if step.Why != "" {
			fmt.Fprintln(p.out, "      "+step.Why)
		}
	}
	if !yes {
		if !isTerminal(p.in) {
			return misuse("nothing was done: there is no terminal to ask at, so say --yes")
		}
		if err := p.agree(ctx, p.out, "Do this?"); err != nil {
			return err
		}
	}
	for _, step := range steps {
		switch err := step.Run(ctx); {
		case err == nil:
		case step.Spare:
			fmt.Fprintln(p.out, "note: "+ansi.Harmless(err.Error()))
		default:
			return err
		}
	}
	return nil
}

// serviceStatus prints the state of the service. It fails if the service is not running.
func (p *program) serviceStatus(ctx context.Context, service deploy.Service, asJSON bool) error {
	status, err := service.Status(ctx)
	if err != nil {
		return err
	}
	down := &failure{code: exitFailed, err: errors.New("the service is not running"), quiet: true}
	if asJSON {
		if err := printJSON(p.out, status); err != nil || status.Runs() {
			return err
		}
		return down
	}
	for _, line := range statusLines(status) {
		fmt.Fprintln(p.out, line)
	}
	if !status.Runs() {
		return down
	}
	return nil
}

// statusLines returns the state of the service in sentences, with a next step if something is wrong.
func statusLines(status deploy.ServiceStatus) []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch {
	case !status.Installed:
		say("The service is not installed: `nod service install` does it.")
		return lines
	case status.Runs():
		say("nod runs as a service, process %d%s.", status.PID, restarts(status.Restarts))
	case status.Exit == exitSettings:
		say("nod is not running: its settings are wrong, or its database is of a newer nod. `nod service logs` says which.")
	default:
		say("nod is not running (%s): `nod service start` starts it, `nod service logs` says why it ended.", status.State)
	}
	if status.Says != "" {
		say("It says: %s", ansi.OneLine(status.Says))
	}
	if !status.Enabled {
		say("It does not start by itself: `nod service install` mends that.")
	}
	if !status.Current {
		say("Its file %s is not what this nod would write: `nod service install` writes it again.", status.Path)
	}
	if status.Manager == "systemd" && !status.Lingering {
		say("It ends when you log out: `loginctl enable-linger` lets it go on, as tmux does.")
	}
	return lines
}

func restarts(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", restarted once"
	}
	return fmt.Sprintf(", restarted %d times", n)
}
