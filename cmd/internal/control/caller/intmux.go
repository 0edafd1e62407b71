package caller

import (
	"fmt"
	"slices"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// This file tells whether a person is at a terminal that tmux has made.

// fresh is how recently a key must have been pressed at a terminal of tmux.
const fresh = 10 * time.Second

// noPersonInTmux says why nobody is at a terminal that a tmux server has made, for the process leader; empty: somebody is.
// That takes a client that itself is a person's, and at which a key was pressed a moment ago that went to the leader.
func (w world) noPersonInTmux(server int, leader proc.Process) string {
	listing, ok := w.server(server)
	if !ok {
		return "The tmux server of this command's terminal does not answer."
	}
	went := func(c tmux.Client) bool { return w.toPopUp(c, leader) }
	at := slices.IndexFunc(listing.Panes, func(p tmux.Pane) bool { return p.PID == leader.PID })
	if at >= 0 {
		went = func(c tmux.Client) bool { return c.Pane == listing.Panes[at].ID && w.toPane(c) }
	} else if why := w.opener(server, leader); why != "" {
		return why
	}
	for _, c := range listing.Clients {
		if went(c) && w.without(server).place(c.PID).Kind == Human {
			return ""
		}
	}
	return fmt.Sprintf("The terminal of this command is one of tmux, and nobody has pressed a key there within %d seconds.", int(fresh.Seconds()))
}

// isFresh reports whether a time is a moment ago, by a clock that was not set back since.
func (w world) isFresh(at time.Time) bool {
	ago := w.now.Sub(at)
	return ago <= fresh && ago >= -time.Second
}

// toPane reports whether a key was pressed a moment ago that went to the pane that a client shows. `tmux send-keys -K` (3.4 and later) is
// activity of a client as well, but is read from no terminal.
func (w world) toPane(c tmux.Client) bool {
	read, err := w.read(w.processes[c.PID].Terminal)
	return w.isFresh(c.Activity) && (err != nil || !read.Before(c.Activity.Add(-proc.ReadGrain)))
}

// toPopUp reports whether a key was pressed a moment ago that went to a pop-up with that leader. A client's keys go to the pop-up that lies
// over it, and are no activity of the client then (tmux 3.2a to 3.8): its last one is that which opened the pop-up.
func (w world) toPopUp(c tmux.Client, leader proc.Process) bool {
	read, err := w.read(w.processes[c.PID].Terminal)
	if err != nil {
		read = c.Activity
	}
	before := w.started(leader.ID).Sub(c.Activity)
	return w.isFresh(read) && before >= -time.Second && before <= fresh
}

// opener says that a pop-up may have been opened by a command that no person has given: `tmux display-popup` waits for as long as its
// pop-up is there, and a key's does not.
func (w world) opener(server int, leader proc.Process) string {
	for _, p := range w.processes {
		if p.Comm != "tmux: client" || p.Start > leader.Start {
			continue
		}
		if by := w.without(server).place(p.PID).Kind; by == Agent || by == Unplaced && !w.attached(p.PID) {
			return fmt.Sprintf("A command (process %d) that no key has run may have opened the pop-up that this command runs in.", p.PID)
		}
	}
	return ""
}

// attached reports whether a client shows sessions of its server, and runs no command that waits.
func (w world) attached(client int) bool {
	for pid, p := range w.processes {
		if !isTmux(p) {
			continue
		}
		if l, ok := w.server(pid); ok && slices.ContainsFunc(l.Clients, func(c tmux.Client) bool { return c.PID == client }) {
			return true
		}
	}
	return false
}

// without is the world in which a tmux server does not answer: a client that runs in its own server proves nothing.
func (w world) without(server int) world {
	ask := w.server
	w.server = func(pid int) (tmux.Listing, bool) {
		if pid == server {
			return tmux.Listing{}, false
		}
		return ask(pid)
	}
	return w
}
