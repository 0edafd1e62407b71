package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Resolve finds the pane that a person named: a pane id, or session:window.pane, where window is an
// index or a name. Nothing is matched by prefix or pattern as tmux itself would. ErrNoPane: there is
// none.
func (s *Server) Resolve(ctx context.Context, target string) (Pane, error) {
	matches, err := exact(target)
	if err != nil {
		return Pane{}, err
	}
	l, err := s.list(ctx)
	if err != nil {
		return Pane{}, fmt.Errorf("find pane %s: %w", target, err)
	}
	var found Pane
	for _, p := range l.panes {
		if !matches(p) || p.ID == found.ID {
			continue
		}
		if found.ID != "" {
			return Pane{}, fmt.Errorf("%s names both pane %s and pane %s; use the pane id", target, found.ID, p.ID)
		}
		found = p.Pane
	}
	if found.ID == "" {
		return Pane{}, fmt.Errorf("pane %s on tmux server %s: %w", target, s.socket, ErrNoPane)
	}
	return found, nil
}

// exact is the test for what target names.
func exact(target string) (func(paneRecord) bool, error) {
	if validPane(target) {
		return func(p paneRecord) bool { return p.ID == target }, nil
	}
	session, rest, ok := strings.Cut(target, ":")
	dot := strings.LastIndex(rest, ".")
	if !ok || session == "" || dot < 1 {
		return nil, fmt.Errorf("%q names no pane; a pane is named %%12 or session:window.pane, like main:2.0: %w", target, ErrNoPane)
	}
	window := rest[:dot]
	index, err := strconv.Atoi(rest[dot+1:])
	if err != nil {
		return nil, fmt.Errorf("%q names no pane; what follows the last dot is the pane's number: %w", target, ErrNoPane)
	}
	return func(p paneRecord) bool {
		return p.Session == session && p.Index == index && (strconv.Itoa(p.Window) == window || p.windowName == window)
	}, nil
}

// Switch makes a client, named as in Client.Name, show the pane's session, window and pane.
func (s *Server) Switch(ctx context.Context, client, pane string) error {
	if !validPane(pane) {
		return fmt.Errorf("%q is no pane id: %w", pane, ErrNoPane)
	}
	r, err := s.script(ctx, "switch-client -c "+quote(client)+" -t "+pane)
	if err != nil {
		return fmt.Errorf("show pane %s: %w", pane, err)
	}
	switch {
	case strings.HasPrefix(r.complaint, "can't find pane"):
		return fmt.Errorf("show pane %s: %w", pane, ErrNoPane)
	case r.complaint != "":
		return fmt.Errorf("show pane %s in client %s: tmux says: %s", pane, client, firstLine(r.complaint))
	}
	return nil
}
