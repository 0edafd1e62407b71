package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Resolve finds the pane that a person named: a pane id; session:window.pane, where window is an index or a name; or
// session:window and session, where that has one pane. Nothing is matched by prefix or pattern as tmux itself would.
// ErrNoPane: there is no such pane. ErrAmbiguous: there are several.
func (s *Server) Resolve(ctx context.Context, target string) (Pane, error) {
	matches := meant(target)
	if matches == nil {
		return Pane{}, fmt.Errorf("%q names no pane; a pane is named %%12 or session:window.pane, like main:2.0: %w", target, ErrNoPane)
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
			return Pane{}, fmt.Errorf("%s: %w, %s and %s among them; name one, like main:2.0 or %s", target, ErrAmbiguous, found.ID, p.ID, p.ID)
		}
		found = p.Pane
	}
	if found.ID == "" {
		return Pane{}, fmt.Errorf("pane %s on tmux server %s: %w", target, s.socket, ErrNoPane)
	}
	return found, nil
}

// meant is the test for the panes that target may mean; nil: it can't mean any. A window's name may hold dots, so v1.2 is
// a window as well as the third pane of the window v1.
func meant(target string) func(paneRecord) bool {
	if validPane(target) {
		return func(p paneRecord) bool { return p.ID == target }
	}
	session, rest, _ := strings.Cut(target, ":")
	if session == "" {
		return nil
	}
	window, index := rest, -1
	if dot := strings.LastIndex(rest, "."); dot > 0 {
		if number, err := strconv.Atoi(rest[dot+1:]); err == nil {
			window, index = rest[:dot], number
		}
	}
	return func(p paneRecord) bool {
		if p.Session != session || rest == "" {
			return p.Session == session
		}
		return p.isWindow(rest) || p.Index == index && p.isWindow(window)
	}
}

// Exact reports whether name is a pane's id or session:window.pane, perhaps with @SOCKET after it: no name that another
// pane could take, as a session that has only one pane.
func Exact(name string) bool {
	if plain, _, ok := cutSocket(name); ok {
		name = plain
	}
	if validPane(name) {
		return true
	}
	session, rest, _ := strings.Cut(name, ":")
	dot := strings.LastIndex(rest, ".")
	if session == "" || dot <= 0 {
		return false
	}
	_, err := strconv.ParseUint(rest[dot+1:], 10, 31)
	return err == nil
}

// isWindow reports whether name is the pane's window's, or its index.
func (p paneRecord) isWindow(name string) bool {
	return strconv.Itoa(p.Window) == name || p.windowName == name
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
