package tmux

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"nod/internal/host/ansi"
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

// Text is the capture made harmless for a terminal: the last lines of it above its trailing blank rows, all
// of them where lines is 0.
func (l Look) Text(lines int, colours bool) string {
	clean := ansi.Harmless
	if colours {
		clean = ansi.HarmlessColours
	}
	rows := strings.Split(clean(l.Capture), "\n")
	for len(rows) > 0 && strings.TrimSpace(ansi.Harmless(rows[len(rows)-1])) == "" {
		rows = rows[:len(rows)-1]
	}
	if lines > 0 && len(rows) > lines {
		rows = rows[len(rows)-lines:]
	}
	text := strings.Join(rows, "\n")
	if colours {
		text += "\x1b[0m"
	}
	return text
}
