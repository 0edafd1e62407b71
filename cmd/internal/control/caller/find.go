package caller

import (
	"context"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// askWait is how long the tmux servers are asked for.
const askWait = 3 * time.Second

// Find tells who the process pid is. watched are the agents in watched panes, servers the tmux servers that nod watches:
// others are found.
func Find(ctx context.Context, pid int, watched []Watched, servers []*tmux.Server) Place {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	for tries := 1; ; tries++ {
		w, err := lookAround(ctx, watched, servers)
		if err != nil {
			return Place{Kind: Unplaced, Why: "The processes of this machine can't be listed."}
		}
		place := w.place(pid)
		// The table is not read at one moment: a parent that ends meanwhile is in it for nobody, and another takes its children. One
		// with threads keeps them for as long as the last of those takes to end, and counts as ended from the first.
		if place.Why == unknownProcess && tries < maxLooks {
			pause(ctx, time.Duration(tries)*lookPause)
			continue
		}
		// What was read is of this process only if its pid was nobody else's meanwhile.
		if place.Kind == Human && !proc.Alive(w.processes[pid].ID) {
			return Place{Kind: Unplaced, Why: "This command has ended."}
		}
		return place
	}
}

// unknownProcess is said of a process that the table does not have, or whose parents it does not.
const unknownProcess = "It is not known which process this command is, or whose child."

// maxLooks is how often the processes are listed for one answer at most, and lookPause how much longer each pause between two is.
const (
	maxLooks  = 6
	lookPause = 10 * time.Millisecond
)

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// lookAround reads the process table; the rest is read as it is asked for.
func lookAround(ctx context.Context, watched []Watched, servers []*tmux.Server) (world, error) {
	processes, err := proc.All()
	found := finder{ctx: ctx, processes: processes, servers: servers, asked: map[string]bool{}, listings: map[int]tmux.Listing{}}
	return world{processes: processes, environment: found.environment, server: found.server, watched: watched, read: proc.LastRead, started: proc.Started, now: time.Now()}, err
}

// finder asks the machine, each tmux server once.
type finder struct {
	ctx       context.Context
	processes map[int]proc.Process
	servers   []*tmux.Server
	asked     map[string]bool
	all       bool // the sockets of the whole machine are among them
	listings  map[int]tmux.Listing
}

func (f *finder) environment(pid int) []string {
	environment, _ := proc.Environment(pid) // another user's can't be read
	if socket, _ := tmux.ServerOf(valueOf(environment, "TMUX")); socket != "" {
		f.servers = append([]*tmux.Server{tmux.New(socket)}, f.servers...)
	}
	return environment
}

// server finds the tmux server that runs as pid by asking one after the other: those that environments name, those that
// nod watches, and then whatever listens on this machine.
func (f *finder) server(pid int) (tmux.Listing, bool) {
	for {
		for _, s := range f.servers {
			if _, found := f.listings[pid]; found {
				break
			}
			if f.asked[s.Socket()] || f.isOther(s, pid) {
				continue
			}
			f.asked[s.Socket()] = true
			if listing, err := s.List(f.ctx); err == nil {
				f.listings[listing.Life.PID] = listing
			}
		}
		if listing, found := f.listings[pid]; found || f.all {
			return listing, found
		}
		f.all = true
		sockets, _ := tmux.Sockets() // else the servers that are known have to do
		f.servers = append(f.servers, tmux.Servers(sockets)...)
	}
}

// isOther reports whether a server is known to run as another process than pid. It is not asked then: one that hangs would use up
// the time for all. A socket that systemd has opened for tmux tells nothing.
func (f *finder) isOther(s *tmux.Server, pid int) bool {
	listener := s.Listener()
	return listener != pid && isTmux(f.processes[listener])
}
