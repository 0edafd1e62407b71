package control

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file has the methods for wishes: instructions queued by an agent, or by a caller that nod can't place.

// WishParams are the parameters of wish.send and wish.drop.
type WishParams struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"` // of the words as they were shown
	Unseen      bool   `json:"unseen,omitempty"`
	Way         Way    `json:"way,omitempty"`
}

var errWordsNotDrawn = jrpc2.Errorf(jrpc2.InvalidParams, "there is no fingerprint of the words that were drawn")

func (c *Control) sendWish(ctx context.Context, p WishParams) (State, error) {
	if p.Fingerprint == "" {
		return State{}, errWordsNotDrawn
	}
	shown := p.Fingerprint
	if p.Way != "" && !p.Unseen {
		w, _, err := c.cfg.Keeper.WishOf(p.ID)
		if err != nil {
			return State{}, err
		}
		if c.hides(w.Text) {
			shown = ""
		}
	}
	return c.onWish(ctx, p, func(a nudge.Answer) (nudge.Placed, error) {
		placed, err := c.cfg.Keeper.SendWish(a, shown)
		if err != nil || placed.Reason != "" || placed.Wish.File == nil {
			return placed, err
		}
		data, err := c.ReadShared(*placed.Wish.File)
		if err != nil {
			return placed, jrpc2.Errorf(jrpc2.InvalidParams, "the file was not sent: %v", err)
		}
		if c.cfg.Share == nil {
			return placed, errNoChat
		}
		c.cfg.Share(filepath.Base(placed.Wish.File.Path), data, "")
		return placed, nil
	})
}

func (c *Control) dropWish(ctx context.Context, p WishParams) (State, error) {
	if p.Fingerprint == "" {
		return State{}, errWordsNotDrawn
	}
	return c.onWish(ctx, p, func(a nudge.Answer) (nudge.Placed, error) {
		w, known, err := c.cfg.Keeper.WishOf(p.ID) // the words of a wish never change
		if err != nil {
			return nudge.Placed{}, err
		}
		if known && p.Fingerprint != w.Fingerprint() {
			return nudge.Placed{Reason: deliver.Changed, Refusal: reason.Why{Kind: reason.WishChanged, Nudge: w.ID}}, nil
		}
		return c.cfg.Keeper.DropWish(a)
	})
}

// onWish lets a human decide about a wish. No agent may, not even about another agent's wish or with
// NOD_AGENTS_MAY_ANSWER.
func (c *Control) onWish(ctx context.Context, p WishParams, do func(nudge.Answer) (nudge.Placed, error)) (State, error) {
	if place := c.caller(ctx); place.Kind != caller.Human {
		return State{}, c.refuse(place)
	}
	placed, err := do(answerTo(ctx, p.ID, p.Way))
	if err = placedError(placed, err); err != nil {
		return State{}, err
	}
	return State{State: string(placed.Wish.State)}, nil
}

// answerTo returns the caller's answer to the item with that id.
func answerTo(ctx context.Context, id string, way Way) nudge.Answer {
	if _, visits := ctx.Value(visitorKey{}).(Visitor); visits {
		way = ByPage
	}
	now := time.Now()
	return nudge.Answer{Nudge: id, By: person(ctx), Way: nudge.Way(cmp.Or(way, commandLine)), Written: now, Read: now}
}

// wisher identifies the caller for a pane and reports whether it is a human. An instruction from any other
// caller becomes a wish.
func (c *Control) wisher(ctx context.Context, pane detect.PaneRef) (from nudge.Wisher, human bool) {
	place := c.caller(ctx)
	switch place.Kind {
	case caller.Human:
		return nudge.Wisher{Name: person(ctx).Name}, true
	case caller.Unplaced:
		return nudge.Wisher{Name: "a program that nod can't place"}, false
	}
	from.Name = "an agent that nod does not watch"
	for _, s := range c.cfg.Panes() {
		switch {
		case !slices.ContainsFunc(place.Agents, s.Runs):
		case s.Pane == pane:
			return nudge.Wisher{Name: "the agent itself", Agent: s.Process}, false
		default:
			from = nudge.Wisher{Name: s.Agent + " in " + s.Where, Agent: s.Process}
		}
	}
	return from, false
}

// withdraw cancels a wish for the agent that made it.
func (c *Control) withdraw(ctx context.Context, w nudge.Wish) (nudge.Placed, error) {
	a := answerTo(ctx, w.ID, "")
	from, human := c.wisher(ctx, w.Pane)
	if !human {
		if from.Agent != w.From.Agent || from.Agent == (proc.ID{}) {
			return nudge.Placed{}, rpc.Refuse(string(deliver.CallerIsAgent), "Only the agent that had a wish, or a human, may take it back: nothing was done.")
		}
		a.By = nudge.Person{Name: from.Name}
	}
	return c.cfg.Keeper.DropWish(a)
}
