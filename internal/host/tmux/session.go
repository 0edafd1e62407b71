package tmux

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$`)

// ValidSession reports whether a new session may have that name: tmux gives colons, dots and more a meaning of their own.
func ValidSession(name string) bool { return sessionName.MatchString(name) }

// ErrSessionExists says that a session of that name is there already.
var ErrSessionExists = errors.New("a session of that name exists already")

// NewSession makes a detached session whose one pane runs a program in a folder, without a shell, and gives the pane. It
// never starts a server: ErrNoServer where none runs.
func (s *Server) NewSession(ctx context.Context, name, dir string, argv []string) (pane string, err error) {
	if !ValidSession(name) {
		return "", fmt.Errorf("%q is no name for a session: letters, digits, dashes and underscores", name)
	}
	// tmux hands a single word to a shell, and several to the program itself: env makes them two at least.
	words := []string{quote("env")}
	for _, arg := range argv {
		if strings.ContainsAny(arg, "\n\r\x00") {
			return "", errors.New("an argument must be one line of text")
		}
		words = append(words, quote(arg))
	}
	if strings.ContainsAny(dir, "\n\r\x00") {
		return "", errors.New("the folder's name must be one line of text")
	}
	format := strings.ReplaceAll(dir, "#", "##") // tmux reads the folder as a format
	line := "new-session -d -P -F '#{pane_id}' -s " + name + " -c " + quote(format) + " -- " + strings.Join(words, " ")
	r, err := s.script(ctx, line)
	if err != nil {
		return "", fmt.Errorf("make session %s: %w", name, err)
	}
	pane = strings.TrimSpace(r.out)
	switch {
	case strings.Contains(r.complaint, "duplicate session"):
		return "", ErrSessionExists
	case !validPane(pane):
		return "", fmt.Errorf("make session %s: tmux says %q", name, firstLine(r.complaint))
	}
	return pane, nil
}

// EndSession ends the session that a pane is in, with all of its panes. ErrStale with ErrNoPane: the pane is gone, or is a
// pane of another life of the server.
func (s *Server) EndSession(ctx context.Context, life Life, pane string) error {
	condition := fmt.Sprintf("#{==:%s,%d %d %s}", lifeAndPane, life.PID, life.Start, pane)
	err := s.either(ctx, pane, condition, "kill-session -t "+pane, "")
	if errors.Is(err, ErrNoServer) {
		return nil // a server ends with its last session
	}
	if err != nil {
		return fmt.Errorf("end the session of pane %s: %w", pane, err)
	}
	return nil
}
