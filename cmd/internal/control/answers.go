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
	"nod/internal/text/redact"
	"nod/internal/words"
	"nod/nudge"
)

// This file has the methods that list nudges, answer them, and type.

func (c *Control) listNudges(_ context.Context, p ListParams) ([]Nudge, error) {
	nudges, err := c.cfg.Keeper.List(p.All)
	return c.nudgesOf(nudges), err
}

func (c *Control) listQueue(context.Context, none) ([]Nudge, error) {
	nudges, err := c.cfg.Keeper.Queue()
	denied, err2 := c.cfg.Keeper.Denials()
	return append(c.nudgesOf(nudges), deniedOf(denied)...), errors.Join(err, err2)
}

func (c *Control) nudgesOf(nudges []nudge.Nudge) []Nudge {
	held := map[string]bool{}
	for _, h := range c.cfg.Keeper.Held() {
		held[h.Nudge] = true
	}
	results := []Nudge{}
	for _, n := range nudges {
		result := Nudge{
			ID: n.ID, Machine: n.Pane.Machine, Pane: n.Pane.ID, Server: n.Pane.Address(), Where: n.Where, Agent: n.Agent, Project: n.Project,
			Kind: string(n.Kind()), Shape: n.Prompt().Shape, Verb: n.Prompt().Verb, Question: n.Prompt().Question, Subject: n.Prompt().Subject, Lead: n.Prompt().Lead,
			State: string(n.State), Stuck: n.Stuck(), Reason: string(n.Reason),
			Detected: n.Detected.UTC(), Reminder: n.Reminder, Of: len(n.Cadence), Held: held[n.ID],
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
		if n.Asks() {
			result.Fingerprint = n.Drawn()
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

// longestReply is how long a reply waits for its outcome. A delivery takes at most fifteen seconds.
const longestReply = time.Minute

func (c *Control) reply(ctx context.Context, p ReplyParams) (ReplyResult, error) {
	n, found, err := c.cfg.Keeper.Find(p.ID)
	if err != nil {
		return ReplyResult{}, err
	}
	a := c.answerOf(ctx, p, n)
	if p.Answer == "" && p.Words == "" {
		return ReplyResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "there is no answer")
	}
	if found {
		if _, v := n.Read(a); v.Kind == nudge.NoAnswer {
			return ReplyResult{}, jrpc2.Errorf(jrpc2.InvalidParams, "%s", words.Why(v.Detail))
		}
	}
	who := func() error { return c.mayAnswer(ctx, n.Pane, n.Process) }
	if p := n.Program(); !found || p != nil && p.Join { // one that is not there yet may be the caller's own by the time it is answered
		who = func() error { return c.onlyHumans(ctx) } // whatever agents may answer
	}
	if err := who(); err != nil {
		return ReplyResult{}, err
	}
	verdict, err := c.cfg.Keeper.Answer(a)
	why := words.Why(verdict.Detail)
	switch {
	case err != nil:
		return ReplyResult{}, err
	case verdict.Kind == nudge.AskUnseen:
		return ReplyResult{}, rpc.RefuseUnless(needsUnseen, string(verdict.Reason), why)
	case verdict.Kind == nudge.AskSure:
		return ReplyResult{}, rpc.RefuseUnless(needsSure, string(verdict.Reason), why)
	case verdict.Kind != nudge.Taken:
		return ReplyResult{}, rpc.Refuse(string(verdict.Reason), why)
	}
	return c.await(ctx, p.ID)
}

// answerOf returns the caller's answer to n. It includes the parts that the inbox or the page showed, which
// is everything that is not masked.
func (c *Control) answerOf(ctx context.Context, p ReplyParams, n nudge.Nudge) nudge.Answer {
	a := answerTo(ctx, p.ID, p.Way)
	a.Line, a.Text, a.Drawn, a.Sure = p.Answer, p.Words, p.Fingerprint, p.Sure
	a.Unseen, a.LeaveMode = p.Unseen, p.LeaveMode
	if p.Fingerprint == n.Drawn() && !c.hides(n.Prompt().Verb+"\n"+n.Prompt().Subject) {
		a.Shown = []nudge.Shown{{Nudge: n.ID, Subject: n.SubjectHash()}}
	}
	return a
}

// hides reports whether the inbox and the page mask part of a text.
func (c *Control) hides(text string) bool {
	return bool(c.cfg.Settings().Redact) && redact.Mask(text) != text
}

// await waits for the outcome of an accepted answer.
func (c *Control) await(ctx context.Context, id string) (ReplyResult, error) {
	ctx, cancel := context.WithTimeout(ctx, longestReply)
	defer cancel()
	n, err := c.cfg.Keeper.Await(ctx, id)
	if err != nil {
		return ReplyResult{}, fmt.Errorf("the answer to #%s was taken, but its outcome is not known yet: see `nod log`: %w", id, err)
	}
	return outcomeOf(n)
}

// outcomeOf returns how a delivery ended. It is an error if nothing was typed, temporarily or for good.
func outcomeOf(n nudge.Nudge) (ReplyResult, error) {
	if n.State == nudge.Delivered || n.State == nudge.Unknown || n.Ticked() {
		reply := ReplyResult{
			Outcome: string(n.State), Decision: n.Meant(), Keys: append([]string{}, n.Keys...), Detail: words.Why(n.Detail),
			Agent: n.Agent, Project: n.Project, Asked: strings.TrimSpace(n.Prompt().Verb + " " + n.Prompt().Leading()), where: n.Where,
		}
		if n.Ticked() {
			reply.Ticked = n.Prompt().Ticked()
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

func (c *Control) skip(ctx context.Context, p DeferParams) (State, error) {
	return c.put(ctx, p, c.cfg.Keeper.Skip)
}

// askAgain asks an expired question again, like the button under its message.
func (c *Control) askAgain(ctx context.Context, p DeferParams) (State, error) {
	return c.put(ctx, p, c.cfg.Keeper.AskAgain)
}

func (c *Control) snooze(ctx context.Context, p DeferParams) (State, error) {
	if p.ForMS < 0 {
		return State{}, jrpc2.Errorf(jrpc2.InvalidParams, "for_ms must be at least 0, which is until the morning")
	}
	quiet, _ := c.cfg.Keeper.Quiet() // on an error, the usual morning
	until := nudge.SnoozeEnd(time.Duration(min(p.ForMS, longestSnooze.Milliseconds()))*time.Millisecond, quiet, time.Local, time.Now())
	return c.put(ctx, p, func(id string) error { return c.cfg.Keeper.Snooze(id, until) })
}

// longestSnooze is longer than any question lasts.
const longestSnooze = 30 * 24 * time.Hour

// put lets a human postpone a question, for a time or behind the others. The error of do is a sentence for
// them.
func (c *Control) put(ctx context.Context, p DeferParams, do func(id string) error) (State, error) {
	if err := c.onlyHumans(ctx); err != nil {
		return State{}, err
	}
	n, _, err := c.cfg.Keeper.Find(p.ID)
	if err != nil {
		return State{}, err
	}
	if v := n.DrawnAs(nudge.Answer{Drawn: p.Fingerprint}); v.Kind != "" {
		return State{}, rpc.Refuse(string(v.Reason), words.Why(v.Detail))
	}
	if err := do(p.ID); err != nil {
		return State{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return State{State: string(n.State)}, nil
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
	if !tmux.Exact(p.Pane) { // an agent can rename its own session, and choose its folder
		return Sent{}, rpc.Refuse(string(deliver.Ambiguous), fmt.Sprintf("%q is %s now, and keys by hand go to no name that an agent can take: name the pane itself, as in %s or main:2.0", p.Pane, ref.ID, ref.ID))
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
	ref, err := c.findPane(ctx, p.Pane)
	if err == nil {
		err = c.onlyHumans(ctx)
	}
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

// typeNow types keys by hand, which are not an answer to a nudge, and records them.
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
		c.cfg.Log.Error("can't write to the audit trail", "event", e.Kind, "pane", e.Pane, "error", err)
	}
	return result
}
