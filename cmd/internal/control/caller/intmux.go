package caller

import (
	"fmt"
	"os"
	"slices"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// This file finds out whether a person is at a terminal made by tmux.

// fresh is how recent the last key press at a tmux terminal must be.
const fresh = 10 * time.Second

// atOnce is how soon after a key the pop-up that it opens is there: in the same second or the next, since tmux tells the second of
// a key alone. A later one was opened by something else, such as `tmux run-shell -b -C display-popup`, of which no command is left.
const atOnce = 2 * time.Second

// noPersonInTmux says why nobody is at a terminal that a tmux server made for the process leader; empty if
// somebody is. That takes a client that itself belongs to a person, and at which a key for the leader was
// just pressed.
func (w world) noPersonInTmux(server int, leader proc.Process) string {
	listing, ok := w.server(server)
	if !ok {
		return "The tmux server of this command's terminal does not answer."
	}
	went := func(c tmux.Client) bool { return w.toPopUp(c, leader) }
	at := slices.IndexFunc(listing.Panes, func(p tmux.Pane) bool { return p.PID == leader.PID })
	if at >= 0 {
		if name := listing.Panes[at].Agent; name != "" && name != tmux.Unwatched {
			return fmt.Sprintf("The terminal of this command is a pane that is set to be that of %s.", name)
		}
		went = func(c tmux.Client) bool { return c.Pane == listing.Panes[at].ID && w.toPane(c, leader) }
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

// isFresh reports whether a time is recent, and not in the future because the clock was set back.
func (w world) isFresh(at time.Time) bool {
	ago := w.now.Sub(at)
	return ago <= fresh && ago >= -time.Second
}

// toPane reports whether a key was just pressed that went to the pane of a client, with that leader. A key that
// is older than the leader went to another pane: `tmux split-window` shows a client a new one. (tmux tells the
// second of a key alone.) `tmux send-keys -K` (3.4 and later) also counts as activity of a client, but is not read from a terminal.
func (w world) toPane(c tmux.Client, leader proc.Process) bool {
	read, err := w.read(w.processes[c.PID].Terminal)
	return w.isFresh(c.Activity) && !c.Activity.Before(w.started(leader.ID).Truncate(time.Second)) && (err != nil || !read.Before(c.Activity.Add(-proc.ReadGrain)))
}

// toPopUp reports whether a key was just pressed that went to a pop-up with that leader. The keys of a client
// go to the pop-up over it, and are then not counted as the client's activity (tmux 3.2a to 3.8): its last
// activity is the key that opened the pop-up.
func (w world) toPopUp(c tmux.Client, leader proc.Process) bool {
	read, err := w.read(w.processes[c.PID].Terminal)
	if err != nil {
		read = c.Activity
	}
	before := w.started(leader.ID).Sub(c.Activity)
	return w.isFresh(read) && before >= -time.Second && before < atOnce
}

// opener says that a pop-up may have been opened by a command and not by a person's key: `tmux display-popup`
// waits as long as its pop-up exists, a key binding does not.
func (w world) opener(server int, leader proc.Process) string {
	for _, p := range w.processes {
		if p.Comm != "tmux: client" || p.Start > leader.Start || ofNod(p, os.Getpid()) {
			continue
		}
		if by := w.without(server).place(p.PID).Kind; by == Agent || by == Unplaced && !w.attached(p.PID) {
			return fmt.Sprintf("A command (process %d) that no key has run may have opened the pop-up that this command runs in.", p.PID)
		}
	}
	return ""
}

// ofNod reports whether nod itself, a process with that pid, started another: of clients, only the one with which it watches. The first
// process of a container adopts what others started.
func ofNod(p proc.Process, nod int) bool { return p.Parent == nod && nod > 1 }

// attached reports whether a client is attached to a session, and is not a waiting command.
func (w world) attached(client int) bool {
	for pid, p := range w.processes {
		if !isTmux(p) {
			continue
		}
		if l, _ := w.server(pid); slices.ContainsFunc(l.Clients, func(c tmux.Client) bool { return c.PID == client }) {
			return true
		}
	}
	return false
}

// without returns the world without a tmux server: a client that runs in its own server proves nothing.
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
