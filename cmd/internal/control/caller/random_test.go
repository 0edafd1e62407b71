package caller

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

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

// TestAKeyInAnAgentsPaneProvesNobody: somebody has named the agent of a pane that nod does not know, and speaks with it there.
func TestAKeyInAnAgentsPaneProvesNobody(t *testing.T) {
	eachRound(t, func(m *machine) {
		shell := m.personShell()
		server := m.tmuxServer(shell)
		pane := m.pane(server)
		m.attach(server, pane, shell, 0)
		name, want := pick(m.Rand, "acme", "", tmux.Unwatched), Human
		if name == "acme" {
			want = Unplaced
		}
		m.servers[server].Panes[0].Agent = name
		caller := m.child(m.child(pane, "acme"), "nod")
		m.env[caller], m.env[m.processes[caller].Parent], m.env[pane] = nil, nil, nil // else the environment names the pane
		if got := m.place(caller); got.Kind != want {
			t.Errorf("%+v, want %s: the pane is that of %q", got, want, name)
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

// TestALoginThatHidesWhereItCameFromIsNoPerson: sshd names the connection to each command that it starts. Another user's environment
// can't be read.
func TestALoginThatHidesWhereItCameFromIsNoPerson(t *testing.T) {
	eachRound(t, func(m *machine) {
		shell := m.setsid(m.child(m.child(m.service("sshd"), pick(m.Rand, "sshd", "sshd-session")), "bash"))
		if m.IntN(2) == 0 {
			m.inTerminal(shell)
		}
		want := Human
		switch m.IntN(3) {
		case 0:
			m.env[shell] = []string{"SSH_CONNECTION=192.0.2.1 4711 192.0.2.2 22"}
		case 1:
			m.env[shell], want = [][]string{{""}, {"HOME=/home/ann"}}[m.IntN(2)], Unplaced
		}
		if got := m.place(m.child(shell, "nod")); got.Kind != want {
			t.Errorf("%+v, want %s: %q", got, want, m.env[shell])
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
