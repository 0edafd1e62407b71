package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"nod/detect"
	"nod/internal/proc"
	"nod/internal/settings"
	"nod/internal/tmux"
)

// servers are the tmux servers that the settings name.
func servers(s settings.Settings) []*tmux.Server {
	if len(s.TmuxSocket) == 0 {
		return []*tmux.Server{tmux.New("")}
	}
	var list []*tmux.Server
	for _, name := range s.TmuxSocket {
		list = append(list, tmux.New(name))
	}
	return list
}

// errAmbiguous says that a pane's name fits panes of several servers.
var errAmbiguous = errors.New("it fits panes of several tmux servers")

// findPane finds the pane that a person named: %12 or session:window.pane, with @SOCKET after it
// where there are several servers. One that fits panes of several servers is refused.
func findPane(ctx context.Context, among []*tmux.Server, name string) (*tmux.Server, tmux.Pane, error) {
	target := name
	if plain, socket, ok := cutSocket(name); ok {
		target, among = plain, onSocket(among, socket)
	}
	var server *tmux.Server
	var pane tmux.Pane
	failed := fmt.Errorf("pane %s: %w", name, tmux.ErrNoPane)
	for _, s := range among {
		p, err := s.Resolve(ctx, target)
		switch {
		case err == nil && server != nil:
			return nil, tmux.Pane{}, fmt.Errorf("pane %s: %w; name one, as in %s@%s", name, errAmbiguous, target, s.Socket())
		case err == nil:
			server, pane = s, p
		case len(among) == 1 || !errors.Is(err, tmux.ErrNoPane) && !errors.Is(err, tmux.ErrNoServer):
			failed = err
		}
	}
	if server == nil {
		return nil, tmux.Pane{}, failed
	}
	return server, pane, nil
}

// cutSocket splits %12@SOCKET. Session names may hold an @, so what follows it must not look like
// the rest of a pane's name.
func cutSocket(name string) (target, socket string, ok bool) {
	i := strings.LastIndex(name, "@")
	if i <= 0 || i == len(name)-1 {
		return name, "", false
	}
	if rest := name[i+1:]; strings.HasPrefix(rest, "/") || !strings.Contains(rest, ":") {
		return name[:i], rest, true
	}
	return name, "", false
}

func onSocket(among []*tmux.Server, socket string) []*tmux.Server {
	wanted := tmux.New(socket)
	i := slices.IndexFunc(among, func(s *tmux.Server) bool { return s.Socket() == wanted.Socket() })
	if i < 0 {
		return []*tmux.Server{wanted}
	}
	return among[i : i+1]
}

// localServers are the servers for a command that needs neither bot nor settings: where the
// settings can't be read, the default one.
func (p *program) localServers() []*tmux.Server {
	s, err := p.settings()
	if err != nil {
		return []*tmux.Server{tmux.New("")}
	}
	return servers(s)
}

// agentIn tells which agent runs in a pane: as the pane's option says, else by its foreground
// processes. Empty: none that nod knows.
func agentIn(pane tmux.Pane) string {
	if pane.Agent != "" && pane.Agent != tmux.Unwatched {
		return pane.Agent
	}
	ps, err := proc.Foreground(pane.PID)
	if err != nil {
		return ""
	}
	name, _, _ := detect.AgentOf(ps)
	return name
}

// here is the pane that the command itself runs in, and its server; false outside tmux.
func here() (server *tmux.Server, pane string, ok bool) {
	socket, _, _ := strings.Cut(os.Getenv("TMUX"), ",")
	if socket == "" {
		return nil, "", false
	}
	return tmux.New(socket), os.Getenv("TMUX_PANE"), true
}
