// Package setup guides a person from a new installation to the first answer. It asks for the bot's token,
// learns who the supervisor is, finds the tmux servers, writes the settings, installs hooks and the service,
// and proves the whole way with a test question.
//
// All questions about settings come first; then the settings file is written atomically. A person who stops
// before that has changed nothing; after that, running setup again keeps the settings.
package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"nod/bot"
	"nod/cmd/internal/console"
	"nod/cmd/internal/fleet/join"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// Config is the data known before the first question.
type Config struct {
	Env     settings.Environment
	Program string // the absolute path of nod, which hooks and the service call
	// ServiceEnv is the part of Env that a nod running as a service gets.
	ServiceEnv settings.Environment
	In         io.Reader
	Out        io.Writer

	TokenFile   string          // has the bot's token; if empty, setup asks for it
	Supervisors settings.People // added to those in the settings
	Desk        bool            // only at this desk: no Telegram
	Yes         bool            // skip questions that have an answer already
	NoHooks     bool
	NoService   bool
}

// Usage is the error for a command line that lacks an answer when nobody can be asked.
type Usage struct{ text string }

func (e *Usage) Error() string { return e.text }

// Joins says that the person gave the code of another machine's bot instead of a token.
type Joins struct{ Code string }

func (e *Joins) Error() string { return "this machine joins another one's bot" }

// joinedAlready says that this machine has joined another one's bot.
type joinedAlready struct{ join.Joined }

func (e joinedAlready) Error() string {
	return fmt.Sprintf("this machine has joined the bot at %[2]s as %[1]s, which reports its agents: `nod doctor` checks the connection, and `nod machines forget %[1]s` there removes it", e.Name, e.Address)
}

// Stopped says that the person ended setup, and whether anything was written until then.
type Stopped struct {
	Written bool // the settings file was written
	cause   error
}

func (e *Stopped) Error() string {
	if e.Written {
		return "stopped: the settings are written, and no later step was left half done; `nod setup` continues from here"
	}
	return "stopped: nothing was changed"
}

// Unwrap returns the cause of the end.
func (e *Stopped) Unwrap() error { return e.cause }

// setup is one run.
type setup struct {
	Config
	*console.Console
	now     settings.Settings // the settings before this run
	token   settings.Secret
	account *bot.Account
	self    bot.Self
	people  settings.People
	sockets []string // for NOD_TMUX_SOCKET; nil for the default server only
	written bool
	bare    bool // no service is available here
}

// Run runs all steps. The error is a *Stopped if the person stops, and a *Joins if they want to join another
// machine's bot instead.
func Run(ctx context.Context, cfg Config) error {
	s := &setup{Config: cfg, Console: console.New(cfg.In, cfg.Out, cfg.Yes)}
	for _, step := range []func(context.Context) error{
		s.begin, s.askToken, s.freePolling, s.askPeople, s.askSockets, s.write, s.installHooks, s.installService, s.try,
	} {
		if err := step(ctx); err != nil {
			if ctx.Err() != nil || errors.Is(err, console.ErrClosed) {
				return &Stopped{Written: s.written, cause: err}
			}
			return err
		}
	}
	s.end(ctx)
	return nil
}

// begin reads the existing settings. A wrong file is the person's to fix: setup keeps every line of it.
func (s *setup) begin(context.Context) error {
	var err error
	if s.now, err = settings.Load(s.Env); err != nil {
		return err
	}
	if joined, err := join.Read(join.File(settings.File(s.Env))); err == nil {
		return joinedAlready{joined}
	}
	if !s.Terminal() && !s.complete() {
		flags := "--token-file FILE --supervisor ID --yes"
		if s.Desk {
			flags = "--desk --yes"
		}
		return &Usage{"there is no terminal to ask at: `nod setup " + flags + "`"}
	}
	s.Say("nod tells you on Telegram, or only at this desk, when a coding agent in tmux waits for you, and types your answer.")
	s.Say("A few questions set it up. Nothing is changed before you say so, and Ctrl-C stops.")
	s.Say("")
	return nil
}

// complete reports whether every question already has an answer.
func (s *setup) complete() bool {
	return s.Yes && s.Desk || s.Yes && (s.TokenFile != "" || s.now.TelegramToken != "") && (len(s.Supervisors) > 0 || len(s.now.Supervisors) > 0)
}

// nodRuns reports whether a nod with these settings is running.
func (s *setup) nodRuns(ctx context.Context) bool {
	client := rpc.Dial(string(s.now.Socket))
	defer client.Close()
	return client.Call(ctx, "health", nil, nil) == nil
}

// write writes the settings file: the first change on the machine.
func (s *setup) write(ctx context.Context) error {
	file, changes := settings.File(s.Env), s.changes()
	if settings.Holds(file, changes) {
		s.Say("✓ settings: %s, as it is", file)
		s.written = true
		return nil
	}
	s.Say("")
	s.Say("Settings: %s, readable by you alone", file)
	for _, c := range changes {
		switch {
		case c.Variable == "NOD_TELEGRAM_TOKEN":
			s.Say("  %s=%s", c.Variable, s.token)
		case c.Value != "":
			s.Say("  %s=%s", c.Variable, c.Value)
		}
	}
	yes, err := s.Confirm(ctx, "Write them?")
	if err != nil {
		return err
	}
	if !yes {
		return &Stopped{cause: context.Canceled}
	}
	if err := settings.Save(file, changes); err != nil {
		return err
	}
	s.written = true
	// From here on only the file counts, as for the service.
	now, err := settings.Load(s.Env)
	if err != nil {
		return fmt.Errorf("the settings that were written can't be used: %w", err)
	}
	s.now = now
	s.Say("✓ written")
	return nil
}

// changes returns the changes to the settings file.
func (s *setup) changes() (changes []settings.Change) {
	switch {
	case s.Desk:
		return append(s.socketChange(), settings.Change{Variable: "NOD_TELEGRAM", Value: "off"})
	case !bool(s.now.Telegram):
		changes = append(changes, settings.Change{Variable: "NOD_TELEGRAM", Value: "on"})
	}
	if s.now.Source("NOD_TELEGRAM_TOKEN") != settings.FromTokenFile || s.token != s.now.TelegramToken {
		changes = append(changes, settings.Change{Variable: "NOD_TELEGRAM_TOKEN", Value: s.token.Reveal()}, settings.Change{Variable: "NOD_TELEGRAM_TOKEN_FILE"})
	}
	changes = append(changes, settings.Change{Variable: "NOD_SUPERVISORS", Value: s.people.String()})
	changes = append(changes, s.socketChange()...)
	if s.now.Source("NOD_TELEGRAM_API") == settings.FromEnvironment {
		changes = append(changes, settings.Change{Variable: "NOD_TELEGRAM_API", Value: string(s.now.TelegramAPI)}) // a service would use another server
	}
	return changes
}

func (s *setup) socketChange() []settings.Change {
	if s.sockets == nil && s.now.Source("NOD_TMUX_SOCKET") != settings.FromEnvironment { // a service would look elsewhere
		return nil
	}
	return []settings.Change{{Variable: "NOD_TMUX_SOCKET", Value: strings.Join(s.watchedNames(), ",")}}
}

// end prints the next steps.
func (s *setup) end(ctx context.Context) {
	s.Say("")
	switch {
	case s.Desk && s.nodRuns(ctx):
		s.Say("nod runs. Start an agent in tmux.")
	case s.nodRuns(ctx):
		s.Say("nod runs. Start an agent in tmux, walk away, and wait for your phone.")
	case s.bare:
		s.Say("nod is set up but not running: keep `nod run` in a tmux window.")
	default:
		s.Say("nod is set up but not running: `nod run` starts it in this terminal, `nod service install` keeps it running.")
	}
	if s.Desk {
		s.Say("Then keep `nod inbox` open in another window: questions are shown only there.")
	}
	s.Say("`nod status` shows what nod sees; `nod doctor` finds what is wrong.")
}
