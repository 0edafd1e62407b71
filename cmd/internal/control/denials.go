package control

import (
	"context"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods by which a human decides about calls that an agent's own guard denied.

// DenialParams are the parameters of denial.allow and denial.leave.
type DenialParams struct {
	ID          string `json:"id"`
	Call        int    `json:"call"`        // from 0: which of those of that id
	Fingerprint string `json:"fingerprint"` // of the call as it was drawn
	Unseen      bool   `json:"unseen,omitempty"`
	Way         Way    `json:"way,omitempty"`
}

var errCallNotDrawn = jrpc2.Errorf(jrpc2.InvalidParams, "there is no fingerprint of the call that was drawn")

func (c *Control) allowDenied(ctx context.Context, p DenialParams) (State, error) {
	if p.Fingerprint == "" {
		return State{}, errCallNotDrawn
	}
	shown := p.Fingerprint
	if !p.Unseen {
		d, _, err := c.cfg.Keeper.DenialsOf(p.ID)
		if err != nil {
			return State{}, err
		}
		if p.Call >= 0 && p.Call < len(d.Calls) && c.showsPart(d.Calls[p.Call], p.Way) {
			shown = ""
		}
	}
	return c.onDenied(ctx, "allowed", func() (nudge.Placed, error) {
		return c.cfg.Keeper.AllowDenied(answerTo(ctx, p.ID, p.Way), p.Call, shown)
	})
}

// showsPart reports whether less of a call is shown than is compared: less is kept, or the inbox or the page masks some of it.
func (c *Control) showsPart(call nudge.Denial, way Way) bool {
	return call.Cut() || way != "" && c.hides(call.Verb+" "+call.Text)
}

func (c *Control) leaveDenied(ctx context.Context, p DenialParams) (State, error) {
	if p.Fingerprint == "" {
		return State{}, errCallNotDrawn
	}
	return c.onDenied(ctx, "left", func() (nudge.Placed, error) {
		d, _, err := c.cfg.Keeper.DenialsOf(p.ID) // a call of it never becomes another
		if err != nil {
			return nudge.Placed{}, err
		}
		if p.Call >= 0 && p.Call < len(d.Calls) && p.Fingerprint != d.Fingerprint(p.Call) {
			return nudge.Placed{Reason: deliver.Changed, Refusal: reason.Why{Kind: reason.DenialChanged}}, nil
		}
		return c.cfg.Keeper.LeaveDenied(answerTo(ctx, p.ID, p.Way), p.Call)
	})
}

// onDenied lets a human decide about a denied call. No agent may, not even about another agent's call or with
// NOD_AGENTS_MAY_ANSWER.
func (c *Control) onDenied(ctx context.Context, state string, do func() (nudge.Placed, error)) (State, error) {
	if place := c.caller(ctx); place.Kind != caller.Human {
		return State{}, c.refuse(place)
	}
	placed, err := do()
	if err = placedError(placed, err); err != nil {
		return State{}, err
	}
	return State{State: state}, nil
}

// placedError says why a human's decision was not carried out.
func placedError(placed nudge.Placed, err error) error {
	switch {
	case err != nil:
		return err
	case placed.Reason == deliver.NeedsConfirmation:
		return rpc.RefuseUnless(needsUnseen, string(placed.Reason), words.Why(placed.Refusal))
	case placed.Reason != "":
		return rpc.Refuse(string(placed.Reason), words.Why(placed.Refusal))
	}
	return nil
}

// deniedOf returns the denied calls that somebody can decide about, as entries of the queue.
func deniedOf(list []nudge.Denials) (waiting []Nudge) {
	for _, d := range list {
		for i, call := range d.Calls {
			if d.Open(i) {
				waiting = append(waiting, Nudge{
					ID: d.ID, Machine: d.Pane.Machine, Pane: d.Pane.ID, Server: d.Pane.Address(), Where: d.Where, Agent: d.Agent, Project: d.Project,
					Kind: "denied", Verb: call.Verb, Subject: call.Text, Lead: call.Lead, State: "blocked", Detected: call.At.UTC(),
					Call: i, Fingerprint: d.Fingerprint(i),
				})
			}
		}
	}
	return waiting
}
