package detect

import (
	"time"

	"nod/internal/proc"
	"nod/internal/tmux"
)

// enrol finds in which panes agents run, and which panes have left. It reports whether there are panes
// among them that have not been read yet.
func (l *lookout) enrol(listing tmux.Listing) (found bool, err error) {
	listed := map[string]bool{}
	var pids []int
	for _, p := range listing.Panes {
		listed[p.ID] = true
		pids = append(pids, p.PID)
	}
	for _, id := range l.ids() {
		if !listed[id] {
			l.gone(l.panes[id])
		}
	}
	// Without an answer every pane keeps its agent.
	fronts, err := l.watcher.cfg.Processes(pids)
	for _, p := range listing.Panes {
		if l.visit(p, fronts[p.PID]) {
			found = true
		}
	}
	return found, err
}

// visit takes in how one pane is listed and who is in the foreground there; nobody means that this could
// not be told, and changes nothing. It reports whether an agent was found that was not watched.
func (l *lookout) visit(p tmux.Pane, front []proc.Process) (found bool) {
	w := l.panes[p.ID]
	unwatched := p.Dead || p.Agent == tmux.Unwatched
	// respawn-pane keeps the pane's id and runs another program.
	if w != nil && (unwatched || p.PID != w.info.PID) {
		l.gone(w)
		w = nil
	}
	if unwatched {
		return false
	}
	if w != nil {
		w.info = p
	}
	if len(front) == 0 {
		return false
	}
	name, process, ok := resident(p, front)
	l.alone(p.ID, !ok)
	switch {
	case ok && (w == nil || w.shell || w.process != process || w.agent != name):
		delete(l.sessions, p.ID)
		l.panes[p.ID] = newWatched(p, name, process, time.Now())
		return true
	case ok:
		w.away = false
	case w == nil: // no agent, and none before
	case !onlyShells(front) && proc.Alive(w.process):
		w.away = true
	default:
		l.exit(w)
	}
	return false
}

// exit takes in that the agent has ended, with all that its events told.
func (l *lookout) exit(w *watched) {
	if !w.shell {
		w.exit(l.sessions[w.info.ID])
	}
	delete(l.sessions, w.info.ID)
}

// resident tells whose pane it is: the agent's that runs in its foreground. Where the pane's option names
// an agent (behind ssh, in a container) it is whatever program runs there, unless that is a shell.
func resident(p tmux.Pane, front []proc.Process) (name string, process proc.ID, ok bool) {
	name, member, ok := AgentOf(front)
	if p.Agent == "" || ok && name == p.Agent {
		return name, member.ID, ok
	}
	// The group's leader stays, though it may be a script, whose children come and go.
	return p.Agent, front[0].ID, !onlyShells(front)
}

func onlyShells(front []proc.Process) bool {
	for _, p := range front {
		if !isShell(p) {
			return false
		}
	}
	return true
}

// isShell goes by the kernel's name of the process, which a login shell's leading dash is no part of.
func isShell(p proc.Process) bool {
	switch p.Comm {
	case "sh", "bash", "zsh", "fish", "dash", "ash", "ksh", "mksh", "csh", "tcsh", "nu", "pwsh", "elvish", "xonsh":
		return true
	}
	return false
}
