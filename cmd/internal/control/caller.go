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
	var watched []caller.Watched
	for _, s := range c.cfg.Panes() {
		if s.Process.PID != 0 {
			watched = append(watched, caller.Watched{Process: s.Process, Pane: s.Pane.ID, Agent: s.Agent})
		}
	}
	place := caller.Find(ctx, rpc.CallerPID(ctx), watched, tmux.Servers(c.cfg.Settings().TmuxSocket))
	if place.Kind == caller.Human && !rpc.CallerLives(ctx) {
		return caller.Place{Kind: caller.Unplaced, Why: "The process that asked has ended."}
	}
	return place
}

// onlyHumans refuses a caller who is no human, before anything is typed into pane, answered for it or changed. agents are the
// processes that are known to be the pane's, also where it is not watched any more. With NOD_AGENTS_MAY_ANSWER=others an
// agent may answer for other panes than its own.
func (c *Control) onlyHumans(ctx context.Context, pane detect.PaneRef, agents ...proc.ID) error {
	place := c.caller(ctx)
	if place.Kind == caller.Human || c.cfg.Settings().AgentsMayAnswer == settings.AgentsOthers && c.isOther(place, pane, agents) {
		return nil
	}
	return refuse(place)
}

func refuse(place caller.Place) error {
	return rpc.Refuse(string(deliver.CallerIsAgent), place.Refusal()+" Or answer on Telegram.")
}

// isOther reports whether a caller is known to be an agent of another pane. Of one that only a variable tells of, it is not
// known which pane is its own.
func (c *Control) isOther(place caller.Place, pane detect.PaneRef, agents []proc.ID) bool {
	return place.Kind == caller.Agent && len(place.Agents) > 0 && !c.isOwn(place, pane, agents)
}

// isOwn reports whether the agent that calls is that of the pane.
func (c *Control) isOwn(place caller.Place, pane detect.PaneRef, agents []proc.ID) bool {
	for _, s := range c.cfg.Panes() {
		if s.Pane == pane {
			agents = append(agents, s.Process)
		}
	}
	return slices.ContainsFunc(agents, func(agent proc.ID) bool { return slices.Contains(place.Agents, agent) })
}
