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

// caller tells who sent the request that ctx belongs to.
func (c *Control) caller(ctx context.Context) caller.Place {
	if v, ok := ctx.Value(visitorKey{}).(Visitor); ok {
		return c.placeVisitor(ctx, v)
	}
	return c.house().caller(ctx)
}

// place tells who a process is.
func (c *Control) place(ctx context.Context, pid int) caller.Place {
	return c.house().place(ctx, pid)
}

func (c *Control) house() house {
	return house{own: c.cfg.Own, panes: c.cfg.Panes(), sockets: c.cfg.Settings().TmuxSocket}
}

// house is what tells who calls at a socket of nod's.
type house struct {
	own     int // the process whose children are no people: nod itself; 0: none
	panes   []detect.Sighting
	sockets []string
}

// caller tells who sent the request that ctx belongs to.
func (h house) caller(ctx context.Context) caller.Place {
	place := h.place(ctx, rpc.CallerPID(ctx))
	if !rpc.CallerLives(ctx) { // its pid may have been another's when that was placed
		return caller.Place{Kind: caller.Unplaced, Why: "The process that asked has ended."}
	}
	return place
}

// place tells who a process is. What nod itself has started is no person: nod runs programs that others name, and may do so in a person's
// terminal.
func (h house) place(ctx context.Context, pid int) caller.Place {
	line, _ := proc.Lineage(pid) // where there is none, nobody is found
	if slices.IndexFunc(line, func(p proc.Process) bool { return p.PID == h.own }) > 0 {
		return caller.Place{Kind: caller.Unplaced, Why: "nod itself has started this command."}
	}
	return caller.Find(ctx, pid, h.watched(), tmux.Servers(h.sockets))
}

// watched are the agents in watched panes.
func (h house) watched() (watched []caller.Watched) {
	for _, s := range h.panes {
		if s.Runs(s.Process) {
			watched = append(watched, caller.Watched{Process: s.Process, Pane: s.Pane.ID, Agent: s.Agent})
		}
	}
	return watched
}

// onlyHumans refuses a caller who is no human, before anything is typed, started or changed.
func (c *Control) onlyHumans(ctx context.Context) error {
	place := c.caller(ctx)
	if place.Kind == caller.Human {
		return nil
	}
	return c.refuse(place)
}

// mayAnswer refuses a caller who may not answer the question of a pane: whoever is no human, and no agent of another pane where
// NOD_AGENTS_MAY_ANSWER=others. asker is the process that asks, which is known also where its pane is not watched any more.
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

// isOther reports whether a caller is known to be an agent of another pane. Of one that only a variable tells of, it is not
// known which pane is its own.
func (c *Control) isOther(place caller.Place, pane detect.PaneRef, asker proc.ID) bool {
	own := []proc.ID{asker}
	for _, s := range c.cfg.Panes() {
		if s.Pane == pane && s.Runs(s.Process) {
			own = append(own, s.Process)
		}
	}
	isOwn := slices.ContainsFunc(own, func(agent proc.ID) bool { return slices.Contains(place.Agents, agent) })
	return place.Kind == caller.Agent && len(place.Agents) > 0 && !isOwn
}
