package control

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods for queued instructions, and their types on the socket.

// SubmitParams are the parameters of instruction.submit.
type SubmitParams struct {
	Pane      string `json:"pane"`
	Life      string `json:"life,omitempty"` // of the only agent in the pane that it is for; empty for any
	Text      string `json:"text"`
	TimeoutMS int64  `json:"timeout_ms"` // how long the agent may work on it before somebody is told; 0 for ten minutes
	Way       Way    `json:"way,omitempty"`
	// AfterLimit makes it go on by itself after the end of a usage limit at which the agent stopped.
	AfterLimit bool `json:"after_limit,omitempty"`
}

// Submitted is the result of instruction.submit.
type Submitted struct {
	ID       string `json:"id"`
	Position int    `json:"position"`        // from 1, in the pane's queue; 0 for a wish
	Held     string `json:"held,omitempty"`  // why the first instruction is not sent now, in a sentence
	Nudge    string `json:"nudge,omitempty"` // the question that it waits for
	Agent    string `json:"agent,omitempty"`
	Project  string `json:"project,omitempty"`
}

// WaitParams are the parameters of instruction.wait.
type WaitParams struct {
	ID        string `json:"id"`
	TimeoutMS int64  `json:"timeout_ms"` // the longest wait; 0 returns the current state at once
}

// Waited is the result of instruction.wait.
type Waited struct {
	State     string `json:"state"`
	Words     string `json:"words"`      // after completed: the agent's last words, if known
	ElapsedMS int64  `json:"elapsed_ms"` // since it was submitted
	Detail    string `json:"detail,omitempty"`
}

// InstructionsParams are the parameters of instruction.list.
type InstructionsParams struct {
	Pane string `json:"pane"` // empty for all panes
}

// Instruction is one instruction in the result of instruction.list.
type Instruction struct {
	ID        string    `json:"id"`
	Machine   string    `json:"machine,omitempty"` // empty for this machine
	Pane      string    `json:"pane"`
	Where     string    `json:"where"`
	Agent     string    `json:"agent"`
	Text      string    `json:"text"`
	State     string    `json:"state"`
	Position  int       `json:"position"` // 0 if it was sent, or is a wish
	Held      string    `json:"held,omitempty"`
	By        string    `json:"by"`
	Submitted time.Time `json:"submitted"`
	// Fingerprint identifies the text of a wish, for wish.send.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Cancelled is the result of instruction.cancel.
type Cancelled struct {
	State  string `json:"state"`
	Detail string `json:"detail"`
}

func (c *Control) submitInstruction(ctx context.Context, p SubmitParams) (Submitted, error) {
	if p.TimeoutMS < 0 {
		return Submitted{}, jrpc2.Errorf(jrpc2.InvalidParams, "timeout_ms must not be negative")
	}
	if strings.TrimSpace(p.Text) == "" {
		return Submitted{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no text")
	}
	ref, err := c.findPane(ctx, p.Pane)
	if err != nil {
		return Submitted{}, err
	}
	if s, seen := c.sighting(ref); seen && p.Life != "" && p.Life != s.Life() {
		return Submitted{}, rpc.Refuse(string(deliver.Changed), words.Why(reason.Why{Kind: reason.OtherAgentThere})+" Look at it first, and write again.")
	}
	timeout := time.Duration(p.TimeoutMS) * time.Millisecond
	if timeout == 0 {
		timeout = nudge.InstructionTimeout
	}
	placed, err := c.submit(ctx, ref, p, timeout)
	switch {
	case err != nil:
		return Submitted{}, err
	case placed.Reason != "":
		return Submitted{}, rpc.Refuse(string(placed.Reason), words.Why(placed.Refusal))
	case placed.Wish != nil:
		return Submitted{ID: placed.Wish.ID, Held: heldAsWish}, nil
	}
	made := Submitted{ID: placed.ID, Position: placed.Position, Held: words.Why(placed.Held), Agent: placed.Agent, Project: placed.Project}
	if placed.Held.Kind == reason.QuestionFirst {
		made.Nudge = c.asks(ref)
	}
	return made, nil
}

// asks returns the id of the oldest question that waits in a pane; empty if none does.
func (c *Control) asks(ref detect.PaneRef) string {
	open, _ := c.cfg.Keeper.List(false)
	at := slices.IndexFunc(open, func(n nudge.Nudge) bool { return n.Pane == ref && n.Asks() })
	if at < 0 { // or on an error: the id is only a hint
		return ""
	}
	return open[at].ID
}

// heldAsWish is why a wish is not sent.
const heldAsWish = "It is a wish: a supervisor has to tap Send under it."

// submit queues an instruction of a human. From any other caller it becomes a wish.
func (c *Control) submit(ctx context.Context, ref detect.PaneRef, p SubmitParams, timeout time.Duration) (nudge.Placed, error) {
	if from, human := c.wisher(ctx, ref); !human {
		return c.cfg.Keeper.Wish(ref, p.Text, from, timeout)
	}
	a := answerTo(ctx, "", p.Way)
	a.Text, a.AfterLimit = p.Text, p.AfterLimit
	return c.cfg.Keeper.Submit(ref, a, timeout)
}

func (c *Control) waitInstruction(ctx context.Context, p WaitParams) (Waited, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.TimeoutMS)*time.Millisecond)
	defer cancel()
	w, found, err := c.cfg.Keeper.AwaitWish(ctx, p.ID)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Waited{}, err
	}
	if found && w.State != nudge.WishSent {
		return Waited{State: string(w.State), ElapsedMS: time.Since(w.Made).Milliseconds(), Detail: words.Why(w.Detail)}, nil
	}
	i, err := c.cfg.Keeper.AwaitInstruction(ctx, p.ID)
	if i.ID == "" {
		return Waited{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return Waited{}, err
	}
	until := i.Ended
	if !i.State.Over() {
		until = time.Now()
	}
	return Waited{State: string(i.State), Words: i.Words, ElapsedMS: until.Sub(i.Submitted).Milliseconds(), Detail: words.Why(i.Detail)}, nil
}

func (c *Control) listInstructions(ctx context.Context, p InstructionsParams) ([]Instruction, error) {
	var only *detect.PaneRef
	if p.Pane != "" {
		ref, err := c.findPane(ctx, p.Pane)
		if err != nil {
			return nil, err
		}
		only = &ref
	}
	list, err := c.cfg.Keeper.Instructions(only)
	wishes, err2 := c.cfg.Keeper.Wishes(only)
	result := []Instruction{}
	for _, i := range list {
		result = append(result, Instruction{
			ID: i.ID, Machine: i.Pane.Machine, Pane: i.Pane.ID, Where: i.Where, Agent: i.Agent, Text: i.Line(), State: string(i.State),
			Position: i.Position, Held: words.Why(i.Held), By: i.By.Name, Submitted: i.Submitted.UTC(),
		})
	}
	for _, w := range wishes {
		result = append(result, Instruction{
			ID: w.ID, Machine: w.Pane.Machine, Pane: w.Pane.ID, Where: w.Where, Agent: w.Agent, Text: w.Text, State: string(w.State),
			Held: heldAsWish, By: w.From.Name, Submitted: w.Made.UTC(), Fingerprint: w.Fingerprint(),
		})
	}
	return result, errors.Join(err, err2)
}

// cancelInstruction cancels an instruction. An agent can cancel only its own wishes.
func (c *Control) cancelInstruction(ctx context.Context, p IDParams) (Cancelled, error) {
	w, _, err := c.cfg.Keeper.WishOf(p.ID)
	if err != nil {
		return Cancelled{}, err
	}
	if w.State == nudge.Wished {
		placed, err := c.withdraw(ctx, w)
		if err = placedError(placed, err); err != nil {
			return Cancelled{}, err
		}
		return Cancelled{State: string(placed.Wish.State), Detail: words.Why(placed.Wish.Detail)}, nil
	}
	if err := c.onlyHumans(ctx); err != nil {
		return Cancelled{}, err
	}
	i, err := c.cfg.Keeper.CancelInstruction(p.ID, person(ctx))
	if err != nil {
		return Cancelled{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return Cancelled{State: string(i.State), Detail: words.Why(i.Detail)}, nil
}
