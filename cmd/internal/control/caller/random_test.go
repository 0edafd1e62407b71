package caller

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// machine is an invented process table to which processes are added.
type machine struct {
	*rand.Rand
	world
	env      map[int][]string
	servers  map[int]tmux.Listing
	reads    map[string]time.Time // by terminal
	starts   map[int]time.Time
	ssh      map[string]int // the clients, by their connections
	terminal int
	story    []string
}

func newMachine(r *rand.Rand) *machine {
	m := &machine{Rand: r, env: map[int][]string{}, servers: map[int]tmux.Listing{}, reads: map[string]time.Time{}, starts: map[int]time.Time{}, ssh: map[string]int{}}
	m.world = world{
		processes:   map[int]proc.Process{},
		environment: func(pid int) []string { return m.env[pid] },
		server:      func(pid int) (tmux.Listing, bool) { l, ok := m.servers[pid]; return l, ok },
		read: func(terminal string) (time.Time, error) {
			at, ok := m.reads[terminal]
			return at, map[bool]error{false: errors.ErrUnsupported}[ok]
		},
		started:  func(id proc.ID) time.Time { return m.starts[id.PID] },
		followed: map[string][]Place{},
		clients: func(connection string) (pids []int) {
			if pid := m.ssh[connection]; pid > 0 {
				pids = append(pids, pid)
			}
			return pids
		},
		now: time.Unix(1_800_000_000, 0),
	}
	m.processes[1] = proc.Process{ID: proc.ID{PID: 1}, Session: 1, Comm: pick(r, "systemd", "init", "tini")}
	return m
}

func pick[T any](r *rand.Rand, from ...T) T { return from[r.IntN(len(from))] }

// child is a process that parent has started.
func (m *machine) child(parent int, comm string) int {
	pid := 1000 + m.IntN(1<<20)
	for m.processes[pid].PID != 0 {
		pid++
	}
	p := m.processes[parent]
	m.processes[pid] = proc.Process{
		ID: proc.ID{PID: pid, Start: uint64(m.IntN(1 << 30))}, Parent: parent, Session: p.Session, Terminal: p.Terminal, Comm: comm, Exe: "/usr/bin/" + comm,
	}
	m.env[pid] = m.env[parent]
	return pid
}

// String draws the table, a process a line.
func (m *machine) String() string {
	var b strings.Builder
	for _, pid := range slices.Sorted(maps.Keys(m.processes)) {
		p := m.processes[pid]
		fmt.Fprintf(&b, "%7d below %7d in %7d %-10s %s %v\n", pid, p.Parent, p.Session, p.Terminal, p.Comm, m.env[pid])
	}
	return b.String()
}

// change edits a process.
func (m *machine) change(pid int, how func(*proc.Process)) int {
	p := m.processes[pid]
	how(&p)
	m.processes[pid] = p
	return pid
}

func (m *machine) setsid(pid int) int {
	return m.change(pid, func(p *proc.Process) { p.Session, p.Terminal = p.PID, "" })
}

// inTerminal makes a process the leader of its own terminal.
func (m *machine) inTerminal(pid int) int {
	m.terminal++
	m.setsid(pid)
	return m.change(pid, func(p *proc.Process) { p.Terminal = fmt.Sprint("pts/", m.terminal) })
}

// orphan makes a process whose parents have ended.
func (m *machine) orphan(pid int) int {
	return m.change(pid, func(p *proc.Process) { p.Parent = m.reaper() })
}

// reaper returns a process that adopts orphans: the first process, a user's service manager, or another
// process that asked for it, in a person's terminal or not.
func (m *machine) reaper() int {
	switch m.IntN(3) {
	case 0:
		return 1
	case 1:
		return m.setsid(m.child(1, "systemd"))
	}
	if m.IntN(2) == 0 {
		return m.service("reaper")
	}
	return m.child(m.personShell(), "reaper")
}

// service makes a daemon with that name.
func (m *machine) service(name string) int { return m.setsid(m.child(1, name)) }

// tmuxServer makes a tmux server started by some process.
func (m *machine) tmuxServer(by int) int {
	server := m.setsid(m.child(by, "tmux: server"))
	m.change(server, func(p *proc.Process) { p.Exe, p.Parent = "/usr/bin/tmux", m.reaper() })
	m.servers[server] = tmux.Listing{Life: tmux.Life{Socket: fmt.Sprint("/tmp/", server), PID: server}}
	return server
}

// pane makes a pane of a server, with a shell in it.
func (m *machine) pane(server int) int {
	shell := m.inTerminal(m.child(server, "bash"))
	l := m.servers[server]
	id := fmt.Sprint("%", len(l.Panes))
	l.Panes = append(l.Panes, tmux.Pane{ID: id, PID: shell})
	m.servers[server] = l
	m.env[shell] = append(without(m.env[shell], "TMUX=", "TMUX_PANE="), fmt.Sprintf("TMUX=%s,%d,0", l.Life.Socket, server), "TMUX_PANE="+id)
	return shell
}

func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(v, name) })
	})
}

// attach attaches a client from a shell to the server's pane with that leader, with a key pressed some time
// ago.
func (m *machine) attach(server, leader, at int, ago time.Duration) {
	l := m.servers[server]
	id := ""
	for _, p := range l.Panes {
		if p.PID == leader {
			id = p.ID
		}
	}
	client := m.child(at, "tmux: client")
	l.Clients = append(l.Clients, tmux.Client{PID: client, Pane: id, Activity: m.now.Add(-ago)})
	m.servers[server] = l
	m.reads[m.processes[client].Terminal] = m.now.Add(-ago)
}

// popUp makes the leader of a pop-up that a tmux server has just opened.
func (m *machine) popUp(server int) int {
	leader := m.inTerminal(m.child(server, "sh"))
	m.starts[leader] = m.now
	return leader
}

// personShell makes a shell at which a person may sit.
func (m *machine) personShell() int {
	window := m.child(m.setsid(m.child(1, "systemd")), "gnome-terminal-")
	if m.IntN(2) == 0 {
		window = m.child(m.setsid(m.child(1, "sshd")), "sshd-session")
	}
	shell := m.inTerminal(m.child(window, pick(m.Rand, "bash", "zsh", "fish")))
	if m.IntN(4) == 0 { // the console
		shell = m.setsid(m.child(m.child(1, "login"), "bash"))
		m.change(shell, func(p *proc.Process) { p.Terminal = "device 4:1" })
	}
	return shell
}

// wrappers are things that an agent, or a person, may put before a command. Each takes a process and returns
// the one that then runs.
var wrappers = map[string]func(m *machine, pid int) int{
	"a child":       func(m *machine, pid int) int { return m.child(pid, pick(m.Rand, "sh", "python3", "make", "xargs")) },
	"in background": func(m *machine, pid int) int { return m.orphan(m.child(pid, "sh")) },
	"double fork":   func(m *machine, pid int) int { return m.orphan(m.child(m.child(pid, "sh"), "sh")) },
	"setsid":        func(m *machine, pid int) int { return m.setsid(m.child(pid, "sh")) },
	"setsid -f":     func(m *machine, pid int) int { return m.orphan(m.setsid(m.child(pid, "sh"))) },
	"nohup":         func(m *machine, pid int) int { return m.child(pid, "sh") },
	"env -i":        func(m *machine, pid int) int { pid = m.child(pid, "sh"); m.env[pid] = nil; return pid },
	"su":            func(m *machine, pid int) int { pid = m.child(m.child(pid, "su"), "bash"); m.env[pid] = nil; return pid },
	"sudo": func(m *machine, pid int) int { // makes a terminal if it has one (sudoers(5), use_pty)
		sudo := m.child(pid, "sudo")
		if pid = m.child(sudo, "sudo"); m.processes[sudo].Terminal != "" {
			m.inTerminal(pid)
		}
		m.env[pid] = nil
		return m.child(pid, "sh")
	},
	"at": func(m *machine, pid int) int { // keeps the environment
		job := m.setsid(m.child(m.service(pick(m.Rand, "atd", "atd")), "sh"))
		m.env[job] = m.env[pid]
		return job
	},
	"cron":              func(m *machine, _ int) int { return m.setsid(m.child(m.service(pick(m.Rand, "cron", "crond")), "sh")) },
	"systemd-run":       func(m *machine, _ int) int { return m.setsid(m.child(m.service("systemd"), "sh")) },
	"systemd-run --pty": func(m *machine, _ int) int { return m.inTerminal(m.child(m.service("systemd"), "sh")) },
	"run-shell":         func(m *machine, pid int) int { return m.setsid(m.child(m.serverOf(pid), "sh")) },
	"display-popup": func(m *machine, pid int) int { // its client waits
		client, leader := m.child(pid, "tmux: client"), m.popUp(m.serverOf(pid))
		m.change(client, func(p *proc.Process) { p.Start = m.processes[leader].Start })
		return leader
	},
	"new-window":     func(m *machine, pid int) int { return m.pane(m.serverOf(pid)) },
	"another server": func(m *machine, pid int) int { return m.pane(m.tmuxServer(pid)) },
	"tmux -D": func(m *machine, pid int) int { // a server that stays below its starter
		server := m.tmuxServer(pid)
		m.change(server, func(p *proc.Process) { p.Parent = pid })
		return m.pane(server)
	},
	"ssh": func(m *machine, pid int) int { // to this machine itself
		client, shell := m.child(pid, "ssh"), m.child(m.child(m.service("sshd"), pick(m.Rand, "sshd", "sshd-session")), "bash")
		if m.setsid(shell); m.IntN(2) == 0 {
			m.inTerminal(shell)
		}
		connection := fmt.Sprintf("127.0.0.1 %d 127.0.0.1 22", client)
		m.ssh[connection] = client
		m.env[shell] = []string{"SSH_CONNECTION=" + connection}
		return shell
	},
}

// serverOf returns a running tmux server, or a new one.
func (m *machine) serverOf(pid int) int {
	for server := range m.servers {
		return server
	}
	return m.tmuxServer(pid)
}

// wrap puts up to five of the named wrappers before a command.
func (m *machine) wrap(pid int, names []string) int {
	for range m.IntN(6) {
		name := names[m.IntN(len(names))]
		m.story = append(m.story, name)
		pid = wrappers[name](m, pid)
	}
	return m.child(pid, "nod")
}

func names() (all []string) {
	for name := range wrappers {
		if name != "ssh" { // what leaves its parents and environment before it is found by nothing
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

const rounds = 300

func eachRound(t *testing.T, try func(m *machine)) {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for round := range rounds {
		m := newMachine(rand.New(rand.NewPCG(seed, uint64(round))))
		try(m)
		if t.Failed() {
			t.Fatalf("round %d: %q\n%s", round, m.story, m)
		}
	}
}

// agentPane makes a pane, at which a person may just have pressed a key, and a process that an agent in it
// runs: with or without the agent's mark, in its own session or not.
func (m *machine) agentPane() (pane, command int) {
	pane = m.pane(m.tmuxServer(m.personShell()))
	agent := m.child(pane, "claude")
	command = m.child(agent, "sh")
	if m.IntN(2) == 0 {
		m.setsid(command)
	}
	if m.IntN(2) == 0 {
		m.env[command] = append(slices.Clone(m.env[command]), "CLAUDECODE=1")
	}
	return pane, command
}

// TestNoWayFromAnAgentIsAPersons: whatever chain of wrappers an agent, watched or not, puts before nod, the
// call is never a person's. A person may be typing at that moment, but only at the agent's own pane.
func TestNoWayFromAnAgentIsAPersons(t *testing.T) {
	eachRound(t, func(m *machine) {
		pane, command := m.agentPane()
		ways := names()
		ago := time.Duration(m.IntN(30)) * time.Second
		m.attach(m.processes[pane].Parent, pane, m.personShell(), ago)
		// A client that the agent attaches itself does not belong to a person.
		for server := range m.servers {
			if m.IntN(2) == 0 {
				m.attach(server, 0, command, 0)
			}
		}
		caller := m.wrap(command, ways)
		if got := m.place(caller); got.Kind == Human || got.Why == "" {
			t.Errorf("%+v", got)
		}
	})
}

// TestTheAgentsOfACallerAreKnown: if processes lead to an agent, it is named, so that it may answer for
// others but never for itself.
func TestTheAgentsOfACallerAreKnown(t *testing.T) {
	eachRound(t, func(m *machine) {
		pane, command := m.agentPane()
		agent := m.processes[m.processes[command].Parent]
		if m.IntN(2) == 0 { // an unknown agent
			m.change(agent.PID, func(p *proc.Process) { p.Comm, p.Exe = "acme", "/usr/bin/acme" })
			m.watched = []Watched{{Process: agent.ID, Agent: "acme"}}
		}
		ways := []string{"a child", "setsid", "nohup", "tmux -D", "ssh"}
		if m.IntN(2) == 0 {
			ways = []string{"a child", "in background", "double fork", "setsid -f"} // these keep the pane in the environment
		}
		got := m.place(m.wrap(command, ways))
		if got.Kind != Agent || !slices.Contains(got.Agents, agent.ID) {
			t.Errorf("%+v, want process %d, in pane %d", got, agent.PID, pane)
		}
	})
}

// TestAPersonIsKnown in a terminal without agents, even through things that people put before a command, and
// in a tmux pane for ten seconds after a key.
func TestAPersonIsKnown(t *testing.T) {
	eachRound(t, func(m *machine) {
		m.agentPane() // somewhere else
		shell, ago := m.personShell(), time.Duration(0)
		for range m.IntN(3) { // tmux, perhaps within tmux
			server := m.tmuxServer(shell)
			pane := m.pane(server)
			ago = time.Duration(m.IntN(20)) * time.Second
			m.attach(server, pane, shell, ago)
			shell = pane
			if ago > fresh {
				break
			}
		}
		if ago <= fresh && m.IntN(4) == 0 { // a command run over ssh
			shell = m.setsid(m.child(m.service("sshd-session"), "bash"))
		}
		ways := []string{"a child", "in background", "double fork", "nohup", "env -i", "su", "sudo"}
		if ago <= fresh {
			ways = append(ways, "ssh")
		}
		got := m.place(m.wrap(shell, ways))
		if want := map[bool]Kind{true: Human, false: Unplaced}[ago <= fresh]; got.Kind != want {
			t.Errorf("%+v, a key %s ago, want %s", got, ago, want)
		}
	})
}

// TestAKeyInAnotherPaneProvesNobodyInANewOne: `tmux split-window`, of an agent, shows a person a new pane, perhaps
// just after a key.
func TestAKeyInAnotherPaneProvesNobodyInANewOne(t *testing.T) {
	eachRound(t, func(m *machine) {
		shell := m.personShell()
		server := m.tmuxServer(shell)
		pane := m.pane(server)
		pressed, made := time.Duration(m.IntN(10))*time.Second, time.Duration(m.IntN(10_000))*time.Millisecond
		m.attach(server, pane, shell, pressed)
		m.starts[pane] = m.now.Add(-made)
		want := Human
		if m.starts[pane].Truncate(time.Second).After(m.now.Add(-pressed)) {
			want = Unplaced
		}
		if got := m.place(m.child(pane, "nod")); got.Kind != want {
			t.Errorf("%+v, a key %s ago in a pane made %s ago, want %s", got, pressed, made, want)
		}
	})
}

// TestAPersonsPopUp: a person who has opened a pop-up with a key is known in it for ten seconds after each
// key there, however long it is open. The client's last activity is the key that opened it: a client with
// later activity shows no pop-up, and a pop-up that no key has opened is not a person's.
func TestAPersonsPopUp(t *testing.T) {
	eachRound(t, func(m *machine) {
		m.agentPane() // somewhere else
		shell := m.personShell()
		server := m.tmuxServer(shell)
		opened, key := time.Duration(m.IntN(600))*time.Second, time.Duration(m.IntN(20))*time.Second
		m.attach(server, m.pane(server), shell, opened+time.Duration(m.IntN(2000))*time.Millisecond)
		m.reads[m.processes[shell].Terminal] = m.now.Add(-key)
		leader := m.popUp(server)
		off := pick[time.Duration](m.Rand, 0, 0, -1, 1) * 4 * time.Second
		m.starts[leader] = m.now.Add(off - opened)
		want := Unplaced
		if key <= fresh && off == 0 {
			want = Human
		}
		if got := m.place(m.child(leader, "nod")); got.Kind != want {
			t.Errorf("%+v, want %s: opened %s ago, %s from the last activity, a key %s ago", got, want, opened, off, key)
		}
	})
}

// TestAKeyThatNoTerminalSentProvesNobody: `send-keys -K` counts as activity of a person's client, in its pane
// or in its pop-up.
func TestAKeyThatNoTerminalSentProvesNobody(t *testing.T) {
	eachRound(t, func(m *machine) {
		shell := m.personShell()
		server := m.tmuxServer(shell)
		pane := m.pane(server)
		m.attach(server, pane, shell, 0)
		at := pick(m.Rand, pane, m.popUp(server))
		m.reads[m.processes[shell].Terminal] = m.now.Add(-fresh - time.Second - time.Duration(m.IntN(1<<20))*time.Second)
		if got := m.place(m.child(at, "nod")); got.Kind != Unplaced {
			t.Errorf("%+v", got)
		}
	})
}

// TestATunnelOfSSHIsNoPerson: ssh passes on what anybody calls at its other end, from a person's terminal (`ssh -R`)
// and to this machine (`ssh -L`).
func TestATunnelOfSSHIsNoPerson(t *testing.T) {
	eachRound(t, func(m *machine) {
		tunnel := m.child(m.personShell(), "ssh")
		if m.IntN(2) == 0 {
			tunnel = m.child(m.service("sshd"), pick(m.Rand, "sshd", "sshd-session"))
			if m.IntN(2) == 0 { // sshd serves a user by a process of their own
				m.setsid(tunnel)
				tunnel = m.child(tunnel, "sshd")
			}
		}
		if got := m.place(tunnel); got.Kind != Unplaced || !got.Unattended {
			t.Errorf("%+v", got)
		}
	})
}

// TestWhoCantBePlacedIsNoPerson: an unknown process, or one whose parents can't all be seen.
func TestWhoCantBePlacedIsNoPerson(t *testing.T) {
	eachRound(t, func(m *machine) {
		caller := m.wrap(m.personShell(), []string{"a child", "nohup", "env -i"})
		line, _ := m.line(caller)
		gone := line[m.IntN(len(line))].PID
		delete(m.processes, gone)
		for _, pid := range []int{caller, 0, -1, 1 << 30} {
			if got := m.place(pid); got.Kind != Unplaced || got.Why == "" {
				t.Errorf("%d, without %d: %+v", pid, gone, got)
			}
		}
	})
}

// TestAKeyFromTheFutureProvesNobody: after the clock was set back, the last key is in the future, and its age
// is unknown.
func TestAKeyFromTheFutureProvesNobody(t *testing.T) {
	eachRound(t, func(m *machine) {
		server := m.tmuxServer(m.personShell())
		pane := m.pane(server)
		m.attach(server, pane, m.personShell(), -2*time.Second-time.Duration(m.IntN(1<<20))*time.Second)
		if got := m.place(m.wrap(pane, []string{"a child", "nohup"})); got.Kind == Human {
			t.Errorf("%+v", got)
		}
	})
}
