package control

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/internal/words"
	"nod/nudge"
)

// This file lets a supervisor fill in the form of an MCP server while the hook that brought it waits. The
// values are stored nowhere else: if the wait ends first, the hook prints nothing, and the agent draws its
// own dialog.

// openForm is a form from a hook, and the hook's agent.
type openForm struct {
	nudge.Form
	asker  nudge.FormAsker
	event  detect.HookEvent
	sender detect.Sender
	door   string // of the question whether to send the values; empty if it was not asked yet
}

// elicited handles the form of an MCP server and returns the word with which its hook may wait for an answer.
// The agent draws its own dialog only after the hook, so the hook does not wait while somebody is at the
// pane.
func (c *Control) elicited(e detect.HookEvent, form nudge.Form) (token string) {
	settings, now := c.cfg.Settings(), time.Now()
	known := agents.HooksOf(e.Agent).Forms
	if known == nil || !e.Elicitation.Refused.IsZero() || !bool(settings.Doors) || !known.Takes(c.cfg.Versions(e)) {
		return ""
	}
	lineage, err := proc.Lineage(e.Caller)
	if err != nil {
		return ""
	}
	f := &openForm{Form: form, event: e, sender: detect.SenderOf(lineage)}
	if e.Pane == "" {
		_, process, ok := c.outsideOf(e)
		if !ok {
			return ""
		}
		f.asker.Whereabouts = detect.Whereabouts{Agent: e.Agent, Project: detect.FolderName(e.Cwd), Process: process}
	} else {
		s, ok := c.paneOf(e)
		if !ok || c.cfg.Keeper.Attended(s.Pane, now) {
			return ""
		}
		f.asker.Whereabouts = s.Whereabouts
	}
	if f.asker.Until, err = c.cfg.Keeper.Hold(f.asker.Whereabouts, settings.GuardWait); err != nil {
		c.cfg.Log.Error("can't hold the hook of an MCP server's form", "agent", e.Agent, "error", err)
	}
	if f.asker.Until.IsZero() {
		return ""
	}
	return c.hold(heldHook{agent: f.asker.Whereabouts, caller: e.Caller, since: now, wait: f.asker.Until.Sub(now), form: f})
}

// fill asks for the values of a form while its hook waits, and returns the hook's output.
func (c *Control) fill(ctx context.Context, token string, h heldHook) (print string, err error) {
	ctx, stop := context.WithDeadline(ctx, h.form.asker.Until)
	defer stop()
	go c.endWithAgent(ctx, stop, h)
	print, err = c.askFields(ctx, h.form)
	if err := c.cfg.Keeper.Release(h.agent, h.form.asker.Until); err != nil {
		c.cfg.Log.Error("can't record the end of a form's hook", "agent", h.agent.Agent, "error", err)
	}
	if err == nil {
		return print, nil
	}
	c.letGo(token)
	if ctx.Err() != nil || errors.Is(err, door.ErrShut) {
		err = rpc.Refuse(string(deliver.NotFound), "nobody has filled in the form")
	}
	return "", err
}

// askFields asks for the values of a form one by one, and finally whether to send them.
func (c *Control) askFields(ctx context.Context, f *openForm) (print string, err error) {
	forms := agents.HooksOf(f.event.Agent).Forms
	values := make([]json.RawMessage, len(f.Fields))
	for i := range f.Fields {
		declined := false
		if values[i], declined, err = c.askField(ctx, f, i); err != nil {
			return "", err
		}
		if declined {
			return forms.Decline, nil
		}
	}
	err = c.formAsks(f.Send(values, f.asker, time.Now()), func(id string) error {
		token := c.cfg.Doors.OpenForm(f.event, f.sender, id, forms.Accept(f.Content(values)), forms.Decline, time.Now())
		c.mu.Lock()
		f.door = token
		c.mu.Unlock()
		print, err = c.cfg.Doors.Wait(ctx, token, f.event.Caller)
		return err
	})
	return print, err
}

// askField asks for one value until somebody gives one that the field accepts.
func (c *Control) askField(ctx context.Context, f *openForm, field int) (value json.RawMessage, declined bool, err error) {
	said := ""
	for {
		var answer nudge.Nudge
		err := c.formAsks(f.Ask(field, said, f.asker, time.Now()), func(id string) (err error) {
			if answer, err = c.cfg.Keeper.AwaitAnswer(ctx, id); err == nil && answer.State != nudge.Delivered {
				err = context.DeadlineExceeded // the question expired just before the hook
			}
			return err
		})
		if err != nil {
			return nil, false, err
		}
		value, declined, wrong := f.Fields[field].Take(answer.Claim)
		if wrong.IsZero() {
			return value, declined, nil
		}
		said = words.Why(wrong)
	}
}

// formAsks opens a question about a form, waits for its answer, and ends the question if none came.
func (c *Control) formAsks(q nudge.ProgramQuestion, wait func(id string) error) error {
	n, err := c.cfg.Keeper.Ask(q)
	if err != nil {
		return err
	}
	if err := c.attend(n.ID, 1); err != nil {
		return err
	}
	defer func() { _ = c.attend(n.ID, -1) }() // the next tick ends a question that nobody waits for
	if err = wait(n.ID); err == nil {
		return nil
	}
	if err := c.cfg.Keeper.Recover(n.ID, reason.Why{Kind: reason.FormOver}); err != nil {
		c.cfg.Log.Error("can't end the question of a form", "nudge", n.ID, "error", err)
	}
	return err
}

// endWithAgent ends the wait of a form's hook when somebody comes to its pane, or when the agent no longer
// waits for it: Escape at the terminal does not end the hook.
func (c *Control) endWithAgent(ctx context.Context, stop func(), h heldHook) {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for h.agent.Pane.ID != "" {
		select {
		case <-ctx.Done():
			return
		case now := <-look.C:
			if c.cfg.Keeper.Attended(h.agent.Pane, now) || c.restsSince(h.agent.Pane, h.since) {
				stop()
				return
			}
		}
	}
}

// restsSince reports whether a look after since shows that no agent is working in a pane.
func (c *Control) restsSince(pane detect.PaneRef, since time.Time) bool {
	for _, s := range c.cfg.Panes() {
		if s.Pane == pane {
			return s.At.After(since) && (s.State == screen.Idle || s.State == screen.Shell)
		}
	}
	return true
}

// Attends reports whether somebody waits for the answer to a program's question.
func (c *Control) Attends(id string) bool {
	c.attending.Lock()
	defer c.attending.Unlock()
	return c.waiting[id] > 0
}
