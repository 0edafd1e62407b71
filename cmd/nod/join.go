package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/deploy"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/wrap"
)

// joining has the arguments of nod join.
type joining struct {
	code      string
	name      string
	yes       bool
	noService bool
}

func (p *program) joinCommand() *cobra.Command {
	var j joining
	c := &cobra.Command{
		Use:   "join CODE",
		Short: "join this machine to the bot of another one",
		Long: `Joins this machine to the bot that made the code, with ` + "`nod hub invite`" + ` there. It shows six digits, and waits until that
bot's owner has let it in. Then ` + "`nod edge`" + ` runs here as a service: it watches and types for that bot, by the same rules
as there, and this machine needs neither a token nor a chat.

Joining again, with another code, gives this machine new keys. A machine that has a bot of its own does not join, and one
that has joined joins no second bot.`,
		Example: "  nod join nod1-… --name laptop-2",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			j.code = args[0]
			return p.join(cmd.Context(), j)
		},
	}
	c.Flags().StringVar(&j.name, "name", "", "the `NAME` by which the bot calls this machine; its host name, if you give none")
	c.Flags().BoolVarP(&j.yes, "yes", "y", false, "install the service without asking")
	c.Flags().BoolVar(&j.noService, "no-service", false, "install no service: run nod edge yourself")
	return c
}

// join joins this machine to a bot, and starts its edge.
func (p *program) join(ctx context.Context, j joining) error {
	code, err := join.ParseCode(j.code)
	if err != nil {
		return &failure{code: exitUsage, err: err}
	}
	if err := p.onlyHumans(ctx); err != nil {
		return err
	}
	s, err := p.settings()
	if err != nil {
		return err
	}
	before, err := p.joinedBefore(code)
	if err != nil {
		return err
	}
	if err := p.hasNoBot(ctx, s); err != nil {
		return err
	}
	name, err := joinName(j.name, before)
	if err != nil {
		return err
	}
	program, err := carrier.Program()
	if err != nil {
		return err
	}
	say := func(text string) { fmt.Fprintln(p.out, wrap.Text(ansi.OneLine(text), 2, width(p.out))) }
	say(fmt.Sprintf("Asking the bot at %s to let %s in…", code.Address, name))
	ctx, cancel := context.WithTimeout(ctx, carrier.LongestJoin)
	defer cancel()
	last := ""
	joined, err := carrier.Join(ctx, program, carrier.Joining{Code: code, Name: name, Creds: string(s.NatsCreds), Before: before, Version: version()},
		func(digits string) {
			fmt.Fprintf(p.out, "\n  %s\n\n", ansi.Harmless(digits))
			say("The bot's owner is asked whether " + name + " may join. Let it in only if the same digits are shown there.")
		},
		func(why string) {
			if why != "" && why != last {
				say("! " + why)
			}
			last = why
		})
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("nobody has let this machine in: run `nod hub invite` again where the bot runs, and the command that it prints")
	}
	if err != nil && before != nil {
		return &failure{code: exitFailed, err: err, hint: "what this machine has of that bot is " + join.File(settings.File(p.env))}
	}
	if err != nil {
		return err
	}
	if err := joined.Write(join.File(settings.File(p.env))); err != nil {
		return fmt.Errorf("this machine was let in, and its key could not be written, so join again: %w", err)
	}
	say(fmt.Sprintf("✓ this machine is %s at that bot.", joined.Name))
	return p.runJoined(ctx, j, say)
}

// joinedBefore returns this machine's existing membership at the code's hub, or nil.
func (p *program) joinedBefore(code join.Code) (*join.Joined, error) {
	path := join.File(settings.File(p.env))
	before, err := join.Read(path)
	switch {
	case errors.Is(err, join.ErrNotJoined):
		return nil, nil
	case err != nil:
		return nil, err
	case !bytes.Equal(join.Pin(before.Hub), code.Hub):
		return nil, &failure{code: exitFailed, err: fmt.Errorf("this machine is joined to another bot, at %s, as %s, and listens to one alone", before.Address, before.Name),
			hint: "To leave that one: `nod service uninstall`, remove " + path + ", and `nod machines forget " + before.Name + "` there."}
	}
	return &before, nil
}

// hasNoBot refuses a machine with its own bot: two bots would watch the same agents, and both would ask.
func (p *program) hasNoBot(ctx context.Context, s settings.Settings) error {
	const hint = "Stop it (`nod service uninstall`, or end `nod run`) to have this machine's agents told of there. To reach this bot's machine the other way, set NOD_MACHINES."
	client := rpc.Dial(string(s.Socket))
	defer client.Close()
	var running control.Health
	switch err := client.Call(ctx, "health", nil, &running); {
	case errors.Is(err, rpc.ErrNotRunning):
	case err != nil:
		return err
	case !running.Edge:
		return &failure{code: exitFailed, err: errors.New("a bot of its own runs on this machine (`nod run`), so it does not join another one"), hint: hint}
	}
	if s.Telegram && s.Ready() == nil {
		program, err := deploy.Program()
		if err != nil {
			return nil //nolint:nilerr // `go run` is in no service
		}
		service, err := deploy.NewService(program, deploy.Bot, p.env.ForService())
		if err != nil {
			return nil //nolint:nilerr // this system has no services
		}
		if text, err := os.ReadFile(service.Path); err == nil && string(text) == service.Text {
			return &failure{code: exitFailed, err: errors.New("this machine has a bot of its own as a service, so it does not join another one"), hint: hint}
		}
	}
	return nil
}

// joinName returns the name for this machine.
func joinName(asked string, before *join.Joined) (string, error) {
	switch {
	case before != nil && asked != "" && asked != before.Name:
		return "", &failure{code: exitUsage, err: fmt.Errorf("this machine has joined that bot as %s: joining again renews its keys, and keeps its name", before.Name),
			hint: "For another name, run `nod machines forget " + before.Name + "` there, and remove join.json here."}
	case before != nil:
		return before.Name, nil
	case asked != "":
		if flaw := join.NameFlaw(asked); flaw != "" {
			return "", misuse("--name: %s", flaw)
		}
		return asked, nil
	}
	host, err := os.Hostname()
	if err != nil {
		return "", misuse("this machine's name is not known (%v): give one with --name", err)
	}
	host, _, _ = strings.Cut(host, ".")
	if flaw := join.NameFlaw(host); flaw != "" {
		return "", misuse("this machine is called %q, and can't be there: give it a name with --name", host)
	}
	return host, nil
}

// runJoined installs the edge as a service.
func (p *program) runJoined(ctx context.Context, j joining, say func(string)) error {
	byHand := "Keep `nod edge` running here, in a tmux window or by what starts programs on this machine."
	if j.noService {
		say(byHand)
		return nil
	}
	program, err := deploy.Program()
	if err != nil {
		return err
	}
	service, err := deploy.NewService(program, deploy.Edge, p.env.ForService())
	if err == nil {
		_, err = service.Status(ctx)
	}
	if errors.Is(err, deploy.ErrNoManager) {
		say("! " + err.Error() + ". " + byHand)
		return nil
	}
	if err != nil {
		return err
	}
	if !j.yes && !isTerminal(p.in) {
		say("Run `nod service install --yes` to have its edge run as a service. " + byHand)
		return nil
	}
	if err := p.takeSteps(ctx, service.Install(), j.yes); err != nil {
		return err
	}
	return p.serviceStatus(ctx, service, false)
}
