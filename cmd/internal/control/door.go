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

// This file has the methods with which an agent's hook waits for a human's answer to its own request, and what crosses the
// socket for them.

// DoorParams are those of door.wait and door.printed, which `nod hook` calls.
type DoorParams struct {
	Door string `json:"door"`
}

// DoorAnswer is the result of door.wait.
type DoorAnswer struct {
	Print string `json:"print"` // what the hook prints: the agent's own decision
}

// open opens a door for the hook that sent e, if that asks for permission, while it waits for its answer: later its parents
// could not be told.
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

// openOutside opens a door for an agent that runs in no pane, and a nudge that tells of its request; empty where it is not
// the agent's own word, or where the agent does run in a watched pane, which tells of its prompt.
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
	if q.Flaw() != "" {
		return ""
	}
	n, err := c.cfg.Keeper.Ask(q)
	if err != nil {
		c.cfg.Log.Error("can't open the question of an agent outside tmux", "agent", e.Agent, "error", err)
		return ""
	}
	return c.cfg.Doors.OpenOutside(e, sender, n.ID, time.Now())
}

// outsideOf gives the sender of an event from outside tmux and the agent's process, if it is that agent's own word and the agent
// does not run in a watched pane.
func (c *Control) outsideOf(e detect.HookEvent) (sender detect.Sender, process proc.ID, ok bool) {
	lineage, err := proc.Lineage(e.Caller)
	if err != nil || e.Caller == 0 {
		return sender, process, false
	}
	sender = detect.SenderOf(lineage)
	agent, process, ok := sender.Agent()
	return sender, process, ok && agent == e.Agent && !c.watches(sender)
}

// watches reports whether an event came through an agent of a watched pane.
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
		// Its request ends with the door. One that was answered stays as it is, and so does one whose agent ended the hook
		// before it waited: who takes that event in ends the request, and knows how.
		c.endOutside(id, err)
	}
	if errors.Is(err, door.ErrShut) {
		return DoorAnswer{}, rpc.Refuse(string(deliver.NotFound), err.Error())
	}
	return DoorAnswer{Print: text}, err
}

// endOutside ends the request of an agent in no pane, if it is not over, and says how where its door tells.
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
