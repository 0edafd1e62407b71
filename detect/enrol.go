package detect

import (
	"slices"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/text/agentname"
)

// enrol finds in which of the panes that were listed agents run, and which panes have left. It reports whether there are panes
// among them that have not been read yet.
func (s *serverWatcher) enrol(listing tmux.Listing) (found bool, err error) {
	var pids []int
	for _, p := range listing.Panes {
		if listing.Fresh[p.ID] {
			pids = append(pids, p.PID)
		}
	}
	for _, id := range s.paneIDs() {
		if !s.listed[id] {
			s.retire(s.panes[id])
		}
	}
	// Without an answer every pane keeps its agent.
	foregrounds, err := s.watcher.cfg.Processes(pids)
	for _, p := range listing.Panes {
		if listing.Fresh[p.ID] && s.enrolPane(p, foregrounds[p.PID]) {
			found = true
		}
	}
	return found, err
}

// enrolPane handles the listing of one pane and the processes in its foreground. No processes means that they are unknown,
// and changes nothing. It reports whether an agent was found that was not watched.
func (s *serverWatcher) enrolPane(listed tmux.Pane, foreground []proc.Process) (found bool) {
	p := s.panes[listed.ID]
	unwatched := listed.Dead || listed.Agent == tmux.Unwatched
	// respawn-pane keeps the pane's id and runs another program.
	if p != nil && (unwatched || listed.PID != p.info.PID) {
		s.retire(p)
		p = nil
	}
	if unwatched {
		return false
	}
	if p != nil {
		p.info = listed
	}
	if len(foreground) == 0 {
		return false
	}
	name, process, ok := agentIn(listed, foreground)
	ok = ok && !(name == listed.Agent && s.startedBelow(p, foreground[0]))
	s.noteAgent(listed.ID, ok)
	switch {
	case ok && (p == nil || p.exited || p.process != process.ID || p.agent != name):
		delete(s.sessions, listed.ID)
		p = newAgentPane(s.watcher.files, listed, name, process.ID, time.Now())
		p.policy.args = process.Args
		p.among(agents.Others(name, process.ID, foreground))
		s.panes[listed.ID] = p
		return true
	case ok:
		p.covered = false
		p.among(agents.Others(name, process.ID, foreground))
	case p == nil: // no agent, and none before
	case !onlyShells(foreground) && proc.Alive(p.process):
		p.covered = true
		p.among(foreground)
	default:
		if !p.exited {
			p.agentExited(s.sessions[p.info.ID])
		}
		delete(s.sessions, p.info.ID)
	}
	return false
}

// agentIn finds the agent in the foreground of a pane. If the pane's option names an agent (behind ssh, in a container),
// any program that runs there is that agent, unless it is a shell.
func agentIn(listed tmux.Pane, foreground []proc.Process) (name string, process proc.Process, ok bool) {
	name, process, ok = agents.Of(foreground)
	if !agentname.Is(listed.Agent) || ok && name == listed.Agent {
		return name, process, ok // an agent can set the option, and what is called nod would speak as nod
	}
	// The group's leader stays, though it may be a script, whose children come and go.
	return listed.Agent, foreground[0], !onlyShells(foreground)
}

// startedBelow reports whether the leader of the foreground of a pane whose option names its agent runs below that agent: below the process
// that p was found to be, or, where the pane is not watched, below anything but a shell.
func (s *serverWatcher) startedBelow(p *agentPane, leader proc.Process) bool {
	if p != nil && p.process == leader.ID {
		return false
	}
	line, err := s.watcher.cfg.Lineage(leader.PID)
	if err != nil {
		return false
	}
	if p != nil {
		return slices.ContainsFunc(line[1:], func(above proc.Process) bool { return above.ID == p.process })
	}
	return belowProgram(line)
}

// belowProgram reports whether a process, the first of its lineage, was started by anything but a shell in its own terminal.
func belowProgram(line []proc.Process) bool {
	return len(line) > 1 && line[0].Terminal != "" && line[1].Terminal == line[0].Terminal && !line[1].ShellRuns()
}

func onlyShells(processes []proc.Process) bool {
	return !slices.ContainsFunc(processes, func(p proc.Process) bool { return !proc.IsShell(p.Comm) })
}
