package tmux

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// ErrAmbiguous says that a pane's name fits several panes, of one server or of several.
var ErrAmbiguous = errors.New("it fits several panes")

// Servers are the servers of these names, each as New takes it; without names, the default one.
func Servers(names []string) []*Server {
	if len(names) == 0 {
		return []*Server{New("")}
	}
	var servers []*Server
	for _, name := range names {
		servers = append(servers, New(name))
	}
	return servers
}

// Find finds the pane that a person named: as for Resolve, with @SOCKET after it if there are several servers. A name
// that fits panes of several servers is refused with ErrAmbiguous.
func Find(ctx context.Context, among []*Server, name string) (*Server, Pane, error) {
	target := name
	if plain, socket, ok := cutSocket(name); ok {
		target, among = plain, onSocket(among, socket)
	}
	var server *Server
	var pane Pane
	failed := fmt.Errorf("pane %s: %w", name, ErrNoPane)
	for _, s := range among {
		p, err := s.Resolve(ctx, target)
		switch {
		case err == nil && server != nil:
			return nil, Pane{}, fmt.Errorf("pane %s: %w, on several tmux servers; name one, as in %s@%s", name, ErrAmbiguous, target, s.Socket())
		case err == nil:
			server, pane = s, p
		case len(among) == 1 || !errors.Is(err, ErrNoPane) && !errors.Is(err, ErrNoServer):
			failed = err
		}
	}
	if server == nil {
		return nil, Pane{}, failed
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

func onSocket(among []*Server, socket string) []*Server {
	wanted := New(socket)
	i := slices.IndexFunc(among, func(s *Server) bool { return s.Socket() == wanted.Socket() })
	if i < 0 {
		return []*Server{wanted}
	}
	return among[i : i+1]
}

// ServerOf reads $TMUX, which is SOCKET,PID,SESSION. The socket is empty if $TMUX is.
func ServerOf(variable string) (socket string, pid int) {
	fields := strings.Split(variable, ",")
	if len(fields) < 3 {
		return "", 0
	}
	pid, err := strconv.Atoi(fields[len(fields)-2])
	if err != nil {
		return "", 0
	}
	return strings.Join(fields[:len(fields)-2], ","), pid
}

// Here is the server and the pane that this process runs in; nil outside tmux.
func Here() (server *Server, pane string) {
	socket, _, _ := strings.Cut(os.Getenv("TMUX"), ",")
	if socket == "" {
		return nil, ""
	}
	return New(socket), os.Getenv("TMUX_PANE")
}

// ClientAt is the client in which a person pressed a key last, of those that show the pane; of all, if none
// does. ok is false if nobody is attached.
func (l Listing) ClientAt(pane string) (client Client, ok bool) {
	among := slices.DeleteFunc(slices.Clone(l.Clients), func(c Client) bool { return !slices.Contains(c.Shows, pane) })
	if len(among) == 0 {
		among = l.Clients
	}
	if len(among) == 0 {
		return Client{}, false
	}
	return slices.MaxFunc(among, func(a, b Client) int { return a.Activity.Compare(b.Activity) }), true
}
