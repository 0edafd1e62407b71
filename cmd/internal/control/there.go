package control

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// This file has the hub's end of an edge's calls. The records about denied calls and programs' questions are
// here; the agents and programs are there. An edge is trusted as much as a hook: fleet.Hub masks and cuts all
// that it says. It speaks only for agents of its own machine, and it only ever receives a human's decision
// about the call or question that it asked about.

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

// sealed returns a call in the form that is sent. Two sealed calls are equal exactly if the calls are equal
// on this machine.
func sealed(c grant.Call, mask func(string) string) grant.Call {
	sum := sha256.Sum256([]byte(c.Sum()))
	return grant.Call{Session: c.Session, Part: c.Part, Folder: mask(c.Folder), Mode: c.Mode, Tool: c.Tool, Input: base64.RawURLEncoding.EncodeToString(sum[:])}
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
func (c *Control) There(ctx context.Context, machine, method string, read func(into any) error) (any, error) {
	answer := c.thereMethods()[method]
	if answer == nil {
		return nil, errors.New("the bot of this machine does not know what is asked: update nod there")
	}
	return answer(ctx, machine, read)
}

// thereMethod answers what the edge of a machine asks; read gives what that is about.
type thereMethod func(ctx context.Context, machine string, read func(into any) error) (any, error)

func (c *Control) thereMethods() map[string]thereMethod {
	return map[string]thereMethod{
		"denial.blocked": answerThere(func(ctx context.Context, machine string, p thereCall) (thereWord, error) {
			return c.blockedThere(ctx, p.taken(machine))
		}),
		"denial.before": answerThere(func(_ context.Context, machine string, p thereCall) (w thereWord, err error) {
			w.Denied, w.Word, err = c.cfg.Keeper.Before(detect.Sighting{Whereabouts: p.of(machine)}, p.Call, p.escaped)
			return w, err
		}),
		"denial.said": answerThere(func(_ context.Context, machine string, p thereSaid) (none, error) {
			d, _, err := c.cfg.Keeper.DenialsOf(p.ID)
			if err != nil || d.Pane.Machine != machine {
				return none{}, err
			}
			return none{}, c.cfg.Keeper.SaidSo(p.Denied, p.Asks)
		}),
		"denial.turn": answerThere(func(_ context.Context, machine string, p thereAgent) (none, error) {
			return none{}, c.cfg.Keeper.EndTurn(p.of(machine), p.escaped())
		}),
		"denial.escape": answerThere(func(_ context.Context, machine string, p thereAgent) (none, error) {
			return none{}, c.cfg.Keeper.Escape(p.of(machine), time.Now())
		}),
		"monitor.report": answerThere(c.reportThere),
		"ask.create":     answerThere(c.askThere),
		"ask.wait": answerThere(func(ctx context.Context, machine string, p IDParams) (AskAnswer, error) {
			if err := c.isFrom(machine, p.ID); err != nil {
				return AskAnswer{}, err
			}
			return c.awaitAsk(ctx, p)
		}),
		"ask.cancel": answerThere(func(_ context.Context, machine string, p CancelParams) (none, error) {
			if err := c.isFrom(machine, p.ID); err != nil {
				return none{}, err
			}
			return c.withdrawAsk(p)
		}),
	}
}

// answerThere decodes the parameters and returns the result of fn.
func answerThere[P, R any](fn func(context.Context, string, P) (R, error)) thereMethod {
	return func(ctx context.Context, machine string, read func(into any) error) (any, error) {
		var p P
		if err := read(&p); err != nil {
			return nil, err
		}
		result, err := fn(ctx, machine, p)
		return result, withoutCode(err)
	}
}

// withoutCode returns an error as it is said to people: without the code that the socket gives it.
func withoutCode(err error) error {
	if said := (*jrpc2.Error)(nil); errors.As(err, &said) {
		return errors.New(said.Message)
	}
	return err
}

// blockedThere handles a denied call, and waits for a decision as its hook does.
func (c *Control) blockedThere(ctx context.Context, p thereCall) (w thereWord, err error) {
	began := time.Now()
	of, wait, _, err := c.cfg.Keeper.Deny(detect.Sighting{Whereabouts: detect.Whereabouts{Pane: p.Pane, Process: p.Process}}, p.Blocked, c.cfg.Settings().GuardWait)
	if err != nil || wait == 0 {
		return thereWord{Denied: of}, err
	}
	w.Denied = of
	w.Retry, err = c.awaitWord(ctx, heldHook{of: of, since: began, wait: wait, let: p.Settings})
	return w, err
}

// askThere opens the question of a program on another machine. The hub decides who may answer, without regard
// to processes of that machine, which it does not know.
func (c *Control) askThere(_ context.Context, machine string, q nudge.ProgramQuestion) (Asked, error) {
	if isNods(q.Program) {
		q.Program = "a program"
	}
	q.Machine, q.Program, q.Project = machine, capped(q.Program, 40), strings.TrimSuffix(machine+":"+strings.ReplaceAll(q.Project, ":", "_"), ":")
	if q.Call != nil {
		q.Call.Lead = max(q.Call.Lead, 0)
	}
	q.Agent, q.Door, q.Form, q.Join, q.Name, q.Where = proc.ID{}, false, false, false, "", ""
	if q.Timeout == 0 {
		q.Timeout = c.cfg.Settings().Expiry
	}
	if flaw := q.Flaw(); !flaw.IsZero() {
		return Asked{}, errors.New(words.Why(flaw))
	}
	n, err := c.cfg.Keeper.Ask(q)
	return c.toldAsker(n), err
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
