package main

import (
	"context"
	"fmt"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/internal/rpc"
	"nod/internal/tmux"
	"nod/nudge"
)

// This file has the methods that list nudges, answer them, and type.

func (m *methods) listNudges(_ context.Context, p listParams) ([]nudgeResult, error) {
	nudges, err := m.keeper.List(p.All)
	return nudgeResults(nudges), err
}

func (m *methods) listQueue(context.Context, none) ([]nudgeResult, error) {
	nudges, err := m.keeper.Queue()
	return nudgeResults(nudges), err
}

func nudgeResults(nudges []nudge.Nudge) []nudgeResult {
	results := []nudgeResult{}
	for _, n := range nudges {
		result := nudgeResult{
			ID: n.ID, Pane: n.Pane.ID, Server: n.Pane.Server.Socket, Where: n.Where, Agent: n.Agent, Project: n.Project,
			Kind: string(n.Kind), Shape: n.Prompt.Shape, Verb: n.Prompt.Verb, Subject: n.Prompt.Subject,
			State: string(n.State), Stuck: n.Stuck(), Reason: string(n.Reason),
			Detected: n.Detected.UTC(), Reminder: n.Reminder, Of: len(n.Cadence),
		}
		if !n.Due.IsZero() {
			due := n.Due.UTC()
			result.Due = &due
		}
		if n.Claim != nil {
			result.By = n.Claim.By.Name
		}
		results = append(results, result)
	}
	return results
}

// longestReply is how long a reply waits for its outcome: a delivery takes fifteen seconds at most.
const longestReply = time.Minute

func (m *methods) reply(ctx context.Context, p replyParams) (replyResult, error) {
	decision, id, ok := nudge.ParseWord(p.Answer, nudge.ByCommand)
	if !ok || id != "" {
		return replyResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "the answer must be y or n")
	}
	n, found, err := m.keeper.Find(p.ID)
	if err != nil {
		return replyResult{}, err
	}
	if found {
		if err := m.guard(ctx, n.Pane, n.Process); err != nil {
			return replyResult{}, err
		}
	}
	now := time.Now()
	verdict, err := m.keeper.Answer(nudge.Answer{
		Nudge: p.ID, Decision: decision, Unseen: p.Unseen, By: login(), Way: nudge.ByCommand, Written: now, Read: now,
	})
	if err != nil {
		return replyResult{}, err
	}
	if verdict.Kind != nudge.Taken {
		return replyResult{}, rpc.Refuse(string(verdict.Reason), verdict.Detail)
	}
	return m.await(ctx, p.ID)
}

// await waits for the outcome of an answer that was taken.
func (m *methods) await(ctx context.Context, id string) (replyResult, error) {
	ctx, cancel := context.WithTimeout(ctx, longestReply)
	defer cancel()
	n, err := m.keeper.Await(ctx, id)
	if err != nil {
		return replyResult{}, fmt.Errorf("the answer to #%s was taken, but its outcome is not known yet: see `nod log`: %w", id, err)
	}
	return outcomeOf(n)
}

// outcomeOf says how a delivery ended. That nothing was typed is an error, whether for now or for good.
func outcomeOf(n nudge.Nudge) (replyResult, error) {
	switch n.State {
	case nudge.Delivered, nudge.Unknown:
		return replyResult{Outcome: string(n.State), Keys: append([]string{}, n.Keys...), Detail: n.Detail}, nil
	}
	detail := n.Detail
	if detail == "" {
		detail = fmt.Sprintf("#%s is %s: nothing was typed.", n.ID, n.State)
	}
	return replyResult{}, rpc.Refuse(string(n.Reason), detail)
}

func (m *methods) skip(_ context.Context, p idParams) (none, error) {
	if err := m.keeper.Skip(p.ID); err != nil {
		return none{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return none{}, nil
}

func (m *methods) sendKeys(ctx context.Context, p sendParams) (sendResult, error) {
	if len(p.Keys) == 0 {
		return sendResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "there are no keys to type")
	}
	for _, key := range p.Keys {
		if !tmux.ValidKey(key) {
			return sendResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "%q is no key that tmux knows", key)
		}
	}
	_, ref, err := m.find(ctx, p.Pane)
	if err != nil {
		return sendResult{}, err
	}
	if err := m.guard(ctx, ref); err != nil {
		return sendResult{}, err
	}
	result := m.typeNow(ctx, deliver.Request{Pane: ref, Keys: p.Keys})
	if result.Outcome != deliver.Delivered {
		return sendResult{}, rpc.Refuse(string(result.Reason), result.Detail)
	}
	return sendResult{Typed: result.Keys}, nil
}

func (m *methods) tellPane(ctx context.Context, p tellParams) (outcomeResult, error) {
	if p.Text == "" {
		return outcomeResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no text")
	}
	_, ref, err := m.find(ctx, p.Pane)
	if err != nil {
		return outcomeResult{}, err
	}
	if err := m.guard(ctx, ref); err != nil {
		return outcomeResult{}, err
	}
	now := time.Now()
	verdict, err := m.keeper.Tell(ref, nudge.Answer{Text: p.Text, By: login(), Way: nudge.ByCommand, Written: now, Read: now})
	if err != nil {
		return outcomeResult{}, err
	}
	if verdict.Kind != nudge.Taken {
		return outcomeResult{}, rpc.Refuse(string(verdict.Reason), verdict.Detail)
	}
	result, err := m.await(ctx, verdict.Nudge.ID)
	return outcomeResult{Outcome: result.Outcome, Detail: result.Detail}, err
}

// typeNow types keys by hand, which are no answer to a nudge, and leaves their traces.
func (m *methods) typeNow(ctx context.Context, r deliver.Request) deliver.Result {
	result := m.typist.Type(ctx, r, func() error { return nil })
	e := nudge.Event{
		Kind: "key typed", Keys: result.Keys, Reason: string(result.Reason), Pane: r.Pane.ID, Server: r.Pane.Server.Socket,
		Agent: r.Agent, By: login().Name, Way: string(nudge.ByCommand),
	}
	if result.Outcome == deliver.Refused {
		e.Kind = "refused"
	}
	m.log.Info(e.Kind, "pane", e.Pane, "keys", e.Keys, "reason", e.Reason, "by", e.By)
	if err := m.store.Update(func(tx *nudge.Tx) error { tx.Note(e); return nil }); err != nil {
		m.log.Error("not noted in the audit trail", "event", e.Kind, "pane", e.Pane, "error", err)
	}
	return result
}
