package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/demo"
	"nod/deliver"
	"nod/internal/host/ansi"
	"nod/internal/host/systemd"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/internal/text/wrap"
	"nod/store"
)

// The exit codes: 69, 75 and 78 are EX_UNAVAILABLE, EX_TEMPFAIL and EX_CONFIG of sysexits.h. exitSettings is
// for failures that a restart can't fix; the unit tells systemd not to restart after it (deploy/nod.service).
const (
	exitFailed   = 1
	exitUsage    = 2
	exitNotUp    = 69
	exitTimedOut = 75
	exitSettings = 78
)

// failure is an error with a next step.
type failure struct {
	code  int
	err   error
	hint  string
	quiet bool // the command has already printed it
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// report prints a command's error to standard error and returns the exit code.
func (p *program) report(cmd *cobra.Command, err error) int {
	f := explain(err)
	if f.quiet {
		return f.code
	}
	mark, dim, off := "", "", ""
	if colour(p.err) {
		mark, dim, off = "\x1b[31m", "\x1b[2m", "\x1b[0m"
	}
	if systemd.ToJournal() {
		mark, dim = systemd.ErrorMark, systemd.NoticeMark
	}
	columns := 0
	if isTerminal(p.err) {
		columns = width(p.err)
	}
	say := func(colour, who, text string) {
		fmt.Fprintf(p.err, "%s%s:%s %s\n", colour, who, off, wrap.Text(ansi.Harmless(text), len(who)+2, columns))
	}
	who := "nod"
	if f.code == exitUsage {
		who = cmd.CommandPath()
	}
	for line := range strings.Lines(strings.TrimSpace(f.Error())) {
		say(mark, who, strings.TrimSpace(line))
	}
	if f.code == exitUsage {
		if cmd.HasParent() {
			say("", "usage", usageOf(cmd))
		}
		if f.hint == "" {
			f.hint = "`" + who + " --help` says more"
		}
	}
	for _, hint := range p.hintsOf(f) {
		say(dim, "hint", hint)
	}
	return f.code
}

// hintsOf returns the next steps after a failure. If nothing is set up yet, that hint replaces the general ones.
func (p *program) hintsOf(f *failure) (hints []string) {
	if f.hint != "" {
		hints = append(hints, f.hint)
	}
	incomplete := errors.Is(f.err, settings.ErrIncomplete)
	origin := "settings come from the environment and from " + cmp.Or(settings.File(p.env), "a file, for which HOME or NOD_CONFIG must be set")
	switch {
	case (f.code == exitNotUp || incomplete) && p.nothingSetUp():
		return append(hints, nothingSetUp)
	case hints != nil:
		return hints
	case f.code == exitNotUp:
		return []string{"start it with `nod run`, or check NOD_SOCKET if it runs"}
	case incomplete:
		return []string{"`nod setup` asks for what is missing; " + origin}
	case f.code == exitSettings:
		return []string{origin}
	}
	return nil
}

const nothingSetUp = "nothing is set up yet: run `nod setup`"

// nothingSetUp reports whether nobody has set up nod: there is no settings file, no token and no supervisor.
func (p *program) nothingSetUp() bool {
	_, err := os.Lstat(settings.File(p.env))
	s, wrong := p.settings()
	return errors.Is(err, fs.ErrNotExist) && wrong == nil && bool(s.Telegram) && s.TelegramToken == "" && len(s.Supervisors) == 0
}

// explain finds the exit code and the next step for an error.
func explain(err error) *failure {
	if f := (*failure)(nil); errors.As(err, &f) {
		return f
	}
	f := &failure{code: exitFailed, err: err}
	wrong, fault, newer := (*settings.Error)(nil), (*rpc.Fault)(nil), store.NewerError{}
	switch {
	case errors.As(err, &wrong):
		f.code = exitSettings
	case errors.As(err, &newer):
		f.code = exitSettings
		f.hint = "`nod version` says which one this is"
	case errors.Is(err, rpc.ErrNotRunning):
		f.code, f.err = exitNotUp, rpc.ErrNotRunning
	case errors.As(err, &fault):
		f.err = fault
		f.hint = hints[deliver.Reason(fault.Reason)]
	case errors.Is(err, tmux.ErrNoPane):
		f.hint = hints[deliver.NotFound]
	case errors.Is(err, demo.ErrNoTmux):
		f.hint = "`make demo` installs it, or your package manager does: apt-get install tmux, brew install tmux"
	case errors.Is(err, context.Canceled):
		f.err = errors.New("interrupted")
	}
	return f
}

// notFound gives err the next step hint if a command that looks for something other than a pane did not find it.
func notFound(err error, hint string) error {
	if fault := (*rpc.Fault)(nil); errors.As(err, &fault) && fault.Reason == string(deliver.NotFound) {
		return &failure{code: exitFailed, err: fault, hint: hint}
	}
	return err
}

// hints are the next steps after refusals whose sentence contains none.
var hints = map[deliver.Reason]string{
	deliver.NotFound: "`nod status` lists the panes that nod sees",
	deliver.Answered: "`nod log` shows how it ended",
	deliver.Expired:  "in `nod inbox` the key a asks again, as the button does in the chat",
	deliver.NoKey:    "answer it in its pane, or type a key by hand with `nod send`",
}
