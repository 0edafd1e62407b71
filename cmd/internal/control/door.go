package control

import (
	"context"
	"errors"
	"slices"
	"time"

	"nod/deliver"
	"nod/deliver/door"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
	"nod/internal/rpc"
	"nod/nudge"
)

// This file has the methods by which an agent's hook waits for a human's answer to its own request, and their
// types on the socket.

// DoorParams are the parameters of door.wait and door.printed, which `nod hook` calls.
type DoorParams struct {
	Door string `json:"door"`
}

// DoorAnswer is the result of door.wait.
type DoorAnswer struct {
	Print string `json:"print"` // the hook's output: a decision in the agent's own format
}

// open opens a door for the hook that sent e, if e asks for permission. It must run before the hook gets its
// reply: later the hook's parents can't be found.
func (c *Control) open(e detect.HookEvent) (token string) {
	if e.Kind == detect.Asks {
		e.Version = c.cfg.Versions(e)
	}
	lineage, err := proc.Lineage(e.Caller)
	if err != nil {
		return ""
	}
	return c.cfg.Doors.Open(e, detect.SenderOf(lineage), time.Now())
}

// openOutside opens a door for an agent without a pane, and a nudge about its request. It returns "" if the
// event is not the agent's own, or if the agent does run in a watched pane, whose prompt nod sees.
func (c *Control) openOutside(e detect.HookEvent) (token string) {
	settings := c.cfg.Settings()
	if !bool(settings.Doors) || e.Kind != detect.Asks {
		return ""
	}
	if e.Version = c.cfg.Versions(e); !door.Fits(e) {
		return ""
	}
	sender, process, ok := c.outsideOf(e)
	if !ok {
		return ""
	}
	q := nudge.ProgramQuestion{Call: &nudge.Call{}, Program: e.Agent, Agent: process, Timeout: settings.Expiry, Door: true, Hears: door.Hears(e.Agent)}
	q.Call.Verb, q.Call.Subject, q.Call.Lead = detect.Subject(e.Tool, e.Input)
	if e.Cwd != "" {
		q.Project = detect.FolderName(e.Cwd)
	}
	if !q.Flaw().IsZero() {
		return ""
	}
	n, err := c.cfg.Keeper.Ask(q)
	if err != nil {
		c.cfg.Log.Error("can't open the question of an agent outside tmux", "agent", e.Agent, "error", err)
		return ""
	}
	if token = c.cfg.Doors.OpenOutside(e, sender, n.ID, time.Now()); token == "" {
		c.endOutside(n.ID, door.ErrShut)
	}
	return token
}

// outsideOf returns the sender of an event from outside tmux and the agent's process. ok is false if the
// event is not the agent's own, or if the agent runs in a watched pane.
func (c *Control) outsideOf(e detect.HookEvent) (sender detect.Sender, process proc.ID, ok bool) {
	lineage, _ := proc.Lineage(e.Caller) // empty on an error, and then nobody's
	sender = detect.SenderOf(lineage)
	agent, process, ok := sender.Agent()
	return sender, process, ok && agent == e.Agent && !c.watches(sender)
}

// watches reports whether an event came through an agent in a watched pane.
func (c *Control) watches(sender detect.Sender) bool {
	return slices.ContainsFunc(c.cfg.Panes(), func(s detect.Sighting) bool { return s.Pane.Here() && sender.Through(s.Process) })
}

func (c *Control) waitDoor(ctx context.Context, p DoorParams) (DoorAnswer, error) {
	if text, known, err := c.waitHeld(ctx, p.Door, rpc.CallerPID(ctx)); known {
		return DoorAnswer{Print: text}, err
	}
	id := c.cfg.Doors.Nudge(p.Door)
	if id != "" {
		if err := c.cfg.Keeper.Attend(id, true); err != nil {
			return DoorAnswer{}, err
		}
	}
	text, err := c.cfg.Doors.Wait(ctx, p.Door, rpc.CallerPID(ctx))
	if id != "" && err != nil && !errors.Is(err, door.ErrNone) {
		// The request ends with the door. It does not change if it was answered, or if the agent ended the
		// hook before it waited: then the handler of that event ends the request and knows the reason.
		c.endOutside(id, err)
	}
	if errors.Is(err, door.ErrShut) {
		return DoorAnswer{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return DoorAnswer{Print: text}, err
}

// endOutside ends the request of an agent without a pane, if it is open, and records how if its door knows.
func (c *Control) endOutside(id string, how error) {
	end := c.cfg.Keeper.Withdraw
	switch {
	case errors.Is(how, door.ErrRan):
		end = func(id string) error { return c.cfg.Keeper.Recover(id, reason.Why{Kind: reason.AgentSaysItRan}) }
	case errors.Is(how, door.ErrElsewhere):
		end = func(id string) error {
			return c.cfg.Keeper.Recover(id, reason.Why{Kind: reason.AnsweredElsewhere})
		}
	case errors.Is(how, door.ErrEnded):
		end = func(id string) error {
			return c.cfg.Keeper.Recover(id, reason.Why{Kind: reason.AgentCalledOff})
		}
	}
	if err := end(id); err != nil {
		c.cfg.Log.Error("can't end the request of an agent outside tmux", "nudge", id, "error", err)
	}
}

func (c *Control) printedDoor(ctx context.Context, p DoorParams) (none, error) {
	if known, err := c.saidHeld(p.Door, rpc.CallerPID(ctx)); known {
		return none{}, err
	}
	c.cfg.Doors.Printed(p.Door, rpc.CallerPID(ctx))
	return none{}, nil
}
