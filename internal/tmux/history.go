package tmux

import (
	"context"
	"fmt"
	"strconv"
)

// History is Look with the lines above the screen: the capture begins up to lines rows before the
// screen's first one, as far as tmux kept them.
func (s *Server) History(ctx context.Context, pane string, lines int) (Look, error) {
	if !validPane(pane) {
		return Look{}, fmt.Errorf("%q is no pane id: %w", pane, ErrNoPane)
	}
	m := newRecords()
	command := m.capture(pane)
	if lines > 0 {
		command += " -S -" + strconv.Itoa(lines)
	}
	return s.look(ctx, m, pane, command)
}
