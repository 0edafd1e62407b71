package setup

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"nod/internal/host/tmux"
)

// askSockets finds the tmux servers that this shell sees, and adds to the settings those that the service
// would not find: it inherits no TMUX_TMPDIR, and knows nothing of `tmux -L` and `tmux -S`.
func (s *setup) askSockets(ctx context.Context) error {
	if err := tmux.Usable(ctx); err != nil {
		s.Say("! %s. Setup goes on all the same.", err)
	}
	named := slices.Clone([]string(s.now.TmuxSocket))
	watched := tmux.Servers(named)
	var news []string
	for _, socket := range seenHere() {
		known := slices.ContainsFunc(watched, func(w *tmux.Server) bool { return tmux.SameSocket(w.Socket(), socket) })
		if !known || len(named) == 0 && socket != usualSocket() { // this shell's default server is not the service's
			news = append(news, socket)
		}
	}
	if len(named) == 0 && len(news) > 0 && !slices.Contains(news, usualSocket()) {
		named = append(named, usualSocket()) // it would be watched if none were named
	}
	for _, socket := range news {
		s.Say("! tmux uses %s, %s: a service does not look there by itself", socket, s.panes(ctx, socket))
		yes, err := s.Confirm(ctx, "Watch it?")
		if err != nil {
			return err
		}
		if yes {
			named = append(named, socket)
			s.sockets = named
		}
	}
	for _, server := range tmux.Servers(s.watchedNames()) {
		s.Say("✓ watches tmux at %s, %s", server.Socket(), s.panes(ctx, server.Socket()))
	}
	return nil
}

func (s *setup) watchedNames() []string {
	if s.sockets != nil {
		return s.sockets
	}
	return s.now.TmuxSocket
}

// seenHere returns the sockets that `tmux` reaches from this shell, and those of this user's running servers.
func seenHere() []string {
	var seen []string
	if here, _ := tmux.Here(); here != nil {
		seen = append(seen, here.Socket())
	}
	if socket := tmux.New("").Socket(); socket != usualSocket() {
		seen = append(seen, socket) // by TMUX_TMPDIR, even before tmux was started
	}
	listening, err := tmux.Sockets()
	if err == nil { // on an error, this system has no such hint
		seen = append(seen, slices.DeleteFunc(listening, func(socket string) bool { return tmux.SocketOwner(socket) != os.Getuid() })...)
	}
	var different []string
	for _, socket := range seen {
		if !slices.ContainsFunc(different, func(other string) bool { return tmux.SameSocket(other, socket) }) {
			different = append(different, socket)
		}
	}
	return different
}

// usualSocket returns the default socket of a process without TMUX_TMPDIR.
func usualSocket() string {
	return filepath.Join("/tmp", "tmux-"+strconv.Itoa(os.Getuid()), "default")
}

// panes describes the state of a server.
func (s *setup) panes(ctx context.Context, socket string) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	listing, err := tmux.New(socket).List(ctx)
	switch {
	case errors.Is(err, tmux.ErrNoServer):
		return "where no server runs yet"
	case err != nil:
		return "which does not answer"
	case len(listing.Panes) == 1:
		return "1 pane"
	}
	return strconv.Itoa(len(listing.Panes)) + " panes"
}
