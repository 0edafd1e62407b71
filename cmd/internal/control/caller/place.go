// Package caller finds out who calls: a person, an agent, or a process that can't be placed.
//
// A process that an agent started may lose its parents: a background command outlives its shell. It keeps its
// session, its terminal and its environment. So a caller belongs to an agent if any of these leads to an
// agent, and to a person only if a terminal proves that. A caller that can't be placed is no person.
//
// This protects against accident and habit. A program of the same user can deliberately make its own terminal
// and an empty environment, and then nothing distinguishes it from a person.
package caller

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// Kind is the kind of a caller.
type Kind string

// The kinds of callers.
const (
	Human    Kind = "human"
	Agent    Kind = "agent"
	Unplaced Kind = "unplaced" // unknown, so it may be an agent
)

// Place is the kind of a caller and the evidence for it.
type Place struct {
	Kind Kind
	Why  string // the evidence, as a sentence; empty for a human
	// Unattended says that nothing leads from an unplaced caller to an agent: it only lacks a terminal that
	// proves a person.
	Unattended bool
	// Agents are the processes of the agents that the caller belongs to, except an agent that is known only
	// from a variable.
	Agents []proc.ID
	// Certain says that parents or a session lead to an agent, not only the environment: a caller can name the
	// pane of any agent there.
	Certain bool
}

// Refusal is the sentence for a caller that is not a human, with a next step for a person who was mistaken
// for an agent.
func (p Place) Refusal() string {
	because := " An agent can't approve itself"
	if p.Kind == Unplaced {
		because = " So nod can't tell it from an agent's"
	}
	return p.Why + because + ": nothing was done. A human can do it in a terminal that no agent started; in tmux, within ten seconds of a key in that pane."
}

// Watched is an agent in a watched pane, of a known kind or not.
type Watched struct {
	Process proc.ID
	Pane    string // "%12"
	Agent   string
}

// world has all data for placing a caller.
type world struct {
	processes   map[int]proc.Process
	environment func(pid int) []string
	server      func(pid int) (tmux.Listing, bool) // the tmux server with that pid; false if it does not answer
	watched     []Watched
	read        func(terminal string) (time.Time, error) // when a terminal was last read
	started     func(proc.ID) time.Time
	now         time.Time
	// clients are the processes of this machine at the other end of a connection of ssh, which is named as in SSH_CONNECTION.
	clients  func(connection string) (pids []int)
	followed map[string][]Place // by such a connection, its clients that belong to agents
}

// place identifies a process.
func (w world) place(pid int) Place {
	line, ok := w.line(pid)
	if !ok {
		return Place{Kind: Unplaced, Why: unknownProcess}
	}
	found := evidence{}
	for _, p := range line {
		if name := w.agent(p); name != "" {
			found.agent(fmt.Sprintf("This command runs below %s (process %d).", name, p.PID), p.ID)
		}
	}
	near := w.near(line)
	w.inSessions(near, &found)
	certain := found.why != ""
	w.inEnvironment(near, &found)
	w.overSSH(slices.Concat(line, near), &found)
	switch {
	case found.why != "":
		return Place{Kind: Agent, Why: found.why, Agents: found.agents, Certain: certain}
	case found.doubt != "":
		return Place{Kind: Unplaced, Why: found.doubt}
	}
	if why := cmp.Or(belowNod(line), forwarded(line[0]), w.noTerminal(near)); why != "" {
		return Place{Kind: Unplaced, Why: why, Unattended: true}
	}
	return Place{Kind: Human}
}

// belowNod says that a command of nod has started a process: some of them run agents' programs, to learn their
// versions, in a person's terminal. The first process of a container adopts what others started.
func belowNod(line []proc.Process) string {
	for _, p := range line[1:] {
		if p.PID > 1 && isOneOf(p, "nod") {
			return fmt.Sprintf("nod (process %d) has started this command.", p.PID)
		}
	}
	return ""
}

// forwarded says that a caller only passes on what somebody calls at the other end of a connection (`ssh -L`, `ssh -R`).
func forwarded(caller proc.Process) string {
	if isSSH(caller) || isOneOf(caller, "ssh") {
		return "This call came through a tunnel of ssh, whose other end may be anybody's."
	}
	return ""
}

// evidence is what links a caller to an agent.
type evidence struct {
	why    string // the first evidence found
	agents []proc.ID
	doubt  string // a source that could not be read
}

func (e *evidence) agent(why string, processes ...proc.ID) {
	if e.why == "" {
		e.why = why
	}
	for _, p := range processes {
		if !slices.Contains(e.agents, p) {
			e.agents = append(e.agents, p)
		}
	}
}

// line returns a process, its parent, and so on up to the first process. whole is false if one of them can't
// be seen.
func (w world) line(pid int) (line []proc.Process, whole bool) {
	for pid > 0 {
		p, ok := w.processes[pid]
		if !ok || slices.ContainsFunc(line, func(child proc.Process) bool { return child.PID == pid }) {
			return nil, false
		}
		line = append(line, p)
		pid = p.Parent
	}
	return line, len(line) > 0
}

// near returns the processes that a caller comes from: its parents, and the parents of each of their
// terminals' session leaders, which outlive theirs. Each line ends before a process that starts programs for
// others or adopts orphans.
func (w world) near(line []proc.Process) (near []proc.Process) {
	add := func(line []proc.Process) {
		for i, p := range line {
			known := func(other proc.Process) bool { return other.PID == p.PID }
			if i > 0 && (startsForOthers(p) || isTmux(p)) || slices.ContainsFunc(near, known) {
				return
			}
			near = append(near, p)
		}
	}
	add(line)
	for at := 0; at < len(near); at++ {
		if near[at].Terminal != "" {
			leader, _ := w.line(near[at].Session)
			add(leader)
		}
	}
	return near
}

// startsForOthers reports whether a process starts programs for others or adopts orphans: the first process,
// a service manager, cron, atd.
func startsForOthers(p proc.Process) bool {
	return p.PID == 1 || isOneOf(p, "systemd", "launchd", "cron", "crond", "anacron", "atd")
}

func isTmux(p proc.Process) bool {
	// Linux shows the name that tmux gives itself, whatever its file is called. A client is no server.
	return p.Comm == "tmux: server" || p.Comm != "tmux: client" && isOneOf(p, "tmux")
}

// isSSH reports whether a process serves a login from another machine.
func isSSH(p proc.Process) bool { return isOneOf(p, "sshd", "sshd-session", "dropbear") }

func isOneOf(p proc.Process, names ...string) bool {
	return slices.Contains(names, p.Comm) || slices.Contains(names, path.Base(p.Exe))
}

// agent returns the name of the agent that a process is; empty for other programs, and for an agent's program that
// only says its version, as nod and others ask for it in a person's terminal.
func (w world) agent(p proc.Process) string {
	if n := len(p.Args); n > 1 && p.Args[n-1] == "--version" {
		return ""
	}
	if name, _, ok := agents.Of([]proc.Process{p}); ok {
		return name
	}
	if at := slices.IndexFunc(w.watched, func(a Watched) bool { return a.Process == p.ID }); at >= 0 {
		return w.watched[at].Agent
	}
	return ""
}

// above finds the agent that a process is or runs below.
func (w world) above(pid int) (name string, id proc.ID) {
	line, _ := w.line(pid)
	for _, p := range line {
		if name := w.agent(p); name != "" {
			return name, p.ID
		}
	}
	return "", proc.ID{}
}

// inSessions looks for agents in the caller's session and in the session of every terminal that it runs in: a
// terminal belongs to one session. Sessions whose leaders are outside of this container are taken for one: its
// processes can't be told apart.
func (w world) inSessions(near []proc.Process, found *evidence) {
	var seen []int
	for i, p := range near {
		if i > 0 && p.Terminal == "" || slices.Contains(seen, p.Session) {
			continue
		}
		seen = append(seen, p.Session)
		where := "session"
		if p.Terminal != "" {
			where = "terminal"
		}
		w.inSession(p.Session, "in the "+where+" of this command", found)
	}
}

func (w world) inSession(session int, where string, found *evidence) {
	for _, pid := range slices.Sorted(maps.Keys(w.processes)) {
		p := w.processes[pid]
		if p.Session != session {
			continue
		}
		if name, id := w.above(p.PID); name != "" {
			found.agent(fmt.Sprintf("%s (process %d) runs %s.", name, id.PID, where), id)
		}
	}
}

// inEnvironment looks for the mark of an agent, and for an agent's pane, in the environments that the caller
// and its parents were started with.
func (w world) inEnvironment(near []proc.Process, found *evidence) {
	for _, p := range near {
		environment := w.environment(p.PID)
		if mark := agents.MarkIn(environment); mark != "" {
			found.agent("The environment of this command has " + mark + ", as that of what an agent runs.")
		}
		pane := valueOf(environment, "TMUX_PANE")
		if pane == "" {
			continue
		}
		if pid := serverIn(environment); pid > 0 {
			w.inPane(pid, pane, found)
			continue
		}
		// Without TMUX it may be the pane of any server.
		for _, a := range w.watched {
			if a.Pane == pane {
				found.agent(fmt.Sprintf("The environment of this command names the pane %s, in which %s runs.", pane, a.Agent), a.Process)
			}
		}
	}
}

// overSSH looks for an agent whose ssh has brought the caller to this machine, from this machine itself.
func (w world) overSSH(from []proc.Process, found *evidence) {
	for _, p := range from {
		if isSSH(p) || !isSSH(w.processes[p.Parent]) {
			continue
		}
		environment := w.environment(p.PID)
		connection := valueOf(environment, "SSH_CONNECTION")
		if environment != nil && connection == "" { // sshd names it to each command
			found.doubt = "This command came by ssh, and its environment does not say from where."
		}
		for _, client := range w.agentsOf(connection) {
			found.agent("This command came by ssh from this machine itself. "+client.Why, client.Agents...)
		}
	}
}

// agentsOf returns the clients of a connection of ssh that belong to agents. Each connection is followed once: an
// environment can name any, even one that leads back.
func (w world) agentsOf(connection string) []Place {
	known, ok := w.followed[connection]
	if ok || connection == "" {
		return known
	}
	w.followed[connection] = nil
	for _, pid := range w.clients(connection) {
		if client := w.place(pid); client.Kind == Agent {
			known = append(known, client)
		}
	}
	w.followed[connection] = known
	return known
}

// inPane looks for an agent in a pane of the tmux server with that pid, if it exists.
func (w world) inPane(pid int, pane string, found *evidence) {
	if p, lives := w.processes[pid]; !lives || !isTmux(p) {
		return
	}
	server, ok := w.server(pid)
	if !ok {
		found.doubt = "The tmux server that the environment of this command names does not answer."
		return
	}
	for _, p := range server.Panes {
		if p.ID != pane {
			continue
		}
		before := len(found.agents)
		w.inSession(w.processes[p.PID].Session, "in the pane that the environment of this command names, "+pane, found)
		if len(found.agents) == before && p.Agent != "" && p.Agent != tmux.Unwatched {
			found.agent(fmt.Sprintf("The environment of this command names the pane %s, which is set to be that of %s.", pane, p.Agent))
		}
	}
}

func valueOf(environment []string, name string) string {
	for _, variable := range environment {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// serverIn returns the pid in TMUX, "SOCKET,PID,SESSION"; 0 if there is none.
func serverIn(environment []string) (pid int) {
	_, pid = tmux.ServerOf(valueOf(environment, "TMUX"))
	return pid
}

// noTerminal says why the caller's terminals do not prove that a person is there; empty if they do. A
// terminal may be inside another, like those of sudo or script in a shell's, and every one of them must prove
// it.
func (w world) noTerminal(near []proc.Process) string {
	if near[0].Terminal == "" {
		// `ssh HOST nod …` has no terminal: sshd starts a session for it.
		if isSSH(w.processes[w.processes[near[0].Session].Parent]) {
			return ""
		}
		return "This command has no terminal."
	}
	var seen []int
	for _, p := range near {
		if p.Terminal == "" || slices.Contains(seen, p.Session) {
			continue
		}
		seen = append(seen, p.Session)
		if why := w.noPersonAt(p); why != "" {
			return why
		}
	}
	return ""
}

// noPersonAt says why a process's terminal does not prove that a person is there; empty if it does.
func (w world) noPersonAt(p proc.Process) string {
	leader, ok := w.processes[p.Session]
	switch {
	case !ok:
		return "The process that the terminal of this command was made for can't be seen."
	case !p.Pseudo(), leader.Parent == 0: // the machine's console, or a terminal from outside of this container
		return ""
	}
	maker, ok := w.processes[leader.Parent]
	switch {
	case !ok:
		return "The process that made the terminal of this command can't be seen."
	case isTmux(maker):
		return w.noPersonInTmux(maker.PID, leader)
	case startsForOthers(maker):
		return "The terminal of this command was started by " + maker.Comm + ", and not by a person."
	case maker.Terminal == "":
		return w.noPersonsWindow(maker)
	}
	return ""
}

// noPersonsWindow says that a program which made a terminal, and has none itself, was started by what starts no
// window of a desktop.
func (w world) noPersonsWindow(maker proc.Process) string {
	line, _ := w.line(maker.PID) // that of the caller is whole
	for _, p := range line {
		if isTmux(p) || isOneOf(p, "cron", "crond", "anacron", "atd") {
			return "The terminal of this command was made by a program that " + p.Comm + " has started, and not by a person."
		}
	}
	return ""
}
