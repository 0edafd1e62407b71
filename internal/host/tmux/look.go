package tmux

import (
	"context"
	"fmt"
	"time"
)

// Look is one pane as it is now, all of it read in the same step of the server.
type Look struct {
	Life    Life
	Pane    Pane
	Clients []Client
	// Capture is the visible screen, a line a row, with colours (capture-pane -e).
	Capture string
}

// List lists the panes and clients of the server.
func (s *Server) List(ctx context.Context) (Listing, error) {
	l, err := s.list(ctx)
	return l.Listing, err
}

func (s *Server) list(ctx context.Context, more ...string) (listed, error) {
	m := newRecords()
	return s.ask(ctx, m, append(m.listing(), more...))
}

func (s *Server) ask(ctx context.Context, m records, lines []string) (listed, error) {
	r, err := s.script(ctx, lines...)
	if err != nil {
		return listed{}, err
	}
	l, err := m.read(s.socket, r.out)
	if err != nil {
		return listed{}, fmt.Errorf("tmux server %s: %w", s.socket, err)
	}
	return l, nil
}

// Look reads one pane now.
func (s *Server) Look(ctx context.Context, pane string) (Look, error) {
	if !validPane(pane) {
		return Look{}, fmt.Errorf("%q is no pane id: %w", pane, ErrNoPane)
	}
	m := newRecords()
	return s.look(ctx, m, pane, m.capture(pane))
}

func (s *Server) look(ctx context.Context, m records, pane, command string) (Look, error) {
	l, err := s.ask(ctx, m, append(m.listing(), command))
	if err != nil {
		return Look{}, fmt.Errorf("read pane %s: %w", pane, err)
	}
	capture, ok := l.captures[pane]
	for _, p := range l.Panes {
		if ok && p.ID == pane {
			return Look{Life: l.Life, Pane: p, Clients: l.Clients, Capture: capture}, nil
		}
	}
	return Look{}, fmt.Errorf("read pane %s of tmux server %s: %w", pane, s.socket, ErrNoPane)
}

// Capture is what a pane showed at a moment, and how the pane was when it was taken.
type Capture struct {
	Pane  Pane
	Taken time.Time // not later than it showed this
	Text  string    // as in Look
}

// Poll lists the server and captures, in the same process, those of the known panes whose screen may
// have changed since. known are the last captures of the panes of interest; one that has only the pane's
// id is always captured. A pane that is gone, or can't be captured, is missing from the captures and
// changes nothing for the others.
//
// What tells a change is the window's activity, in whole seconds, which any byte of output moves, and,
// since it does not move for these, the pane's process, modes and size. A change of the screen that
// moves none of them is not known, but what was seen here is tmux 3.3a: capture all now and then.
func (s *Server) Poll(ctx context.Context, known []Capture) (Listing, []Capture, error) {
	m := newRecords()
	lines := m.listing()
	for _, capture := range known {
		if validPane(capture.Pane.ID) {
			lines = append(lines, m.captureChanged(capture))
		}
	}
	// Whole seconds, and rounded down: output of the rest of this second is captured again.
	now := time.Now()
	l, err := s.ask(ctx, m, lines)
	if err != nil {
		return Listing{}, nil, fmt.Errorf("poll: %w", err)
	}
	var captures []Capture
	for _, p := range l.Panes {
		if text, ok := l.captures[p.ID]; ok {
			captures = append(captures, Capture{Pane: p, Taken: now, Text: text})
		}
	}
	return l.Listing, captures, nil
}

// captureChanged is the command line that captures a pane unless it is as it was.
func (m records) captureChanged(capture Capture) string {
	p := capture.Pane
	if capture.Taken.IsZero() {
		return m.capture(p.ID)
	}
	bit := map[bool]string{true: "1"}
	was := fmt.Sprintf("%d/%s%s/%dx%d", p.PID, bit[p.Dead], bit[p.InMode], p.Width, p.Height)
	changed := "#{||:#{e|>=:" + activity + "," + fmt.Sprint(capture.Taken.Unix()) + "},#{!=:" +
		"#{pane_pid}/#{?pane_dead,1,}#{?pane_in_mode,1,}/#{pane_width}x#{pane_height}," + was + "}}"
	return "if-shell -F -t " + p.ID + " " + quote(changed) + " " + quote(m.capture(p.ID))
}
