package caller

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

const (
	mark = "CLAUDECODE=1"
	far  = "SSH_CONNECTION=192.0.2.1 4711 192.0.2.2 22" // a person may have come by ssh
)

// TestEachRuleByItself: what makes a caller an agent's, or a person's, if nothing else does.
func TestEachRuleByItself(t *testing.T) {
	const silent = "TMUX=/tmp/s,999,0"
	// typed makes a pane in which a person has just pressed a key, without an environment.
	typed := func(m *machine) (server, pane int) {
		shell := m.personShell()
		server = m.tmuxServer(shell)
		pane = m.pane(server)
		m.attach(server, pane, shell, 0)
		m.env[pane] = nil
		return server, pane
	}
	// popUp makes a pop-up that a person's key has just opened, and a client beside it.
	popUp := func(m *machine, by int) (client, leader int) {
		shell := m.personShell()
		server := m.tmuxServer(shell)
		m.attach(server, m.pane(server), shell, 0)
		leader = m.popUp(server)
		client = m.child(by, "tmux: client")
		m.change(client, func(p *proc.Process) { p.Start = m.processes[leader].Start })
		return client, leader
	}
	for name, c := range map[string]struct {
		want Kind
		of   func(m *machine) (caller int)
	}{
		"what an agent left in its terminal": {Agent, func(m *machine) int {
			_, pane := typed(m)
			m.child(pane, "claude")
			return m.change(m.child(pane, "sh"), func(p *proc.Process) { p.Parent = 1 })
		}},
		"what an agent left in a session whose leader is outside of this container": {Agent, func(m *machine) int {
			outside := func(pid int) int { return m.change(pid, func(p *proc.Process) { p.Session = 0 }) }
			outside(m.child(outside(m.child(1, "sh")), "claude"))
			return m.change(outside(m.child(1, "sh")), func(p *proc.Process) { p.Parent = 1 })
		}},
		"an agent of the desktop, which a person's window is of as well": {Human, func(m *machine) int {
			desktop := m.setsid(m.child(1, "gnome-session"))
			m.child(desktop, "claude")
			return m.inTerminal(m.child(m.child(desktop, "xterm"), "bash"))
		}},
		"beside an agent's program that says its version": {Human, func(m *machine) int {
			_, pane := typed(m)
			m.change(m.child(pane, "claude"), func(p *proc.Process) { p.Args = []string{"claude", "--version"} })
			return m.child(pane, "nod")
		}},
		"below nod": {Unplaced, func(m *machine) int { return m.child(m.child(m.personShell(), "nod"), "sh") }},
		"in a container whose first process is nod": {Human, func(m *machine) int {
			m.change(1, func(p *proc.Process) { p.Comm = "nod" })
			return m.personShell()
		}},
		"its own parent": {Unplaced, func(m *machine) int {
			shell := m.personShell()
			return m.change(m.child(shell, "sh"), func(p *proc.Process) { p.Parent = p.PID })
		}},
		"a tmux server": {Unplaced, func(m *machine) int { return m.tmuxServer(m.personShell()) }},
		"in a pane of a server that an agent started": {Human, func(m *machine) int {
			server, pane := typed(m)
			m.env[server] = []string{mark}
			return pane
		}},
		"in a pane that another server may have as well": {Agent, func(m *machine) int {
			m.watched = []Watched{{Pane: "%4", Agent: "codex"}, {Pane: "%5", Agent: "claude"}}
			shell := m.personShell()
			m.env[shell] = []string{far, "TMUX_PANE=%5"}
			return shell
		}},
		"in a pane that no agent has": {Human, func(m *machine) int {
			m.watched = []Watched{{Pane: "%4", Agent: "codex"}}
			shell := m.personShell()
			m.env[shell] = []string{far, "TMUX_PANE=%5"}
			return shell
		}},
		"of a server that does not answer": {Unplaced, func(m *machine) int {
			shell := m.personShell()
			m.processes[999] = proc.Process{ID: proc.ID{PID: 999}, Parent: 1, Comm: "tmux: server"}
			m.env[shell] = []string{far, silent, "TMUX_PANE=%5"}
			return shell
		}},
		"of a server that does not answer, in no pane of it": {Human, func(m *machine) int {
			shell := m.personShell()
			m.processes[999] = proc.Process{ID: proc.ID{PID: 999}, Parent: 1, Comm: "tmux: server"}
			m.env[shell] = []string{far, silent}
			return shell
		}},
		"at a terminal that tells no time": {Human, func(m *machine) int {
			_, pane := typed(m)
			clear(m.reads)
			return pane
		}},
		"in a pop-up whose terminal tells no time": {Human, func(m *machine) int {
			client, leader := popUp(m, 1)
			delete(m.processes, client)
			clear(m.reads)
			return leader
		}},
		"in a pop-up of an agent's command": {Unplaced, func(m *machine) int {
			_, command := m.agentPane()
			_, leader := popUp(m, command)
			return leader
		}},
		"in a pop-up beside an agent's client": {Unplaced, func(m *machine) int {
			_, command := m.agentPane()
			client, leader := popUp(m, command)
			other := m.tmuxServer(1)
			m.servers[other] = tmux.Listing{Clients: []tmux.Client{{PID: client}}}
			return leader
		}},
		"in a pop-up that an agent's later command did not open": {Human, func(m *machine) int {
			_, command := m.agentPane()
			client, leader := popUp(m, command)
			m.change(client, func(p *proc.Process) { p.Start++ })
			return leader
		}},
		"in a pop-up of anybody's command": {Unplaced, func(m *machine) int {
			_, leader := popUp(m, m.service("x"))
			return leader
		}},
		"in a pop-up beside anybody's client": {Human, func(m *machine) int {
			client, leader := popUp(m, m.service("x"))
			other := m.tmuxServer(1)
			m.servers[other] = tmux.Listing{Clients: []tmux.Client{{PID: client}}}
			return leader
		}},
		"in a pop-up of a person's own command": {Human, func(m *machine) int {
			_, leader := popUp(m, m.personShell())
			return leader
		}},
		"at a client that runs in its own pane": {Unplaced, func(m *machine) int {
			server := m.tmuxServer(m.personShell())
			pane := m.pane(server)
			m.attach(server, pane, pane, 0)
			return pane
		}},
		"what an agent left in its session, without a terminal": {Agent, func(m *machine) int {
			service := m.service("sh")
			m.child(service, "claude")
			return m.change(m.child(service, "sh"), func(p *proc.Process) { p.Parent = 1 })
		}},
		"in a terminal of its own, made by what an agent left": {Agent, func(m *machine) int {
			_, pane := typed(m)
			m.child(pane, "claude")
			left := m.change(m.child(pane, "script"), func(p *proc.Process) { p.Parent = 1 })
			return m.inTerminal(m.child(left, "sh"))
		}},
		"in a pane like one that an agent has on another server": {Human, func(m *machine) int {
			m.watched = []Watched{{Pane: "%5", Agent: "claude"}}
			server := m.tmuxServer(m.personShell())
			shell := m.personShell()
			m.env[shell] = []string{far, fmt.Sprintf("TMUX=/tmp/s,%d,0", server), "TMUX_PANE=%5"}
			return shell
		}},
		"in a pane that is set to be an agent's": {Agent, func(m *machine) int {
			server, _ := typed(m)
			m.servers[server].Panes[0].Agent = "acme"
			shell := m.personShell()
			m.env[shell] = []string{far, fmt.Sprintf("TMUX=/tmp/s,%d,0", server), "TMUX_PANE=%0"}
			return shell
		}},
		"in a pane that nobody watches": {Human, func(m *machine) int {
			server, _ := typed(m)
			m.servers[server].Panes[0].Agent = tmux.Unwatched
			shell := m.personShell()
			m.env[shell] = []string{far, fmt.Sprintf("TMUX=/tmp/s,%d,0", server), "TMUX_PANE=%0"}
			return shell
		}},
		"by ssh, whose own environment names nothing": {Human, func(m *machine) int {
			login := m.child(m.service("sshd"), "sshd-session")
			m.env[login] = []string{"PATH=/bin"}
			shell := m.inTerminal(m.child(login, "bash"))
			m.env[shell] = []string{far}
			return shell
		}},
		"by an ssh that leads back": {Human, func(m *machine) int {
			shell := m.inTerminal(m.child(m.child(m.service("sshd"), "sshd-session"), "bash"))
			m.ssh["a b c d"] = shell
			m.env[shell] = []string{"SSH_CONNECTION=a b c d"}
			return shell
		}},
		"in a pop-up beside nod's client": {Human, func(m *machine) int {
			client, leader := popUp(m, m.service("x"))
			m.change(client, func(p *proc.Process) { p.Parent = os.Getpid() })
			m.processes[os.Getpid()] = proc.Process{ID: proc.ID{PID: os.Getpid()}, Parent: 1}
			return leader
		}},
	} {
		for seed := range uint64(20) {
			m := newMachine(rand.New(rand.NewPCG(seed, 0)))
			if got := m.place(c.of(m)); got.Kind != c.want || (got.Why == "") != (c.want == Human) {
				t.Errorf("%s: %+v\n%s", name, got, m)
				break
			}
		}
	}
}

// TestNobodyComesFromWhatStartsForOthers: what a service manager, cron, the first process or tmux was started with says nothing about
// what they start. A caller that is one of them comes from itself.
func TestNobodyComesFromWhatStartsForOthers(t *testing.T) {
	for _, name := range []string{"systemd", "launchd", "cron", "crond", "anacron", "atd", "tmux", "tmux: server", "tini"} {
		m := newMachine(rand.New(rand.NewPCG(1, 1)))
		starter := m.child(m.child(1, "sh"), name)
		if name == "tini" {
			starter = 1
			m.change(1, func(p *proc.Process) { p.Comm = name })
		}
		line, _ := m.line(m.child(m.child(starter, "bash"), "nod"))
		if near := m.near(line); len(near) != 2 || near[0].Comm != "nod" || near[1].Comm != "bash" {
			t.Errorf("%s has started what comes from %+v", name, near)
		}
		line, _ = m.line(starter)
		if near := m.near(line); len(near) == 0 || near[0].PID != starter {
			t.Errorf("%s comes from %+v", name, near)
		}
	}
}

// TestATmuxIsKnown by the name that it gives itself, or by its file. A client is no server.
func TestATmuxIsKnown(t *testing.T) {
	for _, c := range []struct {
		comm, exe string
		want      bool
	}{
		{"tmux: server", "", true},
		{"tmux: server", "/opt/mux", true},
		{"tmux: client", "/usr/bin/tmux", false},
		{"tmux", "", true},
		{"mux", "/usr/bin/tmux", true},
		{"mux", "/usr/bin/mux", false},
		{"mux", "", false},
	} {
		if got := isTmux(proc.Process{Comm: c.comm, Exe: c.exe}); got != c.want {
			t.Errorf("%q of %q is a tmux server: %t", c.comm, c.exe, got)
		}
	}
	for _, c := range []struct {
		nod, parent int
		want        bool
	}{{7, 7, true}, {7, 8, false}, {1, 1, false}, {2, 2, true}} {
		if got := ofNod(proc.Process{Parent: c.parent}, c.nod); got != c.want {
			t.Errorf("a child of %d is one of nod, %d: %t", c.parent, c.nod, got)
		}
	}
}

// TestWhenAKeyCounts: ten seconds, or one in the future, since tmux tells the second alone. The pop-up that it opens is there within two.
func TestWhenAKeyCounts(t *testing.T) {
	now := time.Unix(1_800_000_000, 0)
	for ago, want := range map[time.Duration]bool{0: true, fresh: true, fresh + 1: false, -time.Second: true, -time.Second - 1: false} {
		if got := (world{now: now}).isFresh(now.Add(-ago)); got != want {
			t.Errorf("a key %s ago counts: %t", ago, got)
		}
	}
	for after, want := range map[time.Duration]bool{-time.Second - 1: false, -time.Second: true, 0: true, atOnce - 1: true, atOnce: false} {
		m := newMachine(rand.New(rand.NewPCG(1, 1)))
		m.starts[7] = now.Add(after)
		if got := m.toPopUp(tmux.Client{Activity: now}, proc.Process{ID: proc.ID{PID: 7}}); got != want {
			t.Errorf("a pop-up %s after a key is the key's: %t", after, got)
		}
	}
}

// TestTheEndsOfAConnection: the process at the client's end, and none where the connection is named otherwise.
func TestTheEndsOfAConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	client, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	connection := strings.NewReplacer(":", " ").Replace(client.LocalAddr().String() + " " + listener.Addr().String())
	if got := sshClients(connection); !slices.Equal(got, []int{os.Getpid()}) {
		t.Errorf("%q is a connection of %d", connection, got)
	}
	words := strings.Fields(connection)
	for i := range words {
		for _, wrong := range []string{"x", ""} {
			changed := slices.Clone(words)
			changed[i] = wrong
			if got := sshClients(strings.Join(changed, " ")); got != nil {
				t.Errorf("%q is a connection of %d", changed, got)
			}
		}
	}
	if got := sshClients(connection + " 22"); got != nil {
		t.Errorf("with one word more it is one of %d", got)
	}
}

// TestWhatIsNotInTheTableIsLookedForAgain: a few times, and then it is nobody.
func TestWhatIsNotInTheTableIsLookedForAgain(t *testing.T) {
	begin := time.Now()
	got := Find(t.Context(), 1<<30, nil, nil)
	if took := time.Since(begin); got.Kind != Unplaced || got.Why != unknownProcess || took < (1+2+3+4+5)*lookPause {
		t.Errorf("after %s: %+v", took, got)
	}
}

// TestWhoIsRefusedReadsWhy: an agent, or whoever can't be told from one.
func TestWhoIsRefusedReadsWhy(t *testing.T) {
	for kind, want := range map[Kind]string{Agent: "It runs. An agent can't approve itself: nothing", Unplaced: "It runs. So nod can't tell it from an agent's: nothing"} {
		if got := (Place{Kind: kind, Why: "It runs."}).Refusal(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
