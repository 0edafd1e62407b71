package detect

import (
	"slices"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// Another program in an agent's terminal may have drawn the screen: a child of the agent that has the agent's own input and output,
// such as `npm init`, or a program that has the foreground.

// conversing is the first of some processes that can draw in their terminal and be answered there, shells last.
func conversing(others []proc.Process) (program proc.Process, ok bool) {
	for _, shells := range []bool{false, true} {
		for _, p := range others {
			if p.ShellRuns() == shells && p.Converses() {
				return p, true
			}
		}
	}
	return proc.Process{}, false
}

// readAmong reads the screen of an agent that has other programs beside it in the foreground of its terminal. If one of them can draw
// there, and the agent did not surely draw the question itself, the question counts as that program's and gets no keys. It returns
// that program's name; empty: none.
func readAmong(read func(string, screen.Screen) screen.Reading, agent string, others []proc.Process, s screen.Screen) (screen.Reading, string) {
	r := read(agent, s)
	if len(others) == 0 || agents.Drew(r) {
		return r, ""
	}
	by, ok := conversing(others)
	if !ok {
		return r, ""
	}
	asked := read(by.Name(), s)
	if asked.Prompt == nil || !asked.State.Asks() {
		asked = r
	}
	if asked.Prompt == nil || !asked.State.Asks() {
		return r, ""
	}
	return asked.Foreign(by.Name(), agent), by.Name()
}

// DrawnBy is the name of another program in the foreground of an agent's terminal that may have drawn the prompt of a reading, and would
// get the keys; empty: none.
func DrawnBy(r screen.Reading, own proc.ID, front []proc.Process) (program string) {
	if agents.Drew(r) {
		return ""
	}
	if by, ok := conversing(agents.Others(r.Agent, own, front)); ok {
		return by.Name()
	}
	return ""
}

// among sets the other programs in the foreground of the agent's terminal. If they have changed, the screen is read once more.
func (p *agentPane) among(others []proc.Process) {
	same := slices.EqualFunc(p.others, others, func(a, b proc.Process) bool { return a.ID == b.ID })
	p.others, p.reread = others, p.reread || !same
}
