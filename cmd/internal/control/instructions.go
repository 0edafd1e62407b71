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
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
	"nod/nudge"
)

// This file has the methods for instructions that wait for their turn, and what crosses the socket for them.

// SubmitParams are those of instruction.submit.
type SubmitParams struct {
	Pane      string `json:"pane"`
	Text      string `json:"text"`
	TimeoutMS int64  `json:"timeout_ms"` // how long the agent may work at it until somebody is told; 0: ten minutes
}

// Submitted is the result of instruction.submit.
type Submitted struct {
	ID       string `json:"id"`
	Position int    `json:"position"`       // from 1, among those that wait for the pane
	Held     string `json:"held,omitempty"` // why the first of them is not sent now, in a sentence
}

// WaitParams are those of instruction.wait.
type WaitParams struct {
	ID        string `json:"id"`
	TimeoutMS int64  `json:"timeout_ms"` // how long to wait at most; 0: it is told at once how it stands
}

// Waited is the result of instruction.wait.
type Waited struct {
	State     string `json:"state"`
	Words     string `json:"words"`      // completed: the agent's last words, where they are known
	ElapsedMS int64  `json:"elapsed_ms"` // since it was submitted
	Detail    string `json:"detail,omitempty"`
}

// InstructionsParams are those of instruction.list.
type InstructionsParams struct {
	Pane string `json:"pane"` // empty: of all panes
}

// Instruction is one instruction in the result of instruction.list.
type Instruction struct {
	ID        string    `json:"id"`
	Pane      string    `json:"pane"`
	Where     string    `json:"where"`
	Agent     string    `json:"agent"`
	Text      string    `json:"text"`
	State     string    `json:"state"`
	Position  int       `json:"position"` // 0: it was sent
	Held      string    `json:"held,omitempty"`
	By        string    `json:"by"`
	Submitted time.Time `json:"submitted"`
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
	_, ref, err := c.find(ctx, p.Pane)
	if err != nil {
		return Submitted{}, err
	}
	own, err := c.refuseOtherAgents(ctx, ref)
	if err != nil {
		return Submitted{}, err
	}
	timeout := time.Duration(p.TimeoutMS) * time.Millisecond
	if timeout == 0 {
		timeout = nudge.InstructionTimeout
	}
	by, now := login(), time.Now()
	if own {
		by.Name = "the agent itself"
	}
	placed, err := c.cfg.Keeper.Submit(ref, nudge.Answer{Text: p.Text, By: by, Way: nudge.ByCommand, Written: now, Read: now}, timeout, own)
	if err != nil {
		return Submitted{}, err
	}
	if placed.Reason != "" {
		return Submitted{}, rpc.Refuse(string(placed.Reason), placed.Refusal)
	}
	return Submitted{ID: placed.ID, Position: placed.Position, Held: placed.Held}, nil
}

func (c *Control) waitInstruction(ctx context.Context, p WaitParams) (Waited, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Duration(p.TimeoutMS)*time.Millisecond)
	defer cancel()
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
	return Waited{State: string(i.State), Words: i.Words, ElapsedMS: until.Sub(i.Submitted).Milliseconds(), Detail: i.Detail}, nil
}

func (c *Control) listInstructions(ctx context.Context, p InstructionsParams) ([]Instruction, error) {
	var only *detect.PaneRef
	if p.Pane != "" {
		_, ref, err := c.find(ctx, p.Pane)
		if err != nil {
			return nil, err
		}
		only = &ref
	}
	list, err := c.cfg.Keeper.Instructions(only)
	result := []Instruction{}
	for _, i := range list {
		result = append(result, Instruction{
			ID: i.ID, Pane: i.Pane.ID, Where: i.Where, Agent: i.Agent, Text: i.Line(), State: string(i.State),
			Position: i.Position, Held: i.Held, By: i.By.Name, Submitted: i.Submitted.UTC(),
		})
	}
	return result, err
}

// cancelInstruction lets an agent cancel only what it has queued for itself, unless agents may answer for others.
func (c *Control) cancelInstruction(ctx context.Context, p IDParams) (Cancelled, error) {
	i, found, err := c.cfg.Keeper.Instruction(p.ID)
	if err != nil {
		return Cancelled{}, err
	}
	if found {
		own, err := c.refuseOtherAgents(ctx, i.Pane)
		if err != nil {
			return Cancelled{}, err
		}
		if own && !i.OwnAgent {
			return Cancelled{}, refuseAgent("An agent can't cancel what a human has queued for it")
		}
	}
	i, err = c.cfg.Keeper.CancelInstruction(p.ID, login())
	if err != nil {
		return Cancelled{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return Cancelled{State: string(i.State), Detail: i.Detail}, nil
}

// refuseOtherAgents refuses a caller that descends from a watched agent, unless that is the pane's own, or agents may
// answer for others. It reports whether the pane's own agent calls.
func (c *Control) refuseOtherAgents(ctx context.Context, pane detect.PaneRef) (own bool, err error) {
	line, err := proc.Ancestors(rpc.CallerPID(ctx))
	if err != nil || len(line) == 0 {
		return false, rpc.Refuse(string(deliver.CallerIsAgent), "nod can't tell which process asks, so it may be an agent: nothing was done. Do it on Telegram.")
	}
	other, where := false, ""
	for _, s := range c.cfg.Panes() {
		switch {
		case s.Process.PID == 0 || !slices.Contains(line, s.Process):
		case s.Pane == pane:
			own = true
		default:
			other, where = true, s.Where
		}
	}
	if other && c.cfg.Settings().AgentsMayAnswer != settings.AgentsOthers {
		return false, refuseAgent("This command runs inside the agent in " + where + ", and agents may act for themselves alone")
	}
	return own, nil
}
