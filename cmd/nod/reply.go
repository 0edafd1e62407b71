package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/deliver"
	"nod/detect/screen"
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
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: p.completeNudges,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				f := misuse("missing y or n")
				f.hint = p.preview(cmd.Context(), nudgeID(args[0]))
				return f
			}
			decision, named, ok := nudge.ParseWord(args[1], nudge.ByCommand)
			if !ok || named != "" {
				return &failure{code: exitUsage, err: fmt.Errorf("%q is neither a yes nor a no: nothing was typed", args[1]), hint: "answer y or n"}
			}
			id := nudgeID(args[0])
			var result control.ReplyResult
			err := p.call(cmd.Context(), "nudge.reply", control.ReplyParams{ID: id, Answer: args[1], Unseen: unseen}, &result)
			if err != nil {
				return notFound(explainUnseen(err, id, args[1]), whatWaits)
			}
			if asJSON {
				err = printJSON(p.out, result)
			} else {
				fmt.Fprintln(p.out, replySentence(id, decision, result))
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

// preview says what a nudge asks that waits; empty where that is not known.
func (p *program) preview(ctx context.Context, id string) string {
	queue, _ := p.queue(ctx) // without a bot there is none
	for _, n := range queue {
		if n.ID == id {
			return fmt.Sprintf("#%s asks in %s (%s): %s", n.ID, ansi.OneLine(n.Agent), ansi.OneLine(n.Project), asked(n))
		}
	}
	return ""
}

// explainUnseen adds the step that takes an approval of what can't be seen whole.
func explainUnseen(err error, id, answer string) error {
	fault := (*rpc.Fault)(nil)
	if !errors.As(err, &fault) || fault.Reason != string(deliver.NeedsConfirmation) {
		return err
	}
	return &failure{code: exitFailed, err: err, hint: fmt.Sprintf("look at its pane; to answer all the same: `nod reply --unseen %s %s`", id, answer)}
}

// whatWaits is the next step after an id that nothing has.
const whatWaits = "`nod queue` lists what waits"

// replySentence says what was done to what. Where that is not known, it is what nod saw.
func replySentence(id string, decision screen.Decision, r control.ReplyResult) string {
	about := titled(r.Agent, r.Project)
	if r.Asked != "" {
		about += ": " + ansi.OneLine(r.Asked)
	}
	did, byProgram := "✅ #%s approved in %s", "✅ #%s yes to %s"
	if decision != screen.Approve {
		did, byProgram = "❌ #%s denied in %s", "❌ #%s no to %s"
	}
	switch {
	case r.Outcome != string(nudge.Delivered):
		return fmt.Sprintf("#%s: %s %s", id, about, ansi.OneLine(r.Detail))
	case r.Way == "":
		return fmt.Sprintf(byProgram, id, about)
	}
	if r.Way == "door" {
		about += ", through its own hook"
	}
	return fmt.Sprintf(did, id, about)
}
