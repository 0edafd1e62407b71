package detect

import (
	"context"
	"fmt"
	"strings"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/proc"
	"nod/internal/tmux"
)

// Screen reads what a pane shows now.
func (w *Watcher) Screen(ctx context.Context, pane PaneRef) (screen.Screen, error) {
	server := w.Server(pane.Server.Socket)
	if server == nil {
		return screen.Screen{}, fmt.Errorf("the tmux server at %s is not watched", pane.Server.Socket)
	}
	look, err := server.Look(ctx, pane.ID)
	if err != nil {
		return screen.Screen{}, err
	}
	if look.Life != pane.Server {
		return screen.Screen{}, fmt.Errorf("the tmux server at %s was started anew", pane.Server.Socket)
	}
	shown := screen.Parse(look.Capture)
	shown.Columns = look.Pane.Width
	return shown, nil
}

// History gives the last lines of a pane with those that have left its screen, above its trailing blank ones, without
// escape sequences.
func (w *Watcher) History(ctx context.Context, pane PaneRef, lines int) ([]string, error) {
	server := w.Server(pane.Server.Socket)
	if server == nil {
		return nil, fmt.Errorf("the tmux server at %s is not watched", pane.Server.Socket)
	}
	look, err := server.History(ctx, pane.ID, lines)
	if err != nil {
		return nil, err
	}
	if look.Life != pane.Server {
		return nil, fmt.Errorf("the tmux server at %s was started anew", pane.Server.Socket)
	}
	return strings.Split(look.Text(lines, false), "\n"), nil
}

// ReadPane reads a pane as it was seen, which read tells the meaning of. An empty agent is found from the pane; where no agent runs
// in it, a shell or another program owns it.
func ReadPane(look tmux.Look, agent string, read func(string, screen.Screen) screen.Reading) screen.Reading {
	if agent == "" {
		agent = AgentIn(look.Pane)
	}
	if agent == "" {
		return screen.Reading{State: screen.Shell, Why: []string{"no agent that nod knows runs in the pane's foreground"}}
	}
	parsed := screen.Parse(look.Capture)
	parsed.Columns = look.Pane.Width
	return read(agent, parsed)
}

// AgentIn tells which agent runs in a pane: as the pane's option says, else by its foreground processes.
// Empty: none that nod knows.
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
