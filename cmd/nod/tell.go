package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nod/cmd/internal/console/await"
	"nod/cmd/internal/control"
	"nod/deliver"
	"nod/internal/host/ansi"
	"nod/internal/text/elapsed"
	"nod/nudge"
)

// tellFlags are the flags of `nod tell`.
type tellFlags struct {
	queue, wait, list, asJSON, afterLimit bool
	timeout                               time.Duration
	cancel                                string
}

func (p *program) tellCommand() *cobra.Command {
	var f tellFlags
	c := &cobra.Command{
		Use:   "tell PANE TEXT… | --list [PANE] | --cancel ID",
		Short: "give an agent its next instruction, now or when it is idle",
		Long: `Gives an idle agent its next instruction. The text goes only to a pane whose agent is idle with
an empty input box, or asks for words; never into a permission prompt and never into a shell.
Words are joined by blanks.

With --queue it waits its turn: instructions for a pane are sent in order, one at a time, each when
the agent is idle. A question, words left in the input box or somebody at that pane hold the queue. If
nod is stopped, an instruction that it had sent is interrupted and never sent again; the others wait on.
If the pane's agent is gone, its instructions are cancelled. You hear on Telegram how each one ends.
If the agent stops at an error, its queue does not go on by itself. With --after-limit an instruction
goes on after the end of a usage limit, if the agent's screen says when that is. A wish never does.

An instruction of an agent, or of a caller that nod can't place, is a wish: a supervisor gets its exact
words on Telegram and sends or drops it. Once sent, it is that supervisor's instruction. No y and no
number sends a wish. Up to five wishes of 4,000 characters each may wait for a pane; they lapse after 8
hours, or when the pane's agent is gone.

--wait waits for the end, and for a wish first for the tap, and prints the agent's last words. It exits
with 0 if the agent is done, 1 if the instruction was cancelled or interrupted or the wish was not sent,
and 75 if the time was up first: then the instruction still waits. --cancel of an instruction that was
sent types nothing and only stops waiting for it. For a wish, --cancel is Drop.`,
		Example: `  nod tell main:2.0 run the tests
  nod tell --queue main:2.0 then open the PR
  nod tell --wait --timeout 30m main:2.0 fix the build
  nod tell --list`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.list && f.cancel != "", (f.list || f.cancel != "") && (f.queue || f.wait || f.afterLimit):
				return misuse("--list and --cancel go with none of the other flags")
			case f.list:
				return cobra.MaximumNArgs(1)(cmd, args)
			case f.cancel != "":
				return cobra.NoArgs(cmd, args)
			}
			return cobra.MinimumNArgs(2)(cmd, args)
		},
		ValidArgsFunction: p.completePanes,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case f.list:
				return p.listInstructions(cmd.Context(), args, f.asJSON)
			case f.cancel != "":
				return p.cancelInstruction(cmd.Context(), f.cancel, f.asJSON)
			case f.timeout < 0:
				return misuse("--timeout must be a time such as 10m")
			}
			if flag := flagAmong(cmd, args[1]); flag != "" {
				err := misuse("%s comes before PANE; nothing was sent", flag)
				err.hint = "an instruction that begins with it has -- before it: nod tell PANE -- " + flag + " …"
				return err
			}
			text := strings.Join(operands(args[1:]), " ")
			if strings.TrimSpace(text) == "" {
				return misuse("there is no text")
			}
			if f.queue || f.wait || f.afterLimit {
				return p.queueInstruction(cmd.Context(), args[0], text, f)
			}
			return p.tellNow(cmd.Context(), args[0], text, f.asJSON)
		},
	}
	c.Flags().BoolVar(&f.queue, "queue", false, "send it when its turn comes")
	c.Flags().BoolVar(&f.wait, "wait", false, "queue it, wait for its end and print the agent's last words")
	c.Flags().BoolVar(&f.afterLimit, "after-limit", false, "queue it, and let it go on by itself after a usage limit")
	c.Flags().DurationVar(&f.timeout, "timeout", nudge.InstructionTimeout, "wait for this `TIME`; when the agent has worked for so long, you are told")
	c.Flags().BoolVar(&f.list, "list", false, "list the instructions that wait or are being worked on")
	c.Flags().BoolVar(&f.asJSON, "json", false, "print JSON")
	c.Flags().StringVar(&f.cancel, "cancel", "", "cancel the instruction with that `ID`")
	// Words after the first argument belong to the text even if they begin with a dash.
	c.Flags().SetInterspersed(false)
	return c
}

// flagAmong returns the flag of a command that a word is; empty: it is none.
func flagAmong(cmd *cobra.Command, word string) string {
	name, _, _ := strings.Cut(word, "=")
	if flag, ok := strings.CutPrefix(name, "--"); !ok || cmd.Flags().Lookup(flag) == nil {
		return ""
	}
	return name
}

func (p *program) tellNow(ctx context.Context, pane, text string, asJSON bool) error {
	var result control.TellResult
	if err := p.call(ctx, "pane.tell", control.TellParams{Pane: pane, Text: text}, &result); err != nil {
		return err
	}
	if result.Outcome != string(deliver.Delivered) {
		return errors.New(cmp.Or(ansi.OneLine(result.Detail), result.Outcome))
	}
	if asJSON {
		return printJSON(p.out, result)
	}
	p.say("sent to %s in %s", titled(result.Agent, result.Project), result.Where)
	return nil
}

func (p *program) queueInstruction(ctx context.Context, pane, text string, f tellFlags) error {
	var made control.Submitted
	params := control.SubmitParams{Pane: pane, Text: text, TimeoutMS: f.timeout.Milliseconds(), AfterLimit: f.afterLimit}
	if err := p.call(ctx, "instruction.submit", params, &made); err != nil {
		return err
	}
	switch {
	case f.wait:
		fmt.Fprintln(p.err, ansi.OneLine(queuedAs(made)))
		return p.awaitInstruction(ctx, made.ID, f.timeout, f.asJSON)
	case f.asJSON:
		return printJSON(p.out, made)
	}
	p.say("%s", queuedAs(made))
	return nil
}

// queuedAs describes an instruction's place in the queue.
func queuedAs(made control.Submitted) string {
	sentence := fmt.Sprintf("queued as #%s, next for %s", made.ID, titled(made.Agent, made.Project))
	switch {
	case made.Position == 0:
		sentence = fmt.Sprintf("#%s is not queued yet", made.ID)
	case made.Position > 1:
		sentence = fmt.Sprintf("queued as #%s, number %d for %s", made.ID, made.Position, titled(made.Agent, made.Project))
	}
	switch {
	case made.Nudge != "":
		sentence += "; held until you answer #" + made.Nudge
	case made.Held != "":
		sentence += "; it waits: " + made.Held
	}
	return sentence
}

// titled names an agent for a terminal.
func titled(agent, project string) string {
	if project == "" {
		return agent
	}
	return fmt.Sprintf("%s (%s)", agent, project)
}

// awaitInstruction waits for the end of the instruction and prints the agent's last words.
func (p *program) awaitInstruction(ctx context.Context, id string, timeout time.Duration, asJSON bool) error {
	client, err := p.bot()
	if err != nil {
		return err
	}
	defer client.Close()
	how, err := await.Instruction(ctx, client, id, timeout)
	if errors.Is(err, context.Canceled) {
		return &failure{code: exitFailed, err: fmt.Errorf("interrupted: #%s still waits", id), hint: "`nod tell --cancel " + id + "` drops it"}
	}
	if err == nil && asJSON {
		err = printJSON(p.out, how)
	}
	if err != nil {
		return err
	}
	switch state := nudge.InstructionState(how.State); {
	case await.Waits(how):
		// The wish waits for a tap.
	case state == nudge.Completed:
		if how.Words != "" && !asJSON {
			fmt.Fprintln(p.out, strings.TrimRight(ansi.Harmless(how.Words), "\n"))
		}
		return nil
	case state.Over():
		return fmt.Errorf("#%s was %s: %s", id, how.State, ansi.OneLine(how.Detail))
	}
	return &failure{
		code: exitTimedOut, err: fmt.Errorf("#%s is not done after %s (%s)", id, elapsed.Short(timeout), how.State),
		hint: "it keeps waiting; `nod tell --cancel " + id + "` ends that",
	}
}

func (p *program) listInstructions(ctx context.Context, args []string, asJSON bool) error {
	var params control.InstructionsParams
	if len(args) > 0 {
		params.Pane = args[0]
	}
	var list []control.Instruction
	if err := p.call(ctx, "instruction.list", params, &list); err != nil {
		return err
	}
	switch {
	case asJSON:
		return printJSON(p.out, list)
	case len(list) == 0:
		fmt.Fprintln(p.out, "No instruction is waiting.")
		return nil
	}
	rows := [][]string{{"ID", "PANE", "AGENT", "STATE", "FOR", "TEXT"}}
	for _, i := range list {
		state := i.State
		if i.Position > 0 {
			state = fmt.Sprintf("%s %d", i.State, i.Position)
		}
		rows = append(rows, []string{"#" + i.ID, placeOf(i.Machine, i.Where), i.Agent, state, elapsed.Short(time.Since(i.Submitted)), i.Text})
	}
	table(p.out, width(p.out), rows)
	for _, i := range list {
		if i.Held != "" {
			p.say("#%s waits: %s", i.ID, i.Held)
		}
	}
	return nil
}

func (p *program) cancelInstruction(ctx context.Context, id string, asJSON bool) error {
	var result control.Cancelled
	if err := p.call(ctx, "instruction.cancel", control.IDParams{ID: strings.TrimPrefix(id, "#")}, &result); err != nil {
		return notFound(err, "`nod tell --list` lists the instructions")
	}
	if asJSON {
		return printJSON(p.out, result)
	}
	p.say("%s", result.Detail)
	return nil
}
