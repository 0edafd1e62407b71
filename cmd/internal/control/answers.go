package control

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods that list nudges, answer them, and type.

func (c *Control) listNudges(_ context.Context, p ListParams) ([]Nudge, error) {
	nudges, err := c.cfg.Keeper.List(p.All)
	return nudgesOf(nudges), err
}

func (c *Control) listQueue(context.Context, none) ([]Nudge, error) {
	nudges, err := c.cfg.Keeper.Queue()
	denied, err2 := c.cfg.Keeper.Denials()
	return append(nudgesOf(nudges), deniedOf(denied)...), errors.Join(err, err2)
}

func nudgesOf(nudges []nudge.Nudge) []Nudge {
	results := []Nudge{}
	for _, n := range nudges {
		result := Nudge{
			ID: n.ID, Pane: n.Pane.ID, Server: n.Pane.Server.Socket, Where: n.Where, Agent: n.Agent, Project: n.Project,
			Kind: string(n.Kind()), Shape: n.Prompt().Shape, Verb: n.Prompt().Verb, Subject: n.Prompt().Subject, Lead: n.Prompt().Lead,
			State: string(n.State), Stuck: n.Stuck(), Reason: string(n.Reason),
			Detected: n.Detected.UTC(), Reminder: n.Reminder, Of: len(n.Cadence),
		}
		switch about := n.About.(type) {
		case nudge.TurnEnded:
			result.Failed, result.Says = words.Why(about.Blocked), about.Words
		case nudge.Silence:
			result.Failed = words.Why(about.Blocked)
		}
		if !n.Due.IsZero() {
			due := n.Due.UTC()
			result.Due = &due
		}
		if n.Claim != nil {
			result.By = n.Claim.By.Name
		}
		for _, c := range n.Copies {
			if !c.Closed {
				result.Open++
			}
		}
		results = append(results, result)
	}
	return results
}

// longestReply is how long a reply waits for its outcome: a delivery takes fifteen seconds at most.
const longestReply = time.Minute

func (c *Control) reply(ctx context.Context, p ReplyParams) (ReplyResult, error) {
	decision, id, ok := nudge.ParseWord(p.Answer, nudge.ByCommand)
	if !ok || id != "" {
		return ReplyResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "the answer must be y or n")
	}
	n, found, err := c.cfg.Keeper.Find(p.ID)
	if err != nil {
		return ReplyResult{}, err
	}
	if found {
		if err := c.mayAnswer(ctx, n.Pane, n.Process); err != nil {
			return ReplyResult{}, err
		}
	}
	now := time.Now()
	verdict, err := c.cfg.Keeper.Answer(nudge.Answer{
		Nudge: p.ID, Said: nudge.Said{Decision: decision, Unseen: p.Unseen}, By: person(ctx), Way: nudge.ByCommand, Written: now, Read: now,
	})
	if err != nil {
		return ReplyResult{}, err
	}
	if verdict.Kind != nudge.Taken {
		return ReplyResult{}, rpc.Refuse(string(verdict.Reason), words.Why(verdict.Detail))
	}
	return c.await(ctx, p.ID)
}

// await waits for the outcome of an answer that was taken.
func (c *Control) await(ctx context.Context, id string) (ReplyResult, error) {
	ctx, cancel := context.WithTimeout(ctx, longestReply)
	defer cancel()
	n, err := c.cfg.Keeper.Await(ctx, id)
	if err != nil {
		return ReplyResult{}, fmt.Errorf("the answer to #%s was taken, but its outcome is not known yet: see `nod log`: %w", id, err)
	}
	return outcomeOf(n)
}

// outcomeOf says how a delivery ended. That nothing was typed is an error, whether for now or for good.
func outcomeOf(n nudge.Nudge) (ReplyResult, error) {
	switch n.State {
	case nudge.Delivered, nudge.Unknown:
		reply := ReplyResult{
			Outcome: string(n.State), Keys: append([]string{}, n.Keys...), Detail: words.Why(n.Detail),
			Agent: n.Agent, Project: n.Project, Asked: strings.TrimSpace(n.Prompt().Verb + " " + n.Prompt().Leading()), where: n.Where,
		}
		switch {
		case n.Door:
			reply.Way = "door"
		case n.Program() == nil:
			reply.Way = "keys"
		}
		return reply, nil
	}
	detail := words.Why(n.Detail)
	if detail == "" {
		detail = fmt.Sprintf("#%s is %s: nothing was typed.", n.ID, n.State)
	}
	return ReplyResult{}, rpc.Refuse(string(n.Reason), detail)
}

func (c *Control) skip(ctx context.Context, p IDParams) (none, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return none{}, err
	}
	if err := c.cfg.Keeper.Skip(p.ID); err != nil {
		return none{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return none{}, nil
}

func (c *Control) sendKeys(ctx context.Context, p SendParams) (Sent, error) {
	if len(p.Keys) == 0 {
		return Sent{}, jrpc2.Errorf(jrpc2.InvalidParams, "there are no keys to type")
	}
	for _, key := range p.Keys {
		if !tmux.ValidKey(key) {
			return Sent{}, jrpc2.Errorf(jrpc2.InvalidParams, "%q is no key that tmux knows", key)
		}
	}
	_, ref, err := c.findForHuman(ctx, p.Pane)
	if err != nil {
		return Sent{}, err
	}
	result := c.typeNow(ctx, deliver.Request{Pane: ref, Keys: p.Keys})
	if result.Outcome != deliver.Delivered {
		return Sent{}, rpc.Refuse(string(result.Reason), words.Why(result.Detail))
	}
	return Sent{Typed: result.Keys}, nil
}

func (c *Control) tellPane(ctx context.Context, p TellParams) (TellResult, error) {
	if p.Text == "" {
		return TellResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no text")
	}
	_, ref, err := c.findForHuman(ctx, p.Pane)
	if err != nil {
		return TellResult{}, err
	}
	now := time.Now()
	verdict, err := c.cfg.Keeper.Tell(ref, nudge.Answer{Said: nudge.Said{Text: p.Text}, By: person(ctx), Way: nudge.ByCommand, Written: now, Read: now})
	if err != nil {
		return TellResult{}, err
	}
	if verdict.Kind != nudge.Taken {
		return TellResult{}, rpc.Refuse(string(verdict.Reason), words.Why(verdict.Detail))
	}
	result, err := c.await(ctx, verdict.Nudge.ID)
	return TellResult{Outcome: result.Outcome, Detail: result.Detail, Agent: result.Agent, Project: result.Project, Where: result.where}, err
}

// typeNow types keys by hand, which are no answer to a nudge, and leaves their traces.
func (c *Control) typeNow(ctx context.Context, r deliver.Request) deliver.Result {
	result := c.cfg.Typist.Type(ctx, r, func() error { return nil })
	e := nudge.Event{
		Kind:     nudge.KeyTyped,
		Involved: nudge.Involved{Pane: r.Pane.ID, Server: r.Pane.Server.Socket, Agent: r.Agent},
		Act:      nudge.Act{Keys: result.Keys, Reason: string(result.Reason), By: person(ctx).Name, Way: string(nudge.ByCommand)},
	}
	if result.Outcome == deliver.Refused {
		e.Kind = nudge.AnswerRefused
	}
	if err := c.cfg.Keeper.Note(e); err != nil {
		c.cfg.Log.Error("not noted in the audit trail", "event", e.Kind, "pane", e.Pane, "error", err)
	}
	return result
}
