package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"slices"
	"strconv"
	"strings"
	"sync"

	"nod/detect"
	"nod/internal/host/tmux"
	"nod/internal/settings"
	"nod/internal/text/plural"
)

// servers are the tmux servers in the settings, with their answers.
type servers struct {
	all      []*tmux.Server
	listings []tmux.Listing
	errs     []error
}

// listServers asks every server in the settings for its panes.
func listServers(ctx context.Context, s settings.Settings) servers {
	l := servers{all: tmux.Servers(s.TmuxSocket)}
	l.listings, l.errs = make([]tmux.Listing, len(l.all)), make([]error, len(l.all))
	var all sync.WaitGroup
	for i, server := range l.all {
		all.Go(func() { l.listings[i], l.errs[i] = server.List(ctx) })
	}
	all.Wait()
	return l
}

func (l servers) anyUp() bool { return slices.Contains(l.errs, nil) }

// owners returns the nods that watch these servers, except the process own.
func (l servers) owners(own int) map[string]int {
	found := map[string]int{}
	for i, server := range l.all {
		if pid, ok := detect.OwnerOf(l.listings[i]); ok && l.errs[i] == nil && pid != own {
			found[server.Socket()] = pid
		}
	}
	return found
}

// tmux reports whether nod can reach the servers of the agents.
func (e *examination) tmux(ctx context.Context) []Finding {
	const check = "tmux"
	version, err := tmux.Version(ctx)
	switch {
	case errors.Is(err, tmux.ErrNoProgram):
		return []Finding{{check, Broken, "there is no tmux in PATH, and nod needs it", "install it: apt-get install tmux, dnf install tmux, brew install tmux"}}
	case err != nil:
		return []Finding{{check, Broken, err.Error(), "see what `tmux -V` says"}}
	case tmux.TooOld(version):
		return []Finding{{check, Broken, "tmux " + version + " is too old", "install tmux " + tmux.Oldest + " or later; servers that run keep their version until they are started again"}}
	}
	found := []Finding{ok(check, "version %s", version)}
	found = append(found, e.eachServer()...)
	found = append(found, e.otherServers()...)
	owners := e.servers.owners(e.running.health.PID)
	if e.wrong != nil {
		owners = nil // a nod that runs may be this one
	}
	for _, socket := range slices.Sorted(maps.Keys(owners)) {
		pid := owners[socket]
		found = append(found, Finding{"another nod", Broken, fmt.Sprintf("process %d watches the tmux server at %s, so this one leaves it alone", pid, socket), fmt.Sprintf("stop one of the two: kill %d", pid)})
	}
	return append(found, e.agents(ctx)...)
}

// eachServer reports the state of each server in the settings.
func (e *examination) eachServer() []Finding {
	const check = "server"
	var found []Finding
	for i, server := range e.servers.all {
		socket := server.Socket()
		switch err := e.servers.errs[i]; {
		case err == nil:
			found = append(found, ok(check, "%s, %s", socket, plural.Of(len(e.servers.listings[i].Panes), "pane", "panes")))
		case errors.Is(err, tmux.ErrNoServer) && e.servers.anyUp():
			found = append(found, ok(check, "%s, where none runs now", socket))
		case errors.Is(err, tmux.ErrNoServer):
			found = append(found, Finding{check, Note, "no tmux server runs at " + socket + " yet", "start tmux; nod sees it then"})
		case errors.Is(err, tmux.ErrDenied):
			found = append(found, Finding{check, Broken, "the tmux server at " + socket + " does not let this user in", "run nod as the user who owns it"})
		case errors.Is(err, tmux.ErrHung), errors.Is(err, context.DeadlineExceeded):
			found = append(found, Finding{check, Broken, "the tmux server at " + socket + " does not answer", "see whether its process is stopped or busy: `ps -o pid,stat,time,args -C tmux`"})
		default:
			found = append(found, Finding{check, Broken, err.Error(), "start the server again with the tmux that is in PATH"})
		}
	}
	return found
}

// otherServers names tmux servers on this machine that are not watched.
func (e *examination) otherServers() []Finding {
	const check = "other socket"
	sockets, err := tmux.Sockets()
	if err != nil {
		return nil // only a hint; it works only on Linux
	}
	level := Broken
	if e.servers.anyUp() {
		level = Note
	}
	var found []Finding
	others := map[int]int{} // number of servers of each other user
	for _, socket := range sockets {
		if slices.ContainsFunc(e.servers.all, func(s *tmux.Server) bool { return tmux.SameSocket(s.Socket(), socket) }) {
			continue
		}
		switch owner := tmux.SocketOwner(socket); owner {
		case os.Getuid():
			next := "`nod setup` asks whether to watch it"
			if e.ready() || e.joined != nil {
				next = "if agents run there: `nod config set NOD_TMUX_SOCKET " + strings.Join(append(e.watchedNames(), socket), ",") + "`"
			}
			found = append(found, Finding{check, level, "tmux also listens at " + socket + ", where nod does not look", next})
		case -1: // gone, or not accessible
		default:
			others[owner]++
		}
	}
	return append(found, otherUsers(others)...)
}

// otherUsers is one line for all of them, however many servers they run.
func otherUsers(servers map[int]int) []Finding {
	if len(servers) == 0 {
		return nil
	}
	var names []string
	for _, uid := range slices.Sorted(maps.Keys(servers)) {
		names = append(names, fmt.Sprintf("%s (%s)", userName(uid), plural.Of(servers[uid], "server", "servers")))
	}
	return []Finding{{"other user", Note, "tmux also runs for " + strings.Join(names, ", "), "if agents run there, run a nod as that user: each nod sees only its own user's"}}
}

// watchedNames returns the sockets to watch, without servers that never ran.
func (e *examination) watchedNames() []string {
	var names []string
	for i, server := range e.servers.all {
		if e.servers.errs[i] == nil || len(e.settings.TmuxSocket) > 0 {
			names = append(names, server.Socket())
		}
	}
	return names
}

func userName(uid int) string {
	if who, err := user.LookupId(strconv.Itoa(uid)); err == nil {
		return who.Username
	}
	return "uid " + strconv.Itoa(uid)
}
