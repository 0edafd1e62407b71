package caller

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
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
