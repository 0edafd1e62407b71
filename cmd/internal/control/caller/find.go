package caller

import (
	"context"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// askWait is the time limit for all questions to tmux servers.
const askWait = 3 * time.Second

// Find identifies the process pid. watched are the agents in watched panes, servers the tmux servers that nod
// watches; Find discovers other servers itself.
func Find(ctx context.Context, pid int, watched []Watched, servers []*tmux.Server) Place {
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	for tries := 1; ; tries++ {
		w, err := lookAround(ctx, watched, servers)
		if err != nil {
			return Place{Kind: Unplaced, Why: "The processes of this machine can't be listed."}
		}
		place := w.place(pid)
		// The table is not read atomically. If a parent ends meanwhile, its children may seem to have no
		// parent until another process adopts them. A parent with threads counts as ended at once, but keeps
		// its children until its last thread has ended.
		if place.Why == unknownProcess && tries < maxLooks {
			pause(ctx, time.Duration(tries)*lookPause)
			continue
		}
		// The result is about this process only if its pid was not reused meanwhile.
		if place.Kind == Human && !proc.Alive(w.processes[pid].ID) {
			return Place{Kind: Unplaced, Why: "This command has ended."}
		}
		return place
	}
}

// unknownProcess is the reason if the table lacks a process or one of its parents.
const unknownProcess = "It is not known which process this command is, or whose child."

// maxLooks is how often the processes are listed for one answer at most. Each pause between two is lookPause
// longer than the last.
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

// lookAround reads the process table; everything else is read on demand.
func lookAround(ctx context.Context, watched []Watched, servers []*tmux.Server) (world, error) {
	processes, err := proc.All()
	found := finder{ctx: ctx, processes: processes, servers: servers, asked: map[string]bool{}, listings: map[int]tmux.Listing{}}
	return world{processes: processes, environment: found.environment, server: found.server, watched: watched, read: proc.LastRead, started: proc.Started, now: time.Now(), clients: sshClients, followed: map[string][]Place{}}, err
}

// sshClients finds the processes at the client's end of a connection of ssh, in the form of SSH_CONNECTION: "ADDRESS PORT ADDRESS PORT",
// the client's and the server's. There are none where that is another machine, or another user's.
func sshClients(connection string) []int {
	var ends [2]netip.AddrPort
	fields := strings.Fields(connection)
	if len(fields) != 4 {
		return nil
	}
	for i := range ends {
		address, err := netip.ParseAddr(fields[2*i])
		port, err2 := strconv.ParseUint(fields[2*i+1], 10, 16)
		if err != nil || err2 != nil {
			return nil
		}
		ends[i] = netip.AddrPortFrom(address, uint16(port))
	}
	client, err := proc.ClientOf(ends[0], ends[1])
	if err != nil {
		return nil
	}
	pids, _ := client.Holders() // another user's can't be seen
	return pids
}

// finder queries this machine, and each tmux server at most once.
type finder struct {
	ctx       context.Context
	processes map[int]proc.Process
	servers   []*tmux.Server
	asked     map[string]bool
	all       bool // servers has every socket of the machine
	listings  map[int]tmux.Listing
}

func (f *finder) environment(pid int) []string {
	environment, _ := proc.Environment(pid) // another user's can't be read
	if socket, _ := tmux.ServerOf(valueOf(environment, "TMUX")); socket != "" {
		f.servers = append([]*tmux.Server{tmux.New(socket)}, f.servers...)
	}
	return environment
}

// server finds the tmux server with the process id pid. It asks the servers named in environments, those that
// nod watches, and then every one that listens on this machine.
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
		sockets, _ := tmux.Sockets() // on an error, the known servers must suffice
		f.servers = append(f.servers, tmux.Servers(sockets)...)
	}
}

// isOther reports whether a server is known to have another process than pid. Then it is not asked, since a
// hanging server would use up the time for all. A socket that systemd has opened for tmux proves nothing.
func (f *finder) isOther(s *tmux.Server, pid int) bool {
	listener := s.Listener()
	return listener != pid && isTmux(f.processes[listener])
}
