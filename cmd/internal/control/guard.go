package control

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// This file is what nod says to the hooks of an agent whose own guard denies calls: the one that tells of a denial may be held
// for a supervisor, and the one before a call is told what a supervisor said of that very call.

// heldHook is a hook that may wait at the socket.
type heldHook struct {
	of     keeper.Denied
	agent  detect.Whereabouts
	caller int
	since  time.Time
	wait   time.Duration // of a denial; 0: of the hook before a call
	print  string        // what it prints, if it is to print anything
	let    bool          // that is a grant
	asks   string        // the call, as a prompt names it, about which the agent asks then
	form   *openForm     // of a form's hook
}

// unattendedHook is how long a hook may take to come for its answer.
const unattendedHook = 5 * time.Second

// guardOf gives the pane of an event whose sender is the pane's own agent, or that agent alone where it runs outside tmux, and how that
// agent's hooks take a human's word; nil: they do not, or the event is somebody else's.
func (c *Control) guardOf(e detect.HookEvent) (s detect.Sighting, guard *agents.Guard) {
	guard = agents.HooksOf(e.Agent).Guard
	if guard == nil {
		return s, nil
	}
	if e.Pane == "" {
		_, process, ok := c.outsideOf(e)
		if !ok {
			return s, nil
		}
		s.Whereabouts = detect.Whereabouts{Agent: e.Agent, Process: process, Project: detect.FolderName(e.Cwd), Where: "outside tmux"}
		return s, guard
	}
	s, ok := c.paneOf(e)
	if !ok {
		return s, nil
	}
	return s, guard
}

// paneOf gives the pane of an event, if its sender is the pane's own agent.
func (c *Control) paneOf(e detect.HookEvent) (s detect.Sighting, ok bool) {
	return senderIn(c.cfg.Panes(), e)
}

func senderIn(panes []detect.Sighting, e detect.HookEvent) (s detect.Sighting, ok bool) {
	i := slices.IndexFunc(panes, func(s detect.Sighting) bool {
		return s.Agent == e.Agent && s.Pane.Here() && s.Pane.ID == e.Pane && s.Pane.Server.PID == e.ServerPID
	})
	if i < 0 || e.Caller == 0 {
		return s, false
	}
	lineage, err := proc.Lineage(e.Caller)
	return panes[i], err == nil && detect.SenderOf(lineage).Speaks(e.Agent, panes[i].Process)
}

// callOf is the call of an event as it is compared; an error where it can't be.
func callOf(e detect.HookEvent, guard *agents.Guard) (grant.Call, error) {
	lost := strings.ContainsRune(e.Session+e.Part+e.Cwd+e.Mode+e.Tool, '\uFFFD') // what was there can't be told from other such signs
	if lost || e.InputCut || e.Session == "" || e.Tool == "" || e.Cwd == "" || e.Mode == "" || e.Subagent && e.Part == "" {
		return grant.Call{}, grant.ErrInput
	}
	input, err := grant.Input(e.Input, guard.Remarks[e.Tool]...)
	return grant.Call{Session: e.Session, Part: e.Part, Folder: e.Cwd, Mode: e.Mode, Tool: e.Tool, Input: input}, err
}

// guarded takes in what an event says of calls that the agent's guard or settings deny, and gives the word with which its hook may wait. ours
// is false where it says nothing of any.
func (c *Control) guarded(e detect.HookEvent, ended bool) (token string, ours bool) {
	if !concernsGuard(e) {
		return "", false
	}
	if ended {
		if err := c.escaped(e); err != nil {
			c.cfg.Log.Error("can't record that somebody pressed Escape", "pane", e.Pane, "error", err)
		}
		return "", false
	}
	s, guard := c.guardOf(e)
	if guard == nil || e.Kind == detect.Asks && !asksNobody(s, guard, c.cfg.Versions(e)) {
		return "", false
	}
	var hook *heldHook
	var err error
	switch e.Kind {
	case detect.Submitted:
		err = c.cfg.Keeper.EndTurn(s.Whereabouts, c.cfg.Escaped(e))
	case detect.Before:
		hook, err = c.before(e, s, guard)
	case detect.Blocked, detect.Asks:
		hook, err = c.blocked(e, s, guard)
	}
	if err != nil {
		c.cfg.Log.Error("can't record a call that an agent's guard denied", "pane", s.Pane.ID, "error", err)
		return "", true
	}
	if hook == nil {
		return "", e.Kind == detect.Asks
	}
	hook.agent, hook.caller, hook.since = s.Whereabouts, e.Caller, time.Now()
	return c.hold(*hook), true
}

// concernsGuard reports whether an event may say something of calls that are denied without a question.
func concernsGuard(e detect.HookEvent) bool {
	switch e.Kind {
	case detect.Blocked, detect.Before, detect.Denied:
		return true
	case detect.Submitted:
		return !e.Subagent
	case detect.Asks:
		known := agents.HooksOf(e.Agent).Door
		return known != nil && agents.PlainName(e.Event) == known.Event && !slices.Contains(known.Questions, e.Tool)
	}
	return false
}

// asksNobody reports whether settings of the agent deny all that it would ask: it draws no dialog, and its hook alone may allow.
func asksNobody(s detect.Sighting, guard *agents.Guard, version string) bool {
	settled := []reason.Kind{reason.OnlyHookAsks, reason.HookMayAsk} // the look may have been before the version was known
	return guard.Silent.Takes(version) && slices.ContainsFunc(s.Unasked, func(why reason.Why) bool { return slices.Contains(settled, why.Kind) })
}

// blocked takes in a call that was denied. It gives the hook, where that may be held.
func (c *Control) blocked(e detect.HookEvent, s detect.Sighting, guard *agents.Guard) (*heldHook, error) {
	settings := c.cfg.Settings()
	b := blockedBy(e, guard, bool(settings.Doors), c.cfg.Versions)
	of, wait, ok, err := c.cfg.Keeper.Deny(s, b, settings.GuardWait)
	if !ok || err != nil || wait == 0 {
		return nil, err
	}
	if b.Settings {
		return &heldHook{of: of, wait: wait, print: agents.HooksOf(e.Agent).Door.Allow, let: true}, nil
	}
	return &heldHook{of: of, wait: wait, print: guard.Retry}, nil
}

// blockedBy is the call that an event says was denied.
func blockedBy(e detect.HookEvent, guard *agents.Guard, doors bool, version func(detect.HookEvent) string) nudge.Blocked {
	b := nudge.Blocked{Reason: e.Message, Settings: e.Kind == detect.Asks}
	var err error
	switch b.Call, err = callOf(e, guard); {
	case err != nil:
		b.Flaw = reason.Why{Kind: reason.DenialUncomparable}
	case !doors:
		b.Flaw = reason.Why{Kind: reason.DenialKeysOnly}
	case !guard.Takes(version(e)):
		b.Flaw = reason.Why{Kind: reason.DenialUnproven}
	}
	shown := e.Input
	if err == nil {
		shown = json.RawMessage(b.Call.Input)
	} else {
		b.Call.Tool, b.Call.Input = e.Tool, string(e.Input)
	}
	b.Verb, b.Text, b.Lead = detect.Subject(e.Tool, shown)
	return b
}

// before decides about a call that is about to be made. It gives the hook, where that has something to say.
func (c *Control) before(e detect.HookEvent, s detect.Sighting, guard *agents.Guard) (*heldHook, error) {
	call, err := callOf(e, guard)
	if err != nil || !bool(c.cfg.Settings().Doors) {
		return nil, nil //nolint:nilerr // what can't be compared is none of those that were allowed
	}
	of, what, err := c.cfg.Keeper.Before(s, call, func() time.Time { return c.cfg.Escaped(e) })
	switch what {
	case nudge.Lets:
		h := &heldHook{of: of, print: guard.Allow, let: true}
		if version := c.cfg.Versions(e); e.Pane != "" && !e.Subagent && !asksNobody(s, guard, version) { // elsewhere nothing shows a dialog of that very call
			if print, asks := guard.Through(version, e.Tool); asks {
				h.print, h.asks = print, detect.ExactCall(e)
			}
		}
		return h, err
	case nudge.Stops:
		return &heldHook{of: of, print: guard.Deny}, err
	}
	return nil, err
}

// hold keeps a hook until it comes to wait.
func (c *Control) hold(h heldHook) (token string) {
	token = rand.Text()
	c.mu.Lock()
	defer c.mu.Unlock()
	for token, h := range c.held {
		if time.Since(h.since) > unattendedHook+h.wait {
			delete(c.held, token)
		}
	}
	c.held[token] = h
	return token
}

// heldFor gives the hook of a word that is held for a process.
func (c *Control) heldFor(token string, caller int) (h heldHook, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h, ok = c.held[token]
	return h, ok && h.caller == caller
}

func (c *Control) letGo(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, token)
}

// escaped takes in that the agent has ended a hook that was held: Escape at the terminal does. Its parents may have ended before it,
// so that its process is all that tells which one it is.
func (c *Control) escaped(e detect.HookEvent) error {
	c.mu.Lock()
	var agent *detect.Whereabouts
	for _, h := range c.held {
		if h.wait > 0 && h.form == nil && h.caller == e.Caller && e.Caller > 0 {
			agent = &h.agent
		}
	}
	c.mu.Unlock()
	if agent == nil {
		return nil
	}
	return c.cfg.Keeper.Escape(*agent, time.Now())
}

// waitHeld is the wait of a hook of this file, and what it is to print. known is false for the word of another one.
func (c *Control) waitHeld(ctx context.Context, token string, caller int) (print string, known bool, err error) {
	h, known := c.heldFor(token, caller)
	switch {
	case known && h.form != nil:
		print, err = c.fill(ctx, token, h)
		return print, true, err
	case !known || h.wait == 0:
		return h.print, known, nil
	}
	retry, err := c.awaitWord(ctx, h)
	if err == nil && !retry {
		err = rpc.Refuse(string(deliver.NotFound), "nobody has allowed the call")
	}
	if err != nil {
		c.letGo(token)
		return "", true, err
	}
	return h.print, true, nil // the agent may yet end the hook before that says so
}

// awaitWord waits for a supervisor's word about a call that was denied, as long as its hook is held, and reports whether that is to tell the
// agent to try again.
func (c *Control) awaitWord(ctx context.Context, h heldHook) (retry bool, err error) {
	waiting, stop := context.WithTimeout(ctx, h.wait)
	defer stop()
	err = c.cfg.Keeper.AwaitDecision(waiting, h.of)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		err = nil
	}
	retry, err2 := c.cfg.Keeper.EndHold(h.of, h.let, ctx.Err() != nil)
	if err = errors.Join(err, err2); err != nil {
		return false, fmt.Errorf("hold the hook of a denied call: %w", err)
	}
	return retry, nil
}

// saidHeld takes note that the hook before a call has printed its answer.
func (c *Control) saidHeld(token string, caller int) (known bool, err error) {
	h, known := c.heldFor(token, caller)
	if !known {
		return false, nil
	}
	c.letGo(token)
	switch {
	case h.form != nil:
		c.cfg.Doors.Printed(h.form.door, caller)
	case h.let:
		err = c.cfg.Keeper.SaidSo(h.of, h.asks)
	}
	return true, err
}
