package detect

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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

// Another program in an agent's terminal may have drawn the screen: a child of the agent that has the agent's own input and output,
// such as `npm init`, or a program that has the foreground.

// drawer is the first of the other processes in an agent's terminal that can draw and be answered there, shells last; ok is false if there is
// none, or the reading shows that the agent itself has drawn.
func drawer(r screen.Reading, others []proc.Process) (program proc.Process, ok bool) {
	if agents.Drew(r) {
		return proc.Process{}, false
	}
	for _, shells := range []bool{false, true} {
		for _, p := range others {
			if p.ShellRuns() == shells && p.Converses() {
				return p, true
			}
		}
	}
	return proc.Process{}, false
}

// readAmong reads the screen of an agent that has other programs beside it in the foreground of its terminal. If one of them can draw
// there, and the agent did not surely draw the question itself, the question counts as that program's and gets no keys. It returns
// that program's name; empty: none.
func readAmong(read func(string, screen.Screen) screen.Reading, agent string, others []proc.Process, s screen.Screen) (screen.Reading, string) {
	r := read(agent, s)
	by, ok := drawer(r, others)
	if !ok {
		return r, ""
	}
	asked := read(by.Name(), s)
	if asked.Prompt == nil || !asked.State.Asks() {
		asked = r
	}
	if asked.Prompt == nil || !asked.State.Asks() {
		return r, ""
	}
	return asked.Foreign(by.Name(), agent), by.Name()
}

// DrawnBy is the name of another program in the foreground of an agent's terminal that may have drawn the prompt of a reading, and would
// get the keys; empty: none.
func DrawnBy(r screen.Reading, own proc.ID, front []proc.Process) (program string) {
	if by, ok := drawer(r, agents.Others(r.Agent, own, front)); ok {
		return by.Name()
	}
	return ""
}

// among sets the other programs in the foreground of the agent's terminal. If they have changed, the screen is read once more.
func (p *agentPane) among(others []proc.Process) {
	same := slices.EqualFunc(p.others, others, func(a, b proc.Process) bool { return a.ID == b.ID })
	p.others, p.reread = others, p.reread || !same
}
