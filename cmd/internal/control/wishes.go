package control

import (
	"context"
	"path/filepath"
	"slices"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods for wishes: what an agent, or a caller that nod can't place, puts into a queue.

// WishParams are those of wish.send and wish.drop.
type WishParams struct {
	ID          string `json:"id"`
	Fingerprint string `json:"fingerprint"` // wish.send: of the words as they were drawn
}

// WishState is the result of wish.send and wish.drop.
type WishState struct {
	State string `json:"state"`
}

func (c *Control) sendWish(ctx context.Context, p WishParams) (WishState, error) {
	if p.Fingerprint == "" {
		return WishState{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no fingerprint of the words that were drawn")
	}
	return c.onWish(ctx, p.ID, func(a nudge.Answer) (nudge.Placed, error) {
		placed, err := c.cfg.Keeper.SendWish(a, p.Fingerprint)
		if err != nil || placed.Reason != "" || placed.Wish.File == nil {
			return placed, err
		}
		data, err := c.ReadShared(*placed.Wish.File)
		if err != nil {
			return placed, jrpc2.Errorf(jrpc2.InvalidParams, "the file was not sent: %v", err)
		}
		c.cfg.Share(filepath.Base(placed.Wish.File.Path), data, "")
		return placed, nil
	})
}

func (c *Control) dropWish(ctx context.Context, p WishParams) (WishState, error) {
	return c.onWish(ctx, p.ID, c.cfg.Keeper.DropWish)
}

// onWish has a human decide about a wish. No agent does, be it another one's wish: not with NOD_AGENTS_MAY_ANSWER either.
func (c *Control) onWish(ctx context.Context, id string, do func(nudge.Answer) (nudge.Placed, error)) (WishState, error) {
	if place := c.caller(ctx); place.Kind != caller.Human {
		return WishState{}, refuse(place)
	}
	placed, err := do(answerTo(ctx, id))
	return wishState(placed, err)
}

func wishState(placed nudge.Placed, err error) (WishState, error) {
	switch {
	case err != nil:
		return WishState{}, err
	case placed.Reason != "":
		return WishState{}, rpc.Refuse(string(placed.Reason), words.Why(placed.Refusal))
	}
	return WishState{State: string(placed.Wish.State)}, nil
}

// answerTo is what the caller answers to what bears that id.
func answerTo(ctx context.Context, id string) nudge.Answer {
	now := time.Now()
	return nudge.Answer{Nudge: id, By: person(ctx), Way: nudge.ByCommand, Written: now, Read: now}
}

// wisher tells who calls for a pane, and whether that is a human: what anybody else puts into a queue is a wish.
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
		case s.Process.PID == 0 || !slices.Contains(place.Agents, s.Process):
		case s.Pane == pane:
			return nudge.Wisher{Name: "the agent itself", Agent: s.Process}, false
		default:
			from = nudge.Wisher{Name: s.Agent + " in " + s.Where, Agent: s.Process}
		}
	}
	return from, false
}

// withdraw takes back what its own agent wishes.
func (c *Control) withdraw(ctx context.Context, w nudge.Wish) (nudge.Placed, error) {
	a := answerTo(ctx, w.ID)
	from, human := c.wisher(ctx, w.Pane)
	if !human {
		if from.Agent != w.From.Agent || from.Agent == (proc.ID{}) {
			return nudge.Placed{}, rpc.Refuse(string(deliver.CallerIsAgent), "Only the agent that had a wish, or a human, may take it back: nothing was done.")
		}
		a.By = nudge.Person{Name: from.Name}
	}
	return c.cfg.Keeper.DropWish(a)
}
