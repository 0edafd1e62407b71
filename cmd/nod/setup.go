package main

import (
	"errors"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"nod/bot"
	"nod/cmd/internal/console/setup"
	"nod/deploy"
	"nod/internal/settings"
)

func (p *program) setupCommand() *cobra.Command {
	var cfg setup.Config
	var people []string
	c := &cobra.Command{
		Use:   "setup",
		Short: "set nod up, from the token to a first question",
		Long: `Asks for what nod needs and does the rest: checks the bot's token at Telegram, shows a link and a QR
code that pair your phone with this machine, finds the tmux servers that you use, writes the settings
for you alone, offers hooks for the agents found and the service, and at the end has a scripted agent
ask you something that you answer on your phone.

With --desk, or the word desk instead of a token, nod works without Telegram: this machine's owner sees
and answers questions in ` + "`nod inbox`" + `, on the page and with ` + "`nod reply`" + `. With a code of ` + "`nod hub invite`" + ` instead
of a token, it joins another machine's bot, as ` + "`nod join`" + ` does.

Nothing is changed before you agree to write the settings, and Ctrl-C leaves nothing half done. Run it
again at any time, but not from an agent: it keeps what is there. With flags alone, where nothing is set
up yet, it needs no terminal, and sends no test question.`,
		Example: "  nod setup\n  nod setup --token-file ~/token --supervisor 11111111 --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := cfg.Supervisors.Decode(strings.Join(people, ",")); err != nil {
				return misuse("--supervisor %s", err)
			}
			if p.isSetUp() { // it would change who may answer
				if err := p.onlyHumans(cmd.Context()); err != nil {
					return err
				}
			}
			nod, err := deploy.Program()
			if err != nil {
				return err
			}
			cfg.Env, cfg.ServiceEnv, cfg.Program, cfg.In, cfg.Out = p.env, p.env.ForService(), nod, p.in, p.out
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGHUP) // closing the terminal counts as Ctrl-C
			defer stop()
			err = setup.Run(ctx, cfg)
			if joins := (*setup.Joins)(nil); errors.As(err, &joins) {
				return p.join(ctx, joining{code: joins.Code, yes: cfg.Yes, noService: cfg.NoService})
			}
			return explainSetup(err)
		},
	}
	f := c.Flags()
	f.StringVar(&cfg.TokenFile, "token-file", "", "`FILE` that holds the bot's token, instead of asking for it")
	f.StringSliceVar(&people, "supervisor", nil, "`ID` of a Telegram user who is told and may answer, instead of pairing; comma-separated")
	f.BoolVar(&cfg.Desk, "desk", false, "only at this desk: no Telegram")
	f.BoolVarP(&cfg.Yes, "yes", "y", false, "answer every question with yes, apart from who is a supervisor")
	f.BoolVar(&cfg.NoHooks, "no-hooks", false, "leave the agents' settings alone")
	f.BoolVar(&cfg.NoService, "no-service", false, "install no service")
	return c
}

// isSetUp reports whether a nod has all that it needs, by these settings or by those of the file alone, which a service reads: an
// environment may hide what is in the file. Of wrong settings setup changes nothing.
func (p *program) isSetUp() bool {
	s, err := p.settings()
	if err != nil {
		return false
	}
	file, err := settings.Load(p.env.ForService())
	return s.Ready() == nil || err != nil || file.Ready() == nil
}

// explainSetup adds the exit code and the next step to an error of setup.
func explainSetup(err error) error {
	var (
		usage  *setup.Usage
		failed *setup.Failed
		wrong  *bot.TokenError
	)
	switch {
	case errors.As(err, &usage):
		return &failure{code: exitUsage, err: err, hint: "`nod setup --help` says more"}
	case errors.As(err, &wrong):
		return &failure{code: exitSettings, err: err, hint: "get the right one from @BotFather"}
	case errors.As(err, &failed):
		return &failure{code: exitFailed, err: err, hint: failed.Advice()}
	case errors.As(err, new(*settings.Error)):
		return &failure{code: exitSettings, err: err, hint: "correct the settings, or move the file away: setup changes no file that it can't read"}
	case errors.As(err, new(*setup.Stopped)):
		return &failure{code: exitFailed, err: err}
	}
	return err
}
