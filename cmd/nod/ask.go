package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console"
	"nod/cmd/internal/console/await"
	"nod/cmd/internal/control"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/nudge"
)

func (p *program) askCommand() *cobra.Command {
	var params control.AskParams
	var timeout time.Duration
	var file string
	var pid int
	var asJSON bool
	c := &cobra.Command{
		Use:   "ask QUESTION",
		Short: "ask yourself from any script, and wait for the answer",
		Long: `Asks the supervisors a question, with a button for each option, waits, and prints the answer.
Without --options and --text the answers are yes and no. Reminders come as for every other question.

Exit codes: 0 for an answer, 1 for a no or a withdrawn question, 2 for a wrong call, 69 if nod is not
running, 75 if time was up. In the last case it prints the default, if there is one, and the exit code says
that no human chose it. Without --timeout time is up after NOD_EXPIRY.

Ctrl-C withdraws the question. It waits on while nod is restarted, and after its caller has ended: a
program whose question is pointless without it gives its own --pid. An agent may ask, but never answer
its own question.`,
		Example: `  nod ask "Deploy?" --timeout 10m --default no --file diff.patch && ./deploy
  git diff | nod ask "Commit this?" --file -
  nod ask "Where to?" --options staging,production,nowhere
  nod ask "What shall the release be called?" --text
  nod ask "Go on?" --pid $$`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			params.Question = strings.Join(args, " ")
			if cmd.Flags().Changed("timeout") && timeout < time.Millisecond {
				return misuse("the timeout must be longer than nothing")
			}
			params.TimeoutMS = timeout.Milliseconds()
			if file != "" {
				text, err := p.readAbout(cmd.Context(), file)
				if err != nil {
					return err
				}
				params.File = text
			}
			if err := wrongAsk(params); err != nil {
				return err
			}
			client, err := p.bot()
			if err != nil {
				return err
			}
			defer client.Close()
			ctx, stop, err := await.WhileRuns(cmd.Context(), pid)
			if err != nil {
				return misuse("%w", err)
			}
			defer stop()
			answer, err := p.human(client).Ask(ctx, params)
			if err != nil {
				return err
			}
			return p.printAnswer(answer, asJSON)
		},
	}
	c.Flags().StringSliceVar(&params.Options, "options", nil, "the answers to choose from, as in `A,B`")
	c.Flags().BoolVar(&params.Text, "text", false, "take words of one's own for an answer")
	c.Flags().DurationVar(&timeout, "timeout", 0, "wait for this `TIME` at most, as in 10m")
	c.Flags().StringVar(&params.Default, "default", "", "the `ANSWER` that is printed when time is up")
	c.Flags().StringVar(&file, "file", "", "a text `FILE` that the question is about: it comes with the message; - is standard input")
	c.Flags().IntVar(&pid, "pid", 0, "withdraw the question when the process `PID` ends")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// wrongAsk checks a call before nod is contacted, because a script takes exit code 1 for a no.
func wrongAsk(params control.AskParams) error {
	flaw := params.Flaw()
	if flaw == "" {
		return nil
	}
	err := misuse("%s", flaw)
	if utf8.RuneCountInString(params.Question) > nudge.MaxQuestion {
		err.hint = "--file FILE takes what the question is about; --file - reads it from standard input"
	}
	return err
}

// longestAbout is the number of bytes read from a file. It exceeds what nod shows a human, so nod refuses a
// longer file.
const longestAbout = 1 << 20

// readAbout reads the file at path, which may be a pipe, or standard input if path is -. It stops waiting for
// input when ctx ends.
func (p *program) readAbout(ctx context.Context, path string) (string, error) {
	text, err := console.Read(ctx, func() ([]byte, error) {
		in := p.in
		if path != "-" {
			f, err := os.Open(path)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			in = f
		}
		return io.ReadAll(io.LimitReader(in, longestAbout))
	})
	switch {
	case ctx.Err() != nil:
		return "", errors.New("interrupted: nothing was asked")
	case err != nil:
		return "", misuse("read what the question is about: %w", err)
	}
	return string(text), nil
}

// human returns the Human that answers a command's question. It prints to standard error when nod is not
// running.
func (p *program) human(client *rpc.Client) await.Human {
	return await.Human{Client: client, Down: func(id string) {
		fmt.Fprintf(p.err, "nod can't be reached right now; still waiting for an answer to #%s\n", id)
	}}
}

// printAnswer prints an answer and returns the exit code for it.
func (p *program) printAnswer(answer control.AskAnswer, asJSON bool) error {
	switch {
	case asJSON:
		if err := printJSON(p.out, answer); err != nil {
			return err
		}
	case answer.Answer != "":
		fmt.Fprintln(p.out, ansi.Harmless(answer.Answer))
	}
	switch {
	case nudge.State(answer.State) == nudge.Expired:
		return &failure{code: exitTimedOut, err: errors.New("nobody answered in time")}
	case nudge.State(answer.State) != nudge.Delivered:
		return errors.New("the question was withdrawn")
	case nudge.MeansNo(answer.Answer):
		return &failure{code: exitFailed, err: errors.New("the answer is a no"), quiet: true}
	}
	return nil
}
