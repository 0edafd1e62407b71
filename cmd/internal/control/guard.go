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

// This file answers the hooks of an agent whose own guard denies calls. The hook that reports a denial may be
// held for a supervisor. The hook before a call gets a supervisor's decision about exactly that call.

// heldHook is a hook that may wait at the socket.
type heldHook struct {
	of     keeper.Denied
	agent  detect.Whereabouts
	caller int
	since  time.Time
	wait   time.Duration // for a denial; 0 for the hook before a call
	print  string        // output of the hook; may be empty
	let    bool          // print lets the call run by a grant
	asks   string        // the call, as in a prompt, that the agent then asks about
	form   *openForm     // for a form's hook
	came   bool          // it has come to wait
}

// unattendedHook is how long a hook may take to fetch its answer.
const unattendedHook = 5 * time.Second

// guardOf returns the pane of an event whose sender is the pane's own agent, or only the agent if it runs
// outside tmux. guard says how that agent's hooks take a human's decision; nil if they don't, or if the event
// is not the agent's own.
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

// paneOf returns the pane of an event, if its sender is the pane's own agent.
func (c *Control) paneOf(e detect.HookEvent) (s detect.Sighting, ok bool) {
	return senderIn(c.cfg.Panes(), e)
}

func senderIn(panes []detect.Sighting, e detect.HookEvent) (s detect.Sighting, ok bool) {
	i := slices.IndexFunc(panes, func(s detect.Sighting) bool {
		return s.Agent == e.Agent && s.Pane.Here() && s.Pane.ID == e.Pane && s.Pane.Server.PID == e.ServerPID
	})
	if i < 0 {
		return s, false
	}
	lineage, _ := proc.Lineage(e.Caller) // empty on an error, and then nobody's
	return panes[i], detect.SenderOf(lineage).Speaks(e.Agent, panes[i].Process)
}

// callOf returns an event's call in the form for comparisons, or an error if it can't be compared.
func callOf(e detect.HookEvent, guard *agents.Guard) (grant.Call, error) {
	lost := strings.ContainsRune(e.Session+e.Part+e.Cwd+e.Mode+e.Tool, '\uFFFD') // U+FFFD stands for unknown bytes, which may differ
	if lost || e.InputCut || e.Session == "" || e.Tool == "" || e.Cwd == "" || e.Mode == "" || e.Subagent && e.Part == "" {
		return grant.Call{}, grant.ErrInput
	}
	input, err := grant.Input(e.Input, guard.Remarks[e.Tool]...)
	return grant.Call{Session: e.Session, Part: e.Part, Folder: e.Cwd, Mode: e.Mode, Tool: e.Tool, Input: input}, err
}

// guarded handles the part of an event about calls that the agent's guard or settings deny, and returns the
// word with which its hook may wait. ours is false if the event is not about such calls.
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

// concernsGuard reports whether an event may be about calls that are denied without a question.
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

// asksNobody reports whether the agent's settings deny every call that would need a question: it draws no
// dialog, and only its hook can allow a call.
func asksNobody(s detect.Sighting, guard *agents.Guard, version string) bool {
	settled := []reason.Kind{reason.OnlyHookAsks, reason.HookMayAsk} // the look may predate the version
	return guard.Silent.Takes(version) && slices.ContainsFunc(s.Unasked, func(why reason.Why) bool { return slices.Contains(settled, why.Kind) })
}

// blocked records a denied call. It returns the hook if that may be held.
func (c *Control) blocked(e detect.HookEvent, s detect.Sighting, guard *agents.Guard) (*heldHook, error) {
	settings := c.cfg.Settings()
	b := blockedBy(e, guard, bool(settings.Doors), c.cfg.Versions)
	of, wait, _, err := c.cfg.Keeper.Deny(s, b, settings.GuardWait)
	if err != nil || wait == 0 {
		return nil, err
	}
	if b.Settings {
		return &heldHook{of: of, wait: wait, print: agents.HooksOf(e.Agent).Door.Allow, let: true}, nil
	}
	return &heldHook{of: of, wait: wait, print: guard.Retry}, nil
}

// blockedBy returns the denied call of an event.
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

// before decides about a call that is about to be made. It returns the hook if that has output.
func (c *Control) before(e detect.HookEvent, s detect.Sighting, guard *agents.Guard) (*heldHook, error) {
	call, err := callOf(e, guard)
	if err != nil || !bool(c.cfg.Settings().Doors) {
		return nil, nil //nolint:nilerr // a call that can't be compared was never allowed
	}
	of, what, err := c.cfg.Keeper.Before(s, call, func() time.Time { return c.cfg.Escaped(e) })
	switch what {
	case nudge.Lets:
		h := &heldHook{of: of, print: guard.Allow, let: true}
		if version := c.cfg.Versions(e); e.Pane != "" && !e.Subagent && !asksNobody(s, guard, version) { // elsewhere nothing shows a dialog of exactly that call
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

// heldFor returns the hook with this word, if it is held for this caller, which has come with that.
func (c *Control) heldFor(token string, caller int) (h heldHook, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h, ok = c.held[token]; !ok || h.caller != caller {
		return heldHook{}, false
	}
	h.came = true
	c.held[token] = h
	return h, true
}

// EndUnattended ends the waits of hooks that were ended before they came to wait. Otherwise whoever allows the call would be told that its
// hook tells the agent so.
func (c *Control) EndUnattended(now time.Time) (err error) {
	var gone []heldHook
	c.mu.Lock()
	for token, h := range c.held {
		if !h.came && h.wait > 0 && now.Sub(h.since) > unattendedHook {
			gone = append(gone, h)
			delete(c.held, token)
		}
	}
	c.mu.Unlock()
	for _, h := range gone {
		if h.form != nil {
			err = errors.Join(err, c.cfg.Keeper.Release(h.agent, h.form.asker.Until))
			continue
		}
		_, err2 := c.cfg.Keeper.EndHold(h.of, h.let, true)
		err = errors.Join(err, err2)
	}
	return err
}

func (c *Control) letGo(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, token)
}

// escaped handles the end of a held hook by its agent, as by Escape at the terminal. The hook's parents may
// have ended before it, so it is identified only by its own process.
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

// waitHeld lets a hook of this file wait and returns its output. known is false if the word belongs to
// another kind of hook.
func (c *Control) waitHeld(ctx context.Context, token string, caller int) (print string, known bool, err error) {
	h, known := c.heldFor(token, caller)
	switch {
	case h.form != nil:
		print, err = c.fill(ctx, token, h)
		return print, true, err
	case h.wait == 0:
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
	return h.print, true, nil // the agent may still end the hook before it prints that
}

// awaitWord waits for a supervisor's decision about a denied call, while its hook is held. retry is true if
// the agent shall be told to try again.
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

// saidHeld records that the hook before a call has printed its answer.
func (c *Control) saidHeld(token string, caller int) (known bool, err error) {
	h, known := c.heldFor(token, caller)
	if !known {
		return false, nil
	}
	c.letGo(token)
	switch {
	case h.form != nil:
		c.mu.Lock()
		door := h.form.door // which may be opened just now
		c.mu.Unlock()
		c.cfg.Doors.Printed(door, caller)
	case h.let:
		err = c.cfg.Keeper.SaidSo(h.of, h.asks)
	}
	return true, err
}
