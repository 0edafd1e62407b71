package control

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// This file has the hub's end of an edge's calls. The records about denied calls and programs' questions are
// here; the agents and programs are there. An edge is trusted as much as a hook. It speaks only for agents of
// its own machine, and it only ever receives a human's decision about the call or question that it asked
// about.

// thereAgent is an agent of another machine.
type thereAgent struct {
	Pane    detect.PaneRef
	Process proc.ID
	Escaped time.Duration `json:",omitempty"` // how long ago a person there stopped it; 0 if nobody did
}

// thereCall is a call that was denied or is about to be made. Its input is sent as a hash, and its texts with
// secrets masked.
type thereCall struct {
	thereAgent
	nudge.Blocked
}

// thereWord is the decision about a thereCall.
type thereWord struct {
	keeper.Denied
	Word  nudge.Verdicts // about a call that is about to be made
	Retry bool           // tell the agent to try a denied call again
}

// thereSaid reports that the agent got the decision.
type thereSaid struct {
	keeper.Denied
	Asks string // the call that the agent then asks about
}

// Length limits for texts from another machine, in bytes.
const (
	longestName = 4 << 10
	longestWhy  = 4 << 10
)

// sealed returns a call in the form that is sent. Two sealed calls are equal exactly if the calls are equal
// on this machine.
func sealed(c grant.Call, mask func(string) string) grant.Call {
	sum := sha256.Sum256([]byte(c.Sum()))
	return grant.Call{Session: capped(c.Session, longestName), Part: capped(c.Part, longestName), Folder: mask(c.Folder), Mode: c.Mode, Tool: c.Tool, Input: base64.RawURLEncoding.EncodeToString(sum[:])}
}

func capped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "")
}

// taken returns a call of a machine with its texts cut to the lengths that nod shows.
func (t thereCall) taken(machine string) thereCall {
	t.Pane.Machine = machine
	c := &t.Call
	for _, text := range []*string{&c.Session, &c.Part, &c.Folder, &c.Mode, &c.Tool, &c.Input, &t.Verb} {
		*text = capped(*text, longestName)
	}
	t.Reason = capped(t.Reason, longestWhy)
	t.Text = capped(t.Text, maxShare)
	flaws := []reason.Kind{reason.DenialUncomparable, reason.DenialKeysOnly, reason.DenialUnproven, reason.DenialMasked}
	if flaw := t.Flaw.Kind; flaw != "" {
		t.Flaw = reason.Why{Kind: reason.DenialUncomparable}
		if slices.Contains(flaws, flaw) {
			t.Flaw.Kind = flaw
		}
	}
	t.Lead, t.Taking, t.Review = max(t.Lead, 0), nudge.ByHook, ""
	return t
}

// maxShare is more of a call than any message shows, in bytes.
const maxShare = 32 << 10

func (t thereAgent) of(machine string) detect.Whereabouts {
	t.Pane.Machine = machine
	return detect.Whereabouts{Pane: t.Pane, Process: t.Process}
}

// escaped returns when a person stopped the agent, by this machine's clock; zero if nobody did.
func (t thereAgent) escaped() time.Time {
	if t.Escaped <= 0 {
		return time.Time{}
	}
	return time.Now().Add(-t.Escaped)
}

// There answers a call from the edge of a machine, until ctx ends.
func (c *Control) There(ctx context.Context, machine, method string, params json.RawMessage) (any, error) {
	switch method {
	case "denial.blocked":
		return answerThere(params, func(p thereCall) (thereWord, error) { return c.blockedThere(ctx, p.taken(machine)) })
	case "denial.before":
		return answerThere(params, func(p thereCall) (w thereWord, err error) {
			p = p.taken(machine)
			w.Denied, w.Word, err = c.cfg.Keeper.Before(detect.Sighting{Whereabouts: p.of(machine)}, p.Call, p.escaped)
			return w, err
		})
	case "denial.said":
		return answerThere(params, func(p thereSaid) (none, error) {
			d, ok, err := c.cfg.Keeper.DenialsOf(p.ID)
			if err != nil || !ok || d.Pane.Machine != machine {
				return none{}, err
			}
			return none{}, c.cfg.Keeper.SaidSo(p.Denied, capped(p.Asks, longestName))
		})
	case "denial.turn":
		return answerThere(params, func(p thereAgent) (none, error) { return none{}, c.cfg.Keeper.EndTurn(p.of(machine), p.escaped()) })
	case "denial.escape":
		return answerThere(params, func(p thereAgent) (none, error) { return none{}, c.cfg.Keeper.Escape(p.of(machine), time.Now()) })
	case "monitor.report":
		return answerThere(params, func(r nudge.MonitorReport) (none, error) { return c.reportThere(machine, r) })
	case "ask.create":
		return answerThere(params, func(q nudge.ProgramQuestion) (Asked, error) { return c.askThere(machine, q) })
	case "ask.wait":
		return answerThere(params, func(p IDParams) (AskAnswer, error) {
			if err := c.isFrom(machine, p.ID); err != nil {
				return AskAnswer{}, err
			}
			return c.waitAsk(ctx, p)
		})
	case "ask.cancel":
		return answerThere(params, func(p IDParams) (none, error) {
			if err := c.isFrom(machine, p.ID); err != nil {
				return none{}, err
			}
			return c.cancelAsk(ctx, p)
		})
	}
	return nil, errors.New("the bot of this machine does not know what is asked: update nod there")
}

// answerThere decodes the parameters and returns the result of fn.
func answerThere[P, R any](params json.RawMessage, fn func(P) (R, error)) (any, error) {
	var p P
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("read what an edge asks: %w", err)
	}
	result, err := fn(p)
	if said := (*jrpc2.Error)(nil); errors.As(err, &said) {
		err = errors.New(said.Message)
	}
	return result, err
}

// blockedThere handles a denied call, and waits for a decision as its hook does.
func (c *Control) blockedThere(ctx context.Context, p thereCall) (w thereWord, err error) {
	began := time.Now()
	of, wait, ok, err := c.cfg.Keeper.Deny(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: p.Pane, Process: p.Process}}, p.Blocked, c.cfg.Settings().GuardWait)
	if err != nil || !ok || wait == 0 {
		return thereWord{Denied: of}, err
	}
	w.Denied = of
	w.Retry, err = c.awaitWord(ctx, heldHook{of: of, since: began, wait: wait, let: p.Settings})
	return w, err
}

// askThere opens the question of a program on another machine. The hub decides who may answer, without regard
// to processes of that machine, which it does not know.
func (c *Control) askThere(machine string, q nudge.ProgramQuestion) (Asked, error) {
	q.Machine, q.Program, q.Project = machine, capped(q.Program, 40), strings.TrimSuffix(machine+":"+strings.ReplaceAll(capped(q.Project, 200), ":", "_"), ":")
	q.Agent, q.Door, q.Form, q.Join, q.Name, q.Where = proc.ID{}, false, false, false, "", ""
	if q.Timeout == 0 {
		q.Timeout = c.cfg.Settings().Expiry
	}
	if flaw := q.Flaw(); flaw != "" {
		return Asked{}, errors.New(flaw)
	}
	n, err := c.cfg.Keeper.Ask(q)
	return Asked{ID: n.ID, Expires: n.Expires.UTC()}, err
}

// isFrom returns an error unless the question was asked by a program on that machine.
func (c *Control) isFrom(machine, id string) error {
	n, _, err := c.cfg.Keeper.Find(id)
	if err != nil {
		return err
	}
	if p := n.Program(); p == nil || p.Machine != machine {
		return keeper.ErrNoQuestion
	}
	return nil
}
