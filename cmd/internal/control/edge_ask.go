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
	"nod/internal/words"
	"nod/nudge"
)

// This file has the edge's calls to its hub, about calls that an agent's own guard denies and about programs'
// questions. there.go has the hub's end.

// edgeHook is a hook that may wait for the hub's decision.
type edgeHook struct {
	caller  int
	method  string
	call    thereCall
	guard   *agents.Guard
	through func() (print string, asks string) // output that lets the call through
	allow   string                             // output that allows a call that settings deny
	said    thereSaid                          // set once through has run; the lock of its Edge guards it
}

// Time limits: how long the hook before a call or an instruction may wait for the hub's decision, and how
// long a report to the hub may take.
const (
	edgeWait = 5 * time.Second
	edgeTell = time.Second
)

// mostDenied is how many denied calls are remembered.
const mostDenied = 1000

// guarded handles the part of an event about calls that the agent's guard denies, as Control.guarded does,
// and returns the word with which its hook may wait. It asks the hub only about events that may concern such
// a call; other hooks don't wait.
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

// blocked returns a denied call in the form that is sent to the hub.
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
	b.Text = capped(e.cfg.Mask(b.Text), maxShare)
	return b
}

// remember records that a call was denied.
func (e *Edge) remember(sum string, process proc.ID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.denied) >= mostDenied {
		clear(e.denied) // the hub reports the calls that have a decision
	}
	e.denied[sum] = process
}

// forget records that an agent begins another turn, and reports whether calls of the previous turn were
// denied.
func (e *Edge) forget(process proc.ID) (any bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for sum, of := range e.denied {
		if of == process {
			any = true
			delete(e.denied, sum) // the hub reports a decision that is still open
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

// heldFor returns the hook with this word, if it is held for this caller, else nil.
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

// askAbout asks the hub for the output of a hook; empty for none.
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
		e.lets(h, thereSaid{Denied: word.Denied})
		return h.allow, nil
	case word.Retry && h.method == "denial.blocked":
		return h.guard.Retry, nil
	case word.Word == nudge.Lets && h.method == "denial.before":
		print, asks := h.through()
		e.lets(h, thereSaid{word.Denied, asks})
		return print, nil
	}
	return "", nil
}

// lets keeps what a hook shall say to the hub once it has let its call through.
func (e *Edge) lets(h *edgeHook, said thereSaid) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h.said = said
}

// said tells the hub that a hook has let a call through.
func (e *Edge) said(ctx context.Context, h *edgeHook) error {
	e.mu.Lock()
	said := h.said
	e.mu.Unlock()
	if said.ID == "" {
		return nil
	}
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), edgeWait)
	defer stop()
	return e.cfg.Call(ctx, "denial.said", said, &none{})
}

// escaped tells the hub that somebody at the terminal ended the hook of a denied call.
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
	if flaw := q.Flaw(); !flaw.IsZero() {
		return Asked{}, jrpc2.Errorf(jrpc2.InvalidParams, "%s", words.Why(flaw))
	}
	if p.TimeoutMS == 0 {
		q.Timeout = 0 // the hub uses its own NOD_EXPIRY
	}
	q.Program, _ = asker(rpc.CallerPID(ctx))
	for _, option := range q.Options {
		if e.cfg.Mask(option) != option {
			return Asked{}, jrpc2.Errorf(jrpc2.InvalidParams, "an answer to choose from holds a secret, and the bot of another machine is told none")
		}
	}
	if err := e.askHub(ctx, "ask.create", q, &asked); err != nil {
		return Asked{}, err
	}
	e.askers.remember(ctx, asked)
	return asked, nil
}

// waitAsk waits for the answer to a question. If the hub can't be reached, the returned state is not final,
// and the caller asks again.
func (e *Edge) waitAsk(ctx context.Context, p IDParams) (answer AskAnswer, err error) {
	err = e.cfg.Call(ctx, "ask.wait", p, &answer)
	switch {
	case errors.Is(err, ErrNoHub):
		return AskAnswer{State: string(nudge.Pending)}, nil
	case err != nil:
		return AskAnswer{}, rpc.Refuse(string(deliver.Away), err.Error())
	}
	switch {
	case e.cfg.Full() || nudge.MeansNo(answer.Answer):
		return answer, nil
	case answer.State == string(nudge.Delivered):
		return AskAnswer{}, rpc.Refuse(string(deliver.NotOwner), "NOD_EDGE of this machine takes no yes to that from its bot, so the answer does not count here.")
	}
	return AskAnswer{State: answer.State}, nil // the program knows its own answer for when time is up
}

func (e *Edge) cancelAsk(ctx context.Context, p CancelParams) (none, error) {
	p.Key = e.askers.key(ctx, p)
	return none{}, e.askHub(ctx, "ask.cancel", p, &none{})
}

// askHub calls the hub for a program.
func (e *Edge) askHub(ctx context.Context, method string, params, result any) error {
	if err := e.cfg.Call(ctx, method, params, result); err != nil {
		return rpc.Refuse(string(deliver.Away), err.Error())
	}
	return nil
}
