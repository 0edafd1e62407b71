package tmux

import (
	"context"
	"fmt"
	"strings"
)

// The options that nod keeps on a server. They live as long as the pane or the server does.
const (
	// AgentOption, on a pane, overrides discovery: the agent's name, or Unwatched.
	AgentOption = "@nod-agent"
	// Unwatched is the AgentOption of a pane that is not to be watched.
	Unwatched = "off"

	// NameOption, on a pane, is its name in messages.
	NameOption = "@nod-name"

	ownerOption = "@nod-owner" // on the server: which nod watches it
)

// SetPaneOption sets a pane's option; an empty value removes it. ErrStale with ErrNoPane:
// the pane is gone, or is a pane of another life of the server.
func (s *Server) SetPaneOption(ctx context.Context, life Life, pane, option, value string) error {
	if strings.ContainsAny(value, "\n\x00") {
		return fmt.Errorf("set %s of pane %s: a value is one line of text", option, pane)
	}
	condition := fmt.Sprintf("#{==:%s,%d %d %s}", lifeAndPane, life.PID, life.Start, pane)
	set := "set-option -p -t " + pane + " " + option + " " + quote(value)
	if value == "" {
		set = "set-option -p -u -t " + pane + " " + option
	}
	if err := s.either(ctx, pane, condition, set, ""); err != nil {
		return fmt.Errorf("set %s of pane %s: %w", option, pane, err)
	}
	return nil
}

// SetOwner writes the server's @nod-owner if it still is what was read, in one step, so that of two who
// try one succeeds. An empty next removes the option. ErrStale: it is something else by now, or
// another life of the server.
func (s *Server) SetOwner(ctx context.Context, life Life, was, next string) error {
	if strings.ContainsAny(next, "\n\x00") {
		return fmt.Errorf("mark tmux server %s: the mark is one line of text", s.socket)
	}
	condition := fmt.Sprintf("#{&&:#{==:#{pid} #{start_time},%d %d},#{m/r:^%s$,#{%s}}}", life.PID, life.Start, pattern.Replace(was), ownerOption)
	set := "set-option -s " + ownerOption + " " + quote(next)
	if next == "" {
		set = "set-option -s -u " + ownerOption
	}
	m := newRecords()
	r, err := s.script(ctx, "if-shell -F "+quote(condition)+" "+quote(set+" ; display-message -p "+m.marker))
	if err != nil {
		return fmt.Errorf("mark tmux server %s: %w", s.socket, err)
	}
	if !strings.HasPrefix(r.out, m.marker) {
		return fmt.Errorf("mark tmux server %s: it was marked by another meanwhile: %w", s.socket, ErrStale)
	}
	return nil
}
