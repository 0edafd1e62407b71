package detect

import "nod/internal/proc"

// role is who sent an event, as far as its process tells.
type role int

const (
	stranger role = iota // not told, or no agent of this pane
	nested               // an agent that the pane's agent runs
	itself               // the pane's agent
)

// speaker tells whose event it is that a process sent which has these ancestors, itself first: an agent's
// that runs as process in its pane, or that of another agent which that one runs. Agents start hooks through
// shells and themselves through wrappers, so the nearest agent speaks, and it is the pane's own when
// nothing but more of that agent, in the same process group, stands between the two. voice is the
// speaking process, depth how many stand between.
func speaker(line []proc.Process, agent string, process proc.ID) (_ role, voice proc.ID, depth int) {
	var between []proc.Process // from the nearest agent up
	for _, p := range line {
		if p.ID == process {
			return bridge(between, agent, p)
		}
		if _, _, ok := AgentOf([]proc.Process{p}); ok || len(between) > 0 {
			between = append(between, p)
		}
	}
	return stranger, proc.ID{}, 0
}

// bridge tells whether the processes between a pane's agent and a hook are more of that agent.
func bridge(between []proc.Process, agent string, own proc.Process) (_ role, voice proc.ID, depth int) {
	for _, p := range between {
		if name, _, ok := AgentOf([]proc.Process{p}); !ok || name != agent || p.Group != own.Group {
			return nested, proc.ID{}, 0
		}
	}
	if len(between) == 0 {
		return itself, own.ID, 0
	}
	return itself, between[0].ID, len(between)
}
