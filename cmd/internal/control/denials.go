package control

import (
	"context"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods with which a human decides about calls that an agent's own guard denied.

// DenialParams are those of denial.allow and denial.leave.
type DenialParams struct {
	ID          string `json:"id"`
	Call        int    `json:"call"`        // from 0: which of those of that id
	Fingerprint string `json:"fingerprint"` // denial.allow: of the call as it was drawn
}

// DenialState is the result of denial.allow and denial.leave.
type DenialState struct {
	State string `json:"state"` // allowed or left
}

func (c *Control) allowDenied(ctx context.Context, p DenialParams) (DenialState, error) {
	if p.Fingerprint == "" {
		return DenialState{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no fingerprint of the call that was drawn")
	}
	return c.onDenied(ctx, "allowed", func() (nudge.Placed, error) {
		return c.cfg.Keeper.AllowDenied(answerTo(ctx, p.ID), p.Call, p.Fingerprint)
	})
}

func (c *Control) leaveDenied(ctx context.Context, p DenialParams) (DenialState, error) {
	return c.onDenied(ctx, "left", func() (nudge.Placed, error) { return c.cfg.Keeper.LeaveDenied(answerTo(ctx, p.ID), p.Call) })
}

// onDenied has a human decide about a denied call. No agent does, be it another one's call: not with NOD_AGENTS_MAY_ANSWER either.
func (c *Control) onDenied(ctx context.Context, state string, do func() (nudge.Placed, error)) (DenialState, error) {
	if place := c.caller(ctx); place.Kind != caller.Human {
		return DenialState{}, refuse(place)
	}
	placed, err := do()
	switch {
	case err != nil:
		return DenialState{}, err
	case placed.Reason != "":
		return DenialState{}, rpc.Refuse(string(placed.Reason), words.Why(placed.Refusal))
	}
	return DenialState{State: state}, nil
}

// deniedOf are the denied calls about which somebody may decide, as they stand in the queue.
func deniedOf(list []nudge.Denials) (waiting []Nudge) {
	for _, d := range list {
		for i, call := range d.Calls {
			if d.Open(i) {
				waiting = append(waiting, Nudge{
					ID: d.ID, Pane: d.Pane.ID, Server: d.Pane.Server.Socket, Where: d.Where, Agent: d.Agent, Project: d.Project,
					Kind: "denied", Verb: call.Verb, Subject: call.Text, Lead: call.Lead, State: "blocked", Detected: call.At.UTC(),
					Call: i, Fingerprint: d.Fingerprint(i),
				})
			}
		}
	}
	return waiting
}
