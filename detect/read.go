package detect

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// Capture is what a pane shows, with what has left its screen.
type Capture struct {
	Rows    []screen.Row // of the pane, and before them some that have left its screen
	Above   int          // how many of them have left it
	Columns int
}

// Last is the last n rows that the pane shows, above its trailing blank ones, and the text of the rows above them.
func (s Capture) Last(n int) (rows []screen.Row, above []string) {
	end := len(s.Rows)
	for end > 0 && strings.TrimSpace(s.Rows[end-1].Text) == "" {
		end--
	}
	first := min(max(s.Above, end-n), end)
	for _, row := range s.Rows[:first] {
		above = append(above, row.Text)
	}
	return s.Rows[first:end], above
}

// Screen reads what a pane shows now.
func (w *Watcher) Screen(ctx context.Context, pane PaneRef) (Capture, error) {
	look, err := w.history(ctx, pane, aboveTail)
	if err != nil {
		return Capture{}, err
	}
	lines := 1 + strings.Count(look.Capture, "\n")
	return Capture{Rows: screen.Parse(look.Capture).Rows, Above: max(lines-look.Pane.Height, 0), Columns: look.Pane.Width}, nil
}

// History gives the last lines of a pane with those that have left its screen, above its trailing blank ones, without
// escape sequences.
func (w *Watcher) History(ctx context.Context, pane PaneRef, lines int) ([]string, error) {
	look, err := w.history(ctx, pane, lines)
	if err != nil {
		return nil, err
	}
	return strings.Split(look.Text(lines, false), "\n"), nil
}

// history reads a pane of a server that is watched, with the lines that have left its screen.
func (w *Watcher) history(ctx context.Context, pane PaneRef, lines int) (tmux.Look, error) {
	server := w.Server(pane.Server.Socket)
	if server == nil || !pane.Here() {
		return tmux.Look{}, fmt.Errorf("the tmux server at %s is not watched", pane.Server.Socket)
	}
	look, err := server.History(ctx, pane.ID, lines)
	if err == nil && look.Life != pane.Server {
		err = fmt.Errorf("the tmux server at %s was restarted", pane.Server.Socket)
	}
	return look, err
}

// ReadPane reads a captured pane by means of read. An empty agent is found from the pane. If no agent runs in it, a shell or another
// program owns it.
func ReadPane(look tmux.Look, agent string, read func(string, screen.Screen) screen.Reading) screen.Reading {
	agent = cmp.Or(agent, AgentIn(look.Pane))
	if agent == "" {
		return screen.Reading{State: screen.Shell, Why: []string{"no agent that nod knows runs in the pane's foreground"}}
	}
	var others []proc.Process
	if front, err := proc.Foreground(look.Pane.PID); err == nil && len(front) > 0 {
		if name, process, ok := agentIn(look.Pane, front); ok && name == agent {
			others = agents.Others(name, process.ID, front)
			if line, err := proc.Lineage(front[0].PID); err == nil && name == look.Pane.Agent && belowProgram(line) {
				others = front
			}
		}
	}
	parsed := screen.Parse(look.Capture)
	parsed.Columns = look.Pane.Width
	r, _ := readAmong(read, agent, others, parsed)
	return r
}

// AgentIn is the agent that runs in a pane: by the pane's option, else by its foreground processes. Empty: none that nod
// knows.
func AgentIn(pane tmux.Pane) string {
	if pane.Agent != "" && pane.Agent != tmux.Unwatched {
		return pane.Agent
	}
	front, err := proc.Foreground(pane.PID)
	if err != nil {
		return ""
	}
	name, _, _ := agents.Of(front)
	return name
}
