package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/creachadair/jrpc2"
	"github.com/spf13/cobra"

	"nod/cmd/internal/control"
	"nod/deliver"
	"nod/deploy"
	"nod/detect/screen"
	"nod/internal/host/ansi"
	"nod/internal/rpc"
	"nod/nudge"
)

func (p *program) replyCommand() *cobra.Command {
	var asked control.ReplyParams
	var asJSON bool
	c := &cobra.Command{
		Use:   "reply ID ANSWER",
		Short: "answer a question by its id",
		Long: `Answers a question by its id, such as k3f, like a reply or a button in the chat, waits for the outcome
and prints it. The answer is y, yes, approve or a, or n, no, deny or d. Approve always means: this one
time. A question with options takes the number or the whole label of one of them, "tick 2" for a box,
"send" to send the ticked boxes, "leave" to leave it unanswered, or your own words if it has a field for
them. --words gives the agent the reason of a denial; without an answer it gives words that would
otherwise be read as one.

It exits with 1 if the answer was refused or its outcome is unknown, and with 2 if it is no answer to
that question. If the bot runs on another machine and NOD_EDGE is ask-here, the command allows an
approval of that bot: it shows the question first, and takes a second y. An agent can't approve itself:
nod refuses this command if anything leads from it to an agent, and in tmux unless a key was pressed in
that pane within the last ten seconds.`,
		Example:           "  nod reply k3f y\n  nod reply k3f n --words 'use the staging database'\n  nod reply k3f 2",
		Args:              cobra.RangeArgs(1, 3),
		ValidArgsFunction: p.completeNudges,
		RunE: func(cmd *cobra.Command, args []string) error {
			asked.ID, asked.Answer = nudgeID(args[0]), strings.Join(args[1:], " ")
			if asked.Answer == "" && asked.Words == "" {
				f := misuse("missing y or n")
				f.hint = p.preview(cmd.Context(), asked.ID)
				return f
			}
			var result control.ReplyResult
			if err := p.call(cmd.Context(), "nudge.reply", asked, &result); err != nil {
				return notFound(explainReply(err, asked), whatWaits)
			}
			var err error
			switch {
			case asJSON:
				err = printJSON(p.out, result)
			case result.Outcome == control.Shown || result.Outcome == control.Noted:
				_, err = fmt.Fprintln(p.out, ansi.Harmless(result.Detail))
			default:
				p.say("%s", replySentence(asked, result))
			}
			switch result.Outcome {
			case string(nudge.Delivered), string(nudge.Pending), control.Noted:
			case control.Shown:
				return &failure{code: exitFailed, err: errors.New("not allowed yet"), quiet: true}
			default:
				return &failure{code: exitFailed, err: errors.New("the outcome is not known"), quiet: true}
			}
			return err
		},
	}
	c.Flags().StringVar(&asked.Words, "words", "", "`TEXT` is the reason of a denial; without an answer, words for a question that takes words")
	c.Flags().BoolVar(&asked.Unseen, "unseen", false, "approve although part of the question can't be seen")
	c.Flags().BoolVar(&asked.Sure, "sure", false, "choose an option although it lasts longer than this once")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// preview returns the question of a waiting nudge; empty if it is not known.
func (p *program) preview(ctx context.Context, id string) string {
	queue, _ := p.queue(ctx) // empty without a bot
	for _, n := range queue {
		if n.ID == id {
			return fmt.Sprintf("#%s asks in %s (%s): %s", n.ID, n.Agent, n.Project, asked(n))
		}
	}
	return ""
}

// explainReply adds the next step that makes an answer count, and the exit code of a wrong answer.
func explainReply(err error, asked control.ReplyParams) error {
	fault := (*rpc.Fault)(nil)
	if !errors.As(err, &fault) {
		if _, id, ok := nudge.ParseWord(asked.Answer, nudge.ByCommand); errors.Is(err, rpc.ErrNotRunning) && asked.Words == "" && (!ok || id != "") {
			return &failure{code: exitUsage, err: fmt.Errorf("%q is neither a yes nor a no: nothing was typed, and nod is not running", asked.Answer), hint: "answer y or n"}
		}
		return err
	}
	switch {
	case fault.Code == int(jrpc2.InvalidParams):
		return &failure{code: exitUsage, err: fmt.Errorf("%q is no answer to #%s: nothing was typed", asked.Answer, asked.ID), hint: fault.Message}
	case fault.Needs == "":
		return err
	}
	return &failure{code: exitFailed, err: err, hint: fmt.Sprintf("look at its pane; to answer all the same: `nod reply --%s %s %s`", fault.Needs, deploy.ShellQuote(asked.ID), deploy.ShellQuote(asked.Answer))}
}

// whatWaits is the next step after an unknown id.
const whatWaits = "`nod queue` lists what waits"

// replySentence says what was done to which nudge. If nod does not know the outcome, it says what nod saw.
func replySentence(asked control.ReplyParams, r control.ReplyResult) string {
	about := titled(r.Agent, r.Project)
	if r.Asked != "" {
		about += ": " + r.Asked
	}
	did, byProgram := "✅ #%s approved in %s", "✅ #%s yes to %s"
	switch r.Decision {
	case screen.Approve:
	case screen.Deny:
		did, byProgram = "❌ #%s denied in %s", "❌ #%s no to %s"
	default:
		did, byProgram = "☑ #%s answered in %s", "☑ #%s answered to %s"
	}
	switch {
	case r.Outcome == string(nudge.Pending):
		return fmt.Sprintf("☑ #%s waits on in %s; ticked now: %s", asked.ID, about, cmp.Or(strings.Join(r.Ticked, ", "), "nothing"))
	case r.Outcome != string(nudge.Delivered):
		return fmt.Sprintf("#%s: %s %s", asked.ID, about, r.Detail)
	case r.Way == "":
		return fmt.Sprintf(byProgram, asked.ID, about)
	}
	if r.Way == "door" {
		about += ", through its own " + deliver.Taker(r.Agent)
	}
	return fmt.Sprintf(did, asked.ID, about)
}
