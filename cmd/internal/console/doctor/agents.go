package doctor

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"nod/deploy"
	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/ansi"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// agents lists the agents on the watched servers, and the panes that may hide one.
func (e *examination) agents(ctx context.Context) []Finding {
	const check = "agents"
	if !e.servers.anyUp() {
		return nil // servers reports that
	}
	var runs []string
	var hidden []Finding
	for i, server := range e.servers.all {
		for _, pane := range e.servers.listings[i].Panes {
			if pane.Agent == tmux.Unwatched {
				continue
			}
			front, err := proc.Foreground(pane.PID)
			if err != nil {
				continue // it has just ended
			}
			if name := agentIn(pane, front); name != "" {
				runs = append(runs, fmt.Sprintf("%s in %s", name, where(pane)))
			} else if through := wayOut(front); through != "" && pane.Agent == "" {
				hidden = append(hidden, behind(ctx, server, pane, through))
			}
		}
	}
	if len(runs) == 0 {
		return append([]Finding{{check, Note, "none runs in a watched pane yet", "start one in tmux; nod sees it within seconds"}}, hidden...)
	}
	return append([]Finding{ok(check, "%s", strings.Join(runs, ", "))}, hidden...)
}

func agentIn(pane tmux.Pane, front []proc.Process) string {
	if pane.Agent != "" {
		return pane.Agent
	}
	name, _, _ := agents.Of(front)
	return name
}

func where(pane tmux.Pane) string {
	return ansi.Harmless(fmt.Sprintf("%s:%d.%d", pane.Session, pane.Window, pane.Index))
}

// waysOut are programs behind which an agent may run that is not in this machine's process table.
var waysOut = []string{
	"ssh", "mosh-client", "et", "autossh", "docker", "podman", "nerdctl", "kubectl", "lxc", "incus", "machinectl", "nsenter",
	"systemd-nspawn", "distrobox", "toolbox", "vagrant", "limactl", "multipass", "wsl.exe", "flatpak-spawn", "tmux", "screen",
}

// wayOut returns the foreground program behind which an agent may run; empty if there is none.
func wayOut(front []proc.Process) string {
	for _, p := range front {
		for _, name := range []string{path.Base(p.Exe), p.Comm} {
			if slices.Contains(waysOut, name) {
				return name
			}
		}
	}
	return ""
}

// behind says how to tell nod about an agent behind another program. It names the agent if the screen shows
// which one it is.
func behind(ctx context.Context, server *tmux.Server, pane tmux.Pane, through string) Finding {
	const check = "behind"
	option := func(agent string) string {
		return fmt.Sprintf("tmux -S %s set-option -p -t %s @nod-agent %s", deploy.ShellQuote(server.Socket()), pane.ID, agent)
	}
	if name := drawnBy(ctx, server, pane); name != "" {
		return Finding{check, Note, fmt.Sprintf("%s seems to run behind %s in %s, where nod can't see it by itself", name, through, where(pane)), option(name)}
	}
	return Finding{check, Note, fmt.Sprintf("%s runs in %s; an agent behind it is seen only if nod is told its name", through, where(pane)), option("AGENT")}
}

// drawnBy returns the only agent that can have drawn the pane's screen; empty if that is unknown.
func drawnBy(ctx context.Context, server *tmux.Server, pane tmux.Pane) string {
	look, err := server.Look(ctx, pane.ID)
	if err != nil {
		return ""
	}
	parsed := screen.Parse(look.Capture)
	parsed.Columns = look.Pane.Width
	if reading := agents.Read("", parsed); reading.State != screen.Silent {
		return reading.Agent
	}
	return ""
}
