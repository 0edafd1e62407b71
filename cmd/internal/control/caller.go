package control

import (
	"context"
	"slices"

	"nod/deliver"
	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/rpc"
	"nod/internal/settings"
)

// refuseAgents refuses a caller that descends from a watched agent, before anything is typed into pane or
// answered for it: an agent can't approve itself. agents are the processes that are known to be the pane's,
// also where it is not watched any more. With NOD_AGENTS_MAY_ANSWER=others an agent may answer for other panes
// than its own. It guards against accident and habit: a program of the same user that wants to can hide where
// it comes from.
func (c *Control) refuseAgents(ctx context.Context, pane detect.PaneRef, agents ...proc.ID) error {
	line, err := proc.Ancestors(rpc.CallerPID(ctx))
	if err != nil || len(line) == 0 {
		return rpc.Refuse(string(deliver.CallerIsAgent), "nod can't tell which process asks, so it may be an agent: nothing was typed. Answer on Telegram or in the pane.")
	}
	own := func(agent proc.ID) bool { return agent.PID != 0 && slices.Contains(line, agent) }
	if slices.ContainsFunc(agents, own) {
		return refuseAgent("An agent can't answer for itself")
	}
	others := c.cfg.Settings().AgentsMayAnswer == settings.AgentsOthers
	for _, s := range c.cfg.Panes() {
		switch {
		case !own(s.Process):
		case s.Pane == pane:
			return refuseAgent("An agent can't answer for itself")
		case !others:
			return refuseAgent("This command runs inside the agent in " + s.Where + ", and agents may not answer")
		}
	}
	return nil
}

func refuseAgent(sentence string) error {
	return rpc.Refuse(string(deliver.CallerIsAgent), sentence+": nothing was typed. A human can, on Telegram or in a terminal that no agent started.")
}
