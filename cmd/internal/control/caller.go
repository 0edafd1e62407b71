package control

import (
	"context"
	"slices"

	"nod/cmd/internal/control/caller"
	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// caller identifies the sender of ctx's request.
func (c *Control) caller(ctx context.Context) caller.Place {
	if v, ok := ctx.Value(visitorKey{}).(Visitor); ok {
		return c.placeVisitor(ctx, v)
	}
	return c.house().caller(ctx)
}

// place identifies a process.
func (c *Control) place(ctx context.Context, pid int) caller.Place {
	return c.house().place(ctx, pid)
}

func (c *Control) house() house {
	return house{own: c.cfg.Own, panes: c.cfg.Panes(), sockets: c.cfg.Settings().TmuxSocket}
}

// house has the data that identifies callers of a nod socket.
type house struct {
	own     int // pid of nod itself, whose children are not people; 0 for none
	panes   []detect.Sighting
	sockets []string
}

// caller identifies the sender of ctx's request.
func (h house) caller(ctx context.Context) caller.Place {
	place := h.place(ctx, rpc.CallerPID(ctx))
	if !rpc.CallerLives(ctx) { // the pid may have been reused when it was placed
		return caller.Place{Kind: caller.Unplaced, Why: "The process that asked has ended."}
	}
	return place
}

// place identifies a process. A process that nod itself started is no person: nod runs programs that others
// name, perhaps in a person's terminal.
func (h house) place(ctx context.Context, pid int) caller.Place {
	line, _ := proc.Lineage(pid) // without a lineage the caller can't be placed
	if slices.IndexFunc(line, func(p proc.Process) bool { return p.PID == h.own }) > 0 {
		return caller.Place{Kind: caller.Unplaced, Why: "nod itself has started this command."}
	}
	return caller.Find(ctx, pid, h.watched(), tmux.Servers(h.sockets))
}

// watched returns the agents in watched panes.
func (h house) watched() (watched []caller.Watched) {
	for _, s := range h.panes {
		if s.Runs(s.Process) {
			watched = append(watched, caller.Watched{Process: s.Process, Pane: s.Pane.ID, Agent: s.Agent})
		}
	}
	return watched
}

// onlyHumans refuses a caller that is not a human, before anything is typed, started or changed.
func (c *Control) onlyHumans(ctx context.Context) error {
	place := c.caller(ctx)
	if place.Kind == caller.Human {
		return nil
	}
	return c.refuse(place)
}

// mayAnswer refuses a caller that may not answer the question of a pane. Humans may answer, and with
// NOD_AGENTS_MAY_ANSWER=others agents of other panes. asker is the process that asks, which is known even if
// its pane is no longer watched.
func (c *Control) mayAnswer(ctx context.Context, pane detect.PaneRef, asker proc.ID) error {
	place := c.caller(ctx)
	others := c.cfg.Settings().AgentsMayAnswer == settings.AgentsOthers
	if place.Kind == caller.Human || others && c.isOther(place, pane, asker) {
		return nil
	}
	return c.refuse(place)
}

func (c *Control) refuse(place caller.Place) error {
	elsewhere := ""
	if c.cfg.Settings().Telegram {
		elsewhere = " Or answer on Telegram."
	}
	return rpc.Refuse(string(deliver.CallerIsAgent), place.Refusal()+elsewhere)
}

// isOther reports whether a caller is known to be an agent of another pane. If only its environment shows an
// agent, its pane is unknown.
func (c *Control) isOther(place caller.Place, pane detect.PaneRef, asker proc.ID) bool {
	own := []proc.ID{asker}
	for _, s := range c.cfg.Panes() {
		if s.Pane == pane && s.Runs(s.Process) {
			own = append(own, s.Process)
		}
	}
	isOwn := slices.ContainsFunc(own, func(agent proc.ID) bool { return slices.Contains(place.Agents, agent) })
	return place.Kind == caller.Agent && place.Certain && len(place.Agents) > 0 && !isOwn
}
