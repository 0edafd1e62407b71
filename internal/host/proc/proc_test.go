package proc_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// program makes an executable script of that name.
func program(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := testrun.WriteProgram(path, []byte("#!/bin/sh\n"+text)); err != nil {
		t.Fatal(err)
	}
	return path
}

func panePID(t *testing.T, s *tmuxtest.Server, pane string) int {
	t.Helper()
	pid, err := strconv.Atoi(s.Run("display-message", "-p", "-t", pane, "#{pane_pid}"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// until waits until the foreground of pid satisfies ok.
func until(t *testing.T, pid int, ok func([]proc.Process) bool) []proc.Process {
	t.Helper()
	for end := time.Now().Add(tmuxtest.Patience); ; time.Sleep(10 * time.Millisecond) {
		ps, err := proc.Foreground(pid)
		if err == nil && ok(ps) {
			return ps
		}
		if time.Now().After(end) {
			t.Fatalf("the foreground of %d stays %+v, %v", pid, ps, err)
		}
	}
}

func TestForegroundTellsWhoGetsTheKeys(t *testing.T) {
	s := tmuxtest.New(t)
	pane := s.Pane("", 80, 20)
	pid := panePID(t, s, pane)
	alone := until(t, pid, func(ps []proc.Process) bool { return len(ps) == 1 && ps[0].PID == pid })
	if alone[0].Comm != "sh" || !strings.HasPrefix(alone[0].Exe, "/") || len(alone[0].Args) == 0 {
		t.Errorf("the shell is %+v", alone[0])
	}

	agent := program(t, "claude", "cat\n")
	s.Type(pane, agent+" --flag 'two words'", "Enter")
	ps := until(t, pid, func(ps []proc.Process) bool {
		return len(ps) == 2 && ps[0].Comm == "claude" && ps[1].Comm == "cat"
	})
	if !slices.Equal(ps[0].Args, []string{"/bin/sh", agent, "--flag", "two words"}) {
		t.Errorf("the agent is %+v", ps[0])
	}

	s.Type(pane, "C-c")
	until(t, pid, func(ps []proc.Process) bool { return len(ps) == 1 && ps[0].ID == alone[0].ID })
	for end := time.Now().Add(tmuxtest.Patience); proc.Alive(ps[0].ID); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the agent was interrupted and still counts as alive")
		}
	}
}

func TestForegroundHasAnAgentInsideAScript(t *testing.T) {
	s := tmuxtest.New(t)
	agent := program(t, "codex", "cat\n")
	outer := program(t, "start me", "true; sh -c '"+agent+"; true'; true\n")
	pane := s.Pane("", 80, 20)
	pid := panePID(t, s, pane)
	s.Type(pane, "'"+outer+"'", "Enter")
	until(t, pid, func(ps []proc.Process) bool {
		return len(ps) > 2 && slices.ContainsFunc(ps, func(p proc.Process) bool { return p.Comm == "codex" })
	})
}

func TestForegroundLeavesOutTheBackground(t *testing.T) {
	s := tmuxtest.New(t)
	pane := s.Pane("bash --norc -i", 80, 20)
	pid := panePID(t, s, pane)
	s.Type(pane, program(t, "claude", "sleep 100\n")+" &", "Enter")
	s.UntilShows(pane, "[1]")
	until(t, pid, func(ps []proc.Process) bool { return len(ps) == 1 && ps[0].Comm == "bash" })
}

func TestForegroundsOfManyPanes(t *testing.T) {
	s := tmuxtest.New(t)
	a, b := panePID(t, s, s.Pane("cat", 80, 20)), panePID(t, s, s.Pane("sleep 100", 80, 20))
	until(t, a, func(ps []proc.Process) bool { return slices.ContainsFunc(ps, comm("cat")) })
	until(t, b, func(ps []proc.Process) bool { return slices.ContainsFunc(ps, comm("sleep")) })
	all, err := proc.Foregrounds([]int{a, b, 1 << 30})
	if err != nil || len(all) != 2 || !slices.ContainsFunc(all[a], comm("cat")) || !slices.ContainsFunc(all[b], comm("sleep")) {
		t.Errorf("%+v, %v", all, err)
	}
}

func comm(name string) func(proc.Process) bool {
	return func(p proc.Process) bool { return p.Comm == name }
}

func TestForegroundOfNoTerminalIsAnError(t *testing.T) {
	cmd := exec.Command("setsid", "sleep", "100")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cmd.Wait() }()
	defer func() { _ = cmd.Process.Kill() }()
	for range 500 {
		if _, err := proc.Foreground(cmd.Process.Pid); err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if ps, err := proc.Foreground(cmd.Process.Pid); err == nil {
		t.Errorf("a process without a terminal has the foreground %+v", ps)
	}
	if ps, err := proc.Foreground(1 << 30); err == nil {
		t.Errorf("no process has the foreground %+v", ps)
	}
}

func TestAliveKnowsAUsedPIDAgain(t *testing.T) {
	id, err := proc.Of(os.Getpid())
	if err != nil || !proc.Alive(id) {
		t.Errorf("this test is %v, %v, and not alive", id, err)
	}
	id.Start++
	if proc.Alive(id) {
		t.Error("another process with the same pid passes for this one")
	}
	dead := exec.Command("true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	gone, err := proc.Of(dead.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(tmuxtest.Patience); proc.Alive(gone); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("a zombie counts as alive")
		}
	}
	_ = dead.Wait()
}

func TestAwaitEndsWithTheProcess(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	id, err := proc.Of(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan bool, 1)
	go func() {
		proc.Await(t.Context(), id)
		ended <- true
	}()
	stop()
	proc.Await(ctx, id) // the process goes on, and nobody waits
	select {
	case <-ended:
		t.Error("it has not ended yet")
	default:
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended        // even if nobody has waited for it yet
	_ = cmd.Wait() // it was killed
	proc.Await(t.Context(), id)
}

func TestLineageDescribesTheAncestors(t *testing.T) {
	line, err := proc.Lineage(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if line[0].PID != os.Getpid() || line[1].PID != os.Getppid() {
		t.Errorf("line %v, want one that begins with %d, %d", line, os.Getpid(), os.Getppid())
	}
	group, err := syscall.Getpgid(os.Getpid())
	if err != nil || line[0].Group != group || len(line[0].Args) == 0 || line[0].Exe == "" {
		t.Errorf("this test is %+v, of group %d, %v", line[0], group, err)
	}
	if _, err := proc.Lineage(1 << 30); err == nil {
		t.Error("no process has a lineage")
	}
}

// TestAllTellsWhereProcessesRun: it has the session, terminal, parent and environment of a real process.
func TestAllTellsWhereProcessesRun(t *testing.T) {
	s := tmuxtest.New(t)
	pid := panePID(t, s, s.Pane("exec env MARK=here sh -c 'sleep 1000; true'", 80, 20))
	tty := strings.TrimPrefix(s.Run("list-panes", "-a", "-F", "#{pane_tty}"), "/dev/")
	ps := until(t, pid, func(ps []proc.Process) bool { return slices.ContainsFunc(ps, comm("sleep")) })
	all, err := proc.All()
	if err != nil {
		t.Fatal(err)
	}
	shell, sleep, server := all[pid], all[ps[1].PID], all[s.PID()]
	if shell.Parent != server.PID || shell.Session != pid || shell.Terminal != tty || !shell.Pseudo() {
		t.Errorf("the shell in %s is %+v", tty, shell)
	}
	if sleep.Parent != pid || sleep.Session != pid || sleep.Terminal != tty || sleep.Comm != "sleep" {
		t.Errorf("its child is %+v", sleep)
	}
	if server.Terminal != "" || server.Pseudo() || server.Session != server.PID {
		t.Errorf("the server is %+v", server)
	}
	environment, err := proc.Environment(sleep.PID)
	if err != nil || !slices.Contains(environment, "MARK=here") {
		t.Errorf("%q, %v", environment, err)
	}
	if _, err := proc.Environment(1 << 30); err == nil {
		t.Error("no process has an environment")
	}
}

func TestBootIDIsOneWord(t *testing.T) {
	id, err := proc.BootID()
	if err != nil || len(strings.Fields(id)) != 1 || len(id) < 16 {
		t.Errorf("%q, %v", id, err)
	}
}

func BenchmarkForegrounds(b *testing.B) {
	for b.Loop() {
		if _, err := proc.Foregrounds([]int{os.Getpid()}); err != nil {
			b.Fatal(err)
		}
	}
	all, _ := filepath.Glob("/proc/[0-9]*")
	b.ReportMetric(float64(len(all)), "processes")
}

// TestWhoConversesInATerminal: a process converses if the terminal is its input and its output, or if it
// opens the terminal itself. It does not if it only prints there, only inherits its input, or has only pipes.
func TestWhoConversesInATerminal(t *testing.T) {
	s := tmuxtest.New(t)
	for how, want := range map[string]bool{
		"":                              true,
		">/dev/null":                    true, // it draws on standard error
		"</dev/null":                    false,
		">/dev/null 2>&1":               false,
		"</dev/null >/dev/null":         false,
		"3</dev/tty </dev/null >&2":     true,
		"</dev/null >/dev/null 2>&1":    false,
		"3<>/dev/tty <&- >&- 2>&-":      true,
		"7<`tty` </dev/null >/dev/null": true,
	} {
		pid := panePID(t, s, s.Pane("sleep 100 "+how+"; true", 80, 20)) // the shell keeps the terminal open
		ps := until(t, pid, func(ps []proc.Process) bool { return slices.ContainsFunc(ps, comm("sleep")) })
		if got := ps[slices.IndexFunc(ps, comm("sleep"))].Converses(); got != want {
			t.Errorf("%q: %v, want %v", how, got, want)
		}
	}
}

func TestAProgramsName(t *testing.T) {
	for want, p := range map[string]proc.Process{
		"npm":    {Exe: "/usr/bin/node", Comm: "npm init", Args: []string{"npm init", "", ""}},
		"server": {Exe: "/usr/bin/node", Comm: "node", Args: []string{"node", "--inspect", "/srv/server.js"}},
		"pip":    {Exe: "/usr/bin/python3.11", Comm: "python3", Args: []string{"python3", "-m", "pip"}},
		"bash":   {Exe: "/usr/bin/bash", Comm: "bash", Args: []string{"-bash"}},
		"vim":    {Comm: "vim"},
		"git":    {Exe: "/usr/bin/git", Comm: "git", Args: []string{"/usr/bin/git", "push"}},
	} {
		if got := p.Name(); got != want {
			t.Errorf("%+v is called %q, want %q", p, got, want)
		}
	}
}
