package control

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/creachadair/jrpc2"

	"nod/deliver"
	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file is the edge's end of what it asks its hub, which answers in there.go: about calls that an agent's own guard denies, and what
// programs ask.

// edgeHook is a hook that may come to wait for what the hub says.
type edgeHook struct {
	caller  int
	method  string
	call    thereCall
	guard   *agents.Guard
	through func() (print string, asks string) // what lets the call through
	allow   string                             // what lets a call run that settings deny
	said    thereSaid                          // once it did
}

// How long the hook before a call, or of an instruction, may wait for what the hub says, and how long the hub may take to be told.
const (
	edgeWait = 5 * time.Second
	edgeTell = time.Second
)

// mostDenied is how many calls are remembered that were denied.
const mostDenied = 1000

// guarded takes in what an event says of calls that the agent's guard denies, as Control.guarded does, and gives the word with which its hook
// may wait. Only what may concern such a call is asked about: any other waits for nothing.
func (e *Edge) guarded(event detect.HookEvent, ended bool) (token string, ours bool) {
	guard := agents.HooksOf(event.Agent).Guard
	if !concernsGuard(event) {
		return "", false
	}
	if ended {
		e.escaped(event)
		return "", false
	}
	s, ok := senderIn(e.cfg.Panes(), event)
	if guard == nil || !ok || event.Kind == detect.Asks && !asksNobody(s, guard, e.cfg.Versions(event)) {
		return "", false
	}
	h := &edgeHook{caller: event.Caller, guard: guard, call: thereCall{thereAgent: thereAgent{Pane: s.Pane, Process: s.Process}}}
	switch event.Kind {
	case detect.Submitted:
		if h.method = "denial.turn"; !e.forget(s.Process) {
			return "", false
		}
	case detect.Before:
		call, err := callOf(event, guard)
		if h.method, h.call.Call = "denial.before", sealed(call, e.cfg.Mask); err != nil || !e.cfg.Answers() || !e.mayBeDecided(h.call.Call.Sum()) {
			return "", false
		}
		h.through = func() (print, asks string) {
			version := e.cfg.Versions(event)
			if print, asked := guard.Through(version, event.Tool); asked && !event.Subagent && !asksNobody(s, guard, version) {
				return print, detect.ExactCall(event)
			}
			return guard.Allow, ""
		}
	case detect.Blocked, detect.Asks:
		h.method, h.call.Blocked, h.allow = "denial.blocked", e.blocked(event, guard), agents.HooksOf(event.Agent).Door.Allow
		e.remember(h.call.Call.Sum(), s.Process)
	}
	if at := e.cfg.Escaped(event); h.method != "denial.blocked" && !at.IsZero() {
		h.call.Escaped = time.Since(at)
	}
	return e.hold(h), true
}

// blocked is a call that was denied, as it crosses.
func (e *Edge) blocked(event detect.HookEvent, guard *agents.Guard) nudge.Blocked {
	b := blockedBy(event, guard, e.cfg.Answers(), e.cfg.Versions)
	b.Call = sealed(b.Call, e.cfg.Mask)
	text := b.Verb + " " + b.Text
	switch {
	case !b.Flaw.IsZero():
	case !e.cfg.Full():
		b.Flaw = reason.Why{Kind: reason.DenialKeysOnly}
	case e.cfg.Mask(text) != text:
		b.Flaw = reason.Why{Kind: reason.DenialMasked}
	}
	b.Verb, b.Text, b.Reason = e.cfg.Mask(b.Verb), capped(e.cfg.Mask(b.Text), maxShare), e.cfg.Mask(b.Reason)
	return b
}

// remember notes that a call was denied.
func (e *Edge) remember(sum string, process proc.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.denied) >= mostDenied {
		clear(e.denied) // the hub names those about which somebody decides
	}
	e.denied[sum] = process
}

// forget has an agent begin another turn, and reports whether calls of the one before were denied.
func (e *Edge) forget(process proc.ID) (any bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for sum, of := range e.denied {
		if of == process {
			any = true
			delete(e.denied, sum) // a word that stays open is named by the hub
		}
	}
	return any
}

func (e *Edge) mayBeDecided(sum string) bool {
	e.mu.Lock()
	_, denied := e.denied[sum]
	e.mu.Unlock()
	return denied || e.cfg.Decided(sum)
}

func (e *Edge) hold(h *edgeHook) (token string) {
	token = rand.Text()
	e.mu.Lock()
	defer e.mu.Unlock()
	for token, h := range e.held {
		if _, err := proc.Of(h.caller); err != nil { // it has ended
			delete(e.held, token)
		}
	}
	e.held[token] = h
	return token
}

// heldFor gives the hook of a word that is held for a process; nil: none is.
func (e *Edge) heldFor(token string, caller int) *edgeHook {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.held[token]; h != nil && h.caller == caller {
		return h
	}
	return nil
}

func (e *Edge) letGo(token string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.held, token)
}

// askAbout asks the hub what a hook is to print; empty: nothing.
func (e *Edge) askAbout(ctx context.Context, h *edgeHook) (print string, err error) {
	var word thereWord
	if h.method != "denial.blocked" {
		var stop func()
		ctx, stop = context.WithTimeout(ctx, edgeWait)
		defer stop()
	}
	if h.method == "denial.turn" {
		return "", e.cfg.Call(ctx, h.method, h.call.thereAgent, &none{})
	}
	if err := e.cfg.Call(ctx, h.method, h.call, &word); err != nil {
		return "", err
	}
	switch {
	case word.Word == nudge.Stops && h.method == "denial.before":
		return h.guard.Deny, nil
	case !e.cfg.Full():
		return "", errors.New("NOD_EDGE lets nothing in but denials")
	case word.Retry && h.call.Settings:
		h.said.Denied = word.Denied
		return h.allow, nil
	case word.Retry && h.method == "denial.blocked":
		return h.guard.Retry, nil
	case word.Word == nudge.Lets && h.method == "denial.before":
		h.said.Denied = word.Denied
		print, h.said.Asks = h.through()
	}
	return print, nil
}

// said tells the hub that a hook has let a call through.
func (e *Edge) said(ctx context.Context, h *edgeHook) error {
	if h.said.ID == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), edgeWait)
	defer stop()
	return e.cfg.Call(ctx, "denial.said", h.said, &none{})
}

// escaped tells the hub that somebody at the terminal has ended the hook of a denied call.
func (e *Edge) escaped(event detect.HookEvent) {
	e.mu.Lock()
	var agent *thereAgent
	for _, h := range e.held {
		if h.method == "denial.blocked" && h.caller == event.Caller && event.Caller > 0 {
			agent = &h.call.thereAgent
		}
	}
	e.mu.Unlock()
	if agent == nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), edgeTell)
	defer stop()
	if err := e.cfg.Call(ctx, "denial.escape", agent, &none{}); err != nil {
		e.cfg.Log.Warn("can't tell the hub that somebody pressed Escape", "error", err)
	}
}

func (e *Edge) createAsk(ctx context.Context, p AskParams) (asked Asked, err error) {
	q := p.question(time.Hour)
	if flaw := q.Flaw(); flaw != "" {
		return Asked{}, jrpc2.Errorf(jrpc2.InvalidParams, "%s", flaw)
	}
	if p.TimeoutMS == 0 {
		q.Timeout = 0 // the hub's NOD_EXPIRY
	}
	q.Program, _ = asker(rpc.CallerPID(ctx))
	for _, text := range []*string{&q.Text, &q.File, &q.Project} {
		*text = e.cfg.Mask(*text)
	}
	if c := q.Call; c != nil {
		c.Verb, c.Subject = e.cfg.Mask(c.Verb), e.cfg.Mask(c.Subject)
	}
	return asked, e.askHub(ctx, "ask.create", q, &asked)
}

// waitAsk waits for the answer to a question. Where the hub is not in reach, its state is no end, and the caller asks once more.
func (e *Edge) waitAsk(ctx context.Context, p IDParams) (answer AskAnswer, err error) {
	err = e.askHub(ctx, "ask.wait", p, &answer)
	if err == nil && !e.cfg.Full() && answer.State == string(nudge.Delivered) && answer.Answer != nudge.Deny && !nudge.MeansNo(answer.Answer) {
		err = rpc.Refuse(string(deliver.NotOwner), "NOD_EDGE of this machine takes no yes to that from its bot, so the answer does not count here.")
	}
	if err != nil {
		return AskAnswer{}, err
	}
	return answer, nil
}

func (e *Edge) cancelAsk(ctx context.Context, p IDParams) (none, error) {
	return none{}, e.askHub(ctx, "ask.cancel", p, &none{})
}

// askHub asks the hub for a program.
func (e *Edge) askHub(ctx context.Context, method string, params, result any) error {
	if err := e.cfg.Call(ctx, method, params, result); err != nil {
		return rpc.Refuse(string(deliver.Away), err.Error())
	}
	return nil
}
