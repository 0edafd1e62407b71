package detect

import (
	"slices"

	"nod/internal/host/proc"
)

// Sender is where an event came from: the process that sent it and its parents, as they were while it waited.
type Sender struct{ ancestors []ancestor }

// SenderOf describes a line of processes, the sender first.
func SenderOf(lineage []proc.Process) Sender { return Sender{ancestorsOf(lineage)} }

// Speaks reports whether the event is the own word of the agent that runs as process: nothing is between the two but
// the hook that the agent calls.
func (s Sender) Speaks(agent string, process proc.ID) bool {
	return speakerOf(s.ancestors, agent, process).role == ownAgent
}

// Agent is the agent whose own word the event is, and its process; ok is false where something else is between the two.
func (s Sender) Agent() (agent string, process proc.ID, ok bool) {
	at := slices.IndexFunc(s.ancestors, func(a ancestor) bool { return a.agent != "" })
	if at < 0 {
		return "", proc.ID{}, false
	}
	nearest := s.ancestors[at]
	return nearest.agent, nearest.ID, s.Speaks(nearest.agent, nearest.ID)
}

// Through reports whether a process is among those that the event came through.
func (s Sender) Through(process proc.ID) bool {
	return slices.ContainsFunc(s.ancestors, func(a ancestor) bool { return a.ID == process })
}

// Lives reports whether the agents that the event came through still run.
func (s Sender) Lives() bool {
	return !slices.ContainsFunc(s.ancestors, func(a ancestor) bool { return a.agent != "" && !proc.Alive(a.ID) })
}
