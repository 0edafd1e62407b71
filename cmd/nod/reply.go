package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/deliver"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/nudge"
)

func (p *program) replyCommand() *cobra.Command {
	var unseen, asJSON bool
	c := &cobra.Command{
		Use:   "reply ID y|n",
		Short: "answer a nudge",
		Long: `Answers a nudge as a reply in the chat would, waits for the outcome and says it. The answer is
y, yes, approve or a, or n, no, deny or d. Approve always means: this one time.

It exits with 1 where the answer was refused or its outcome is not known. An agent can't approve
itself: nod refuses this command where anything leads from it to an agent, and in tmux unless a key
was pressed in that pane within the last ten seconds.`,
		Example:           "  nod reply k3f y",
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: p.completeNudges,
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, id, ok := nudge.ParseWord(args[1], nudge.ByCommand); !ok || id != "" {
				return &failure{code: exitUsage, err: fmt.Errorf("%q is neither a yes nor a no: nothing was typed", args[1]), hint: "answer y or n"}
			}
			id := nudgeID(args[0])
			var result control.Reply
			err := p.call(cmd.Context(), "nudge.reply", control.ReplyParams{ID: id, Answer: args[1], Unseen: unseen}, &result)
			if err != nil {
				return explainUnseen(err, id, args[1])
			}
			if asJSON {
				err = printJSON(p.out, result)
			} else {
				fmt.Fprintln(p.out, replySentence(id, result))
			}
			if result.Outcome != string(nudge.Delivered) {
				return &failure{code: exitFailed, err: errors.New("the outcome is not known"), quiet: true}
			}
			return err
		},
	}
	c.Flags().BoolVar(&unseen, "unseen", false, "approve although a part of what is asked can't be seen")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// explainUnseen adds the step that takes an approval of what can't be seen whole.
func explainUnseen(err error, id, answer string) error {
	fault := (*rpc.Fault)(nil)
	if !errors.As(err, &fault) || fault.Reason != string(deliver.NeedsConfirmation) {
		return err
	}
	return &failure{code: exitFailed, err: err, hint: fmt.Sprintf("look at its pane; to answer all the same: `nod reply --unseen %s %s`", id, answer)}
}

func replySentence(id string, r control.Reply) string {
	if r.Detail != "" {
		return fmt.Sprintf("#%s: %s", id, ansi.OneLine(r.Detail))
	}
	return fmt.Sprintf("#%s: %s, typed %s", id, r.Outcome, strings.Join(r.Keys, " "))
}
