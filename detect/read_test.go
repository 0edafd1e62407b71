package detect

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/reason"
	"nod/internal/testrun"
)

// What a pane shows is the rows of the pane, and what has left its screen is told apart from them, whatever is blank.
func TestShownIsThePaneWithWhatStandsAbove(t *testing.T) {
	server := tmuxtest.New(t)
	w, _ := live(t, server.Socket)
	for _, c := range []struct {
		command, until      string
		last                int
		rows, above         int
		first, firstOfAbove string
	}{
		{"seq 1 100; exec cat", "100", 60, 9, 60, "92", "32"},
		{"seq 1 100; exec cat", "100", 4, 4, 65, "97", "32"},
		{"printf 'one\\ntwo\\n'; exec cat", "two", 60, 2, 0, "one", ""},
		{"exec cat", "", 60, 0, 0, "", ""},
	} {
		pane := server.Pane(c.command, 40, 10)
		server.UntilShows(pane, c.until)
		shown := shownBy(t, w, server.Socket, pane)
		rows, above := shown.Last(c.last)
		if len(rows) != c.rows || len(above) != c.above || c.rows > 0 && rows[0].Text != c.first || c.above > 0 && above[0] != c.firstOfAbove {
			t.Errorf("%q: %d rows %v, above them %d: %q", c.command, len(rows), rows, len(above), above)
		}
		if shown.Columns != 40 {
			t.Errorf("%q: %d columns", c.command, shown.Columns)
		}
	}
}

func shownBy(t *testing.T, w *Watcher, socket, pane string) Capture {
	t.Helper()
	for end := time.Now().Add(tmuxtest.Patience); ; time.Sleep(10 * time.Millisecond) {
		listing, err := tmux.New(socket).List(context.Background())
		if err == nil {
			var shown Capture
			if shown, err = w.Screen(t.Context(), PaneRef{Server: listing.Life, ID: pane}); err == nil {
				return shown
			}
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A sighting has the rows above its tail, for a secret may be wrapped from one into the other.
func TestASightingHasTheRowsAboveItsTail(t *testing.T) {
	p := newAgentPane(nil, tmux.Pane{ID: "%1"}, "claude", proc.ID{PID: 1}, time.Now())
	var lines []string
	for i := range 20 {
		lines = append(lines, strings.Repeat("x", i+1))
	}
	p.takeCapture(tmux.Capture{Text: strings.Join(lines, "\n") + "\n\n\n", Taken: time.Now()}, func(string, screen.Screen) screen.Reading { return screen.Reading{} })
	if !slices.Equal(p.above, lines[:5]) || !slices.Equal(p.tail, lines[5:]) {
		t.Errorf("above is %q, the tail %q", p.above, p.tail)
	}
}

// actorProcess is a process of a tree that a test runs in a pane, and what it starts.
type actorProcess struct {
	Name     string
	Piped    bool // its input is a pipe and its errors are the terminal's, as of an MCP server
	Front    bool // it is started in a process group of its own, in the foreground
	Draws    string
	Waits    bool // for a line, before it does anything
	Children []actorProcess
}

// act is this test's own program as one of these: `NAME JSON`. It returns when its input ends.
func (a actorProcess) act() error {
	if a.Waits {
		var line string
		_, _ = fmt.Scanln(&line)
	}
	for _, child := range a.Children {
		text, err := json.Marshal(child)
		if err != nil {
			return err
		}
		cmd := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), child.Name), string(text))
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if child.Piped {
			cmd.Stdin, cmd.Stdout = nil, nil
			if _, err := cmd.StdinPipe(); err != nil {
				return err
			}
		}
		if child.Front {
			cmd.SysProcAttr = &syscall.SysProcAttr{Foreground: true}
		}
		if err := cmd.Start(); err != nil {
			return err
		}
	}
	if a.Draws != "" {
		fmt.Print(strings.ReplaceAll(a.Draws, "\n", "\r\n"))
	}
	if a.Piped {
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	}
	time.Sleep(time.Minute)
	return nil
}

// actorNames are what the test's own program may be called to act.
var actorNames = []string{"claude", "droid", "acme", "npx", "wrap", "npm", "create", "mcp"}

// actAsProcess acts where the test's own program is one of a tree.
func actAsProcess() bool {
	if !slices.Contains(actorNames, filepath.Base(os.Args[0])) || len(os.Args) != 2 {
		return false
	}
	var a actorProcess
	err := json.Unmarshal([]byte(os.Args[1]), &a)
	if err == nil {
		err = a.act()
	}
	if err != nil {
		fmt.Println(err)
	}
	return true
}

// menuOf is a menu as any program may draw it.
func menuOf(rng *rand.Rand) string {
	return strings.Repeat("─", 79) + "\n Tool call\n\n   " + []string{"rm -rf build", "make install"}[rng.IntN(2)] + "\n\n Run it?\n\n ❯ 1. Yes\n   2. Yes, always\n   3. No\n\n ↑↓ move · enter choose\n"
}

// processTree is a tree of processes in a pane: what starts an agent, the agent, and what it runs.
type processTree struct {
	root    actorProcess
	agent   string // that the pane is said to be, or is found to be
	option  bool   // the pane's option says so
	drawers []string
	foreign bool // another program than the agent draws
}

// growTree draws one by lot.
func growTree(rng *rand.Rand) processTree {
	t := processTree{agent: []string{"claude", "droid", "acme"}[rng.IntN(3)]}
	t.option = t.agent == "acme"
	agent := actorProcess{Name: t.agent, Waits: true}
	for range rng.IntN(3) {
		agent.Children = append(agent.Children, actorProcess{Name: "mcp", Piped: true})
	}
	switch menu := menuOf(rng); rng.IntN(4) {
	case 0:
		agent.Draws = menu
	case 1: // it starts itself again
		agent.Children = append(agent.Children, actorProcess{Name: t.agent, Draws: menu})
	default:
		tool := actorProcess{Name: "npm", Draws: menu}
		t.drawers, t.foreign = []string{"npm"}, true
		if rng.IntN(2) == 0 {
			tool = actorProcess{Name: "npm", Children: []actorProcess{{Name: "create", Draws: menu, Front: rng.IntN(3) == 0}}}
			t.drawers = append(t.drawers, "create")
		}
		tool.Front = rng.IntN(2) == 0
		agent.Children = append(agent.Children, tool)
	}
	t.root = agent
	for range rng.IntN(3) {
		t.root = actorProcess{Name: []string{"npx", "wrap"}[rng.IntN(2)], Children: []actorProcess{t.root}}
	}
	return t
}

// start runs the tree in a pane of its own.
func (p processTree) start(t *testing.T, real *tmuxtest.Server, dir string) string {
	t.Helper()
	text, err := json.Marshal(p.root)
	if err != nil {
		t.Fatal(err)
	}
	pane := real.Pane(fmt.Sprintf("exec '%s' '%s'", filepath.Join(dir, p.root.Name), text), 80, 24)
	if p.option {
		real.Run("set-option", "-p", "-t", pane, tmux.AgentOption, p.agent)
	}
	return pane
}

// TestAnotherProgramsDialogHasNoKeys grows real trees of processes in real panes. What the agent draws, or its name in another process, is its
// own, however it was started and whatever it runs. What a program draws that has the terminal as its input and output, in the agent's process
// group or in one of its own, is told as that program's, without keys.
func TestAnotherProgramsDialogHasNoKeys(t *testing.T) {
	if !testrun.Apart(t) { // it only waits, and for long
		return
	}
	real := tmuxtest.New(t)
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range actorNames {
		if err := os.Symlink(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	_, a := live(t, real.Socket)
	trees, met := map[string]processTree{}, map[string]bool{}
	for range 24 {
		tree := growTree(rng)
		trees[tree.start(t, real, dir)] = tree
	}
	for range len(trees) {
		s := hear(t, a, "an agent", func(s Sighting) bool { return !met[s.Pane.ID] })
		met[s.Pane.ID] = true
		real.Type(s.Pane.ID, "Enter")
	}
	for range len(trees) {
		s := hear(t, a, "a prompt", func(s Sighting) bool { return met[s.Pane.ID] && s.Prompt != nil })
		tree, p := trees[s.Pane.ID], s.Prompt
		delete(met, s.Pane.ID)
		if look, err := tmux.New(real.Socket).Look(t.Context(), s.Pane.ID); err != nil {
			t.Error(err)
		} else if r := ReadPane(look, "", agents.Read); r.Prompt != nil && len(r.Prompt.Approve) > 0 == tree.foreign {
			t.Errorf("%+v: read once, approve %q", tree, r.Prompt.Approve)
		}
		switch {
		case s.Agent != tree.agent:
			t.Errorf("%+v: the pane is %s's", tree, s.Agent)
		case tree.foreign && (s.State != screen.Question || !slices.Contains(tree.drawers, p.Agent) || len(p.Approve)+len(p.Deny) > 0 || !p.AtTerminal || p.Choose(0) != nil || p.Choose(2) != nil):
			t.Errorf("%+v: told as %s's: %s, approve %q, deny %q", tree, p.Agent, s.State, p.Approve, p.Deny)
		case tree.foreign && p.Why != (reason.Why{Kind: reason.OtherProgram, Agent: tree.agent, What: p.Agent}):
			t.Errorf("%+v: %+v", tree, p.Why)
		case !tree.foreign && (s.State != screen.Permission || p.Agent != tree.agent || len(p.Approve) == 0):
			t.Errorf("%+v: told as %s's: %s, approve %q: %+v", tree, p.Agent, s.State, p.Approve, p.Why)
		}
	}
}

// TestOthersAreWhatAnAgentRuns grows trees of processes and asks who of them is neither the agent nor what it was started by.
func TestOthersAreWhatAnAgentRuns(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	for range 300 {
		var front []proc.Process
		var others []int
		add := func(parent int, exe string, args ...string) int {
			pid := 100 + len(front)
			front = append(front, proc.Process{ID: proc.ID{PID: pid, Start: uint64(pid)}, Parent: parent, Exe: exe, Comm: filepath.Base(exe), Args: args})
			return pid
		}
		parent, leader := 1, 0
		for range rng.IntN(4) { // what starts it
			parent = []func() int{
				func() int { return add(parent, "/bin/dash", "sh", "-c", "x") },
				func() int { return add(parent, "/usr/bin/node", "npm exec thing") },
				func() int { return add(parent, "/usr/bin/python3.11", "python3", "/opt/bin/run") },
			}[rng.IntN(3)]()
		}
		name := []string{"claude", "codex", "acme"}[rng.IntN(3)]
		its := map[string][]func(parent int) int{
			"claude": {
				func(p int) int { return add(p, "/usr/bin/node", "claude") },
				func(p int) int { return add(p, "/opt/claude", "claude", "--resume") },
			},
			"codex": {
				func(p int) int {
					return add(p, "/usr/bin/node", "node", "/usr/lib/node_modules/@openai/codex/bin/codex.js")
				},
				func(p int) int { return add(p, "/usr/lib/node_modules/@openai/codex-linux-x64/codex", "codex") },
			},
			"acme": {
				func(p int) int { return add(p, "/usr/bin/python3.11", "python3", "/home/me/.venv/bin/acme") },
				func(p int) int {
					return add(p, "/usr/bin/node", "node", "--max-old-space-size=8000", "/usr/lib/node_modules/acme/cli.js")
				},
				func(p int) int { return add(p, "/opt/acme", "acme", "--yes") },
			},
		}[name]
		own := pickOf(rng, its)(parent)
		if leader = own; rng.IntN(3) == 0 {
			own = pickOf(rng, its)(own) // it has started itself again
		}
		for range rng.IntN(5) { // what it runs
			below := append([]int{own, leader}, others...)
			exe := pickOf(rng, []string{"/usr/bin/node", "/bin/bash", "/usr/bin/git", "/usr/bin/python3.11", "/opt/mcp-server"})
			others = append(others, add(pickOf(rng, below), exe, filepath.Base(exe), pickOf(rng, []string{"init", "/srv/server.js", "claude.md", "--acme"})))
		}
		rng.Shuffle(len(front), func(i, j int) { front[i], front[j] = front[j], front[i] })
		var got []int
		for _, p := range agents.Others(name, proc.ID{PID: leader, Start: uint64(leader)}, front) {
			got = append(got, p.PID)
		}
		slices.Sort(got)
		if !slices.Equal(got, others) {
			t.Fatalf("%s: %v, want %v of %+v", name, got, others, front)
		}
	}
}

func pickOf[T any](rng *rand.Rand, from []T) T { return from[rng.IntN(len(from))] }
