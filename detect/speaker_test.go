package detect

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/deploy"
	"nod/detect/agents"
	"nod/internal/host/proc"
	"nod/internal/testrun"
)

// TestMain lets copies of the test's own program be other programs, told by the name of their file: nod, which sends
// an event, and node, which runs a command as npm runs a package's script.
func TestMain(m *testing.M) {
	if actAsProcess() {
		return
	}
	program, err := os.Executable()
	if err != nil {
		panic(err)
	}
	switch filepath.Base(program) {
	case "nod":
		if len(os.Args) > 1 && os.Args[1] == "hook" {
			sendHook()
			return
		}
		time.Sleep(time.Minute)
	case "node":
		switch {
		case os.Args[0] == "nod": // a program that calls itself so
			sendHook()
		case os.Args[0] == "sh":
			run(exec.Command(os.Getenv("NOD_TEST_NOD"), "hook", "claude"))
		case os.Args[1] == "as":
			if err := syscall.Exec(program, os.Args[2:], os.Environ()); err != nil {
				panic(err)
			}
		default:
			run(exec.Command("sh", "-c", os.Args[1]))
		}
	default:
		if slices.Contains(os.Args, "run") { // a nod by another name
			time.Sleep(time.Minute)
		}
		testrun.AtOnce(12)
		os.Exit(m.Run())
	}
}

func run(cmd *exec.Cmd) {
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		panic(err)
	}
}

// sendHook tells the test which process it is, and stays until the test has looked.
func sendHook() {
	conn, err := net.Dial("unix", os.Getenv("NOD_TEST_SOCKET"))
	if err != nil {
		panic(err)
	}
	fmt.Fprintln(conn, os.Getpid())
	_, _ = io.Copy(io.Discard, conn)
}

// copies puts the test's own program into a folder under some names.
func copies(t *testing.T, dir string, names ...string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := testrun.WriteProgram(filepath.Join(dir, name), text); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOnlyTheAgentsOwnHookSpeaksForIt runs real processes below one that is named claude.
func TestOnlyTheAgentsOwnHookSpeaksForIt(t *testing.T) {
	dir := t.TempDir()
	copies(t, dir, "nod", "node")
	copies(t, filepath.Join(dir, "it's here"), "nod")
	script := func(name, text string) {
		if err := testrun.WriteProgram(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n:\n")); err != nil {
			t.Fatal(err)
		}
	}
	script("claude", `eval "$1"`) // runs what it is given, as an agent runs hooks and tools
	script("build.sh", "nod hook claude")
	script("exec.sh", "exec nod hook claude")
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	t.Setenv("GORACE", "atexit_sleep_ms=0") // or each of its processes lives for a second more
	t.Setenv("NOD_TEST_NOD", filepath.Join(dir, "nod"))
	socket := filepath.Join(dir, "s")
	t.Setenv("NOD_TEST_SOCKET", socket)
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()

	quoted := `'` + strings.ReplaceAll(filepath.Join(dir, "it's here", "nod"), `'`, `'\''`) + `'`
	for name, tt := range map[string]struct {
		runs string // by the agent
		want speakerRole
	}{
		"nod itself":                       {"nod hook claude", ownAgent},
		"a shell":                          {"sh -c 'nod hook claude'", ownAgent},
		"a shell that becomes nod":         {"sh -c 'exec nod hook claude'", ownAgent},
		"a login shell":                    {"sh -lc '" + dir + "/nod hook claude'", ownAgent},
		"a shell, and a path with blanks":  {`sh -c "` + quoted + ` hook claude"`, ownAgent},
		"the agent's second process":       {`claude "sh -c 'nod hook claude'"`, ownAgent},
		"a script":                         {"build.sh", belowAgent},
		"a shell that runs a script":       {"sh -c build.sh", belowAgent},
		"a script that becomes nod":        {"sh -c 'exec.sh; true'", belowAgent},
		"a shell that runs more":           {"sh -c 'nod hook claude; true'", belowAgent},
		"a shell that runs more first":     {"sh -c 'true && nod hook claude; true'", belowAgent},
		"a shell that pipes":               {"sh -c 'echo | nod hook claude; true'", belowAgent},
		"a shell that reads its commands":  {"echo 'nod hook claude; true' | sh -s hook claude", belowAgent},
		"a package's script":               {"node 'nod hook claude; true'", belowAgent},
		"a package's script that is alike": {"node 'nod hook claude'", belowAgent},
		"a program that calls itself sh":   {"node as sh -c 'nod hook claude'", belowAgent},
		"a program that calls itself nod":  {"node as nod hook claude", belowAgent},
		"an agent in a group of its own":   {`setsid claude "nod hook claude"`, nestedAgent},
		"an agent in a shell":              {`sh -c 'claude "nod hook claude"; true'`, nestedAgent},
	} {
		t.Run(name, func(t *testing.T) {
			agent := exec.Command(filepath.Join(dir, "claude"), tt.runs)
			agent.Stderr = t.Output()
			agent.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			if err := agent.Start(); err != nil {
				t.Fatal(err)
			}
			defer func() { _ = agent.Wait() }()
			own, err := proc.Of(agent.Process.Pid)
			if err != nil {
				t.Fatal(err)
			}
			conn, err := listener.Accept()
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(line))
			if err != nil {
				t.Fatal(err)
			}
			lineage, err := proc.Lineage(pid)
			if err != nil {
				t.Fatal(err)
			}
			if got := SenderOf(lineage).speaker("claude", own); got.role != tt.want {
				t.Errorf("the speaker is %+v, want %v", got, tt.want)
				for _, p := range lineage {
					t.Logf("%+v", p)
				}
			}
		})
	}
}

// process is one in a made-up line of ancestors.
func process(pid, group int, name string, args ...string) proc.Process {
	return proc.Process{ID: proc.ID{PID: pid}, Group: group, Comm: name, Exe: "/usr/bin/" + name, Args: append([]string{name}, args...)}
}

func TestSender(t *testing.T) {
	agent, nod, shell := process(10, 10, "claude"), process(100, 10, "nod", "hook", "claude"), process(99, 10, "sh", "-c", "nod hook claude")
	for name, tt := range map[string]struct {
		line    []proc.Process
		role    speakerRole
		process int
		depth   int
	}{
		"a hook":                   {[]proc.Process{nod, shell, agent, process(1, 1, "systemd")}, ownAgent, 10, 0},
		"without a shell":          {[]proc.Process{nod, agent}, ownAgent, 10, 0},
		"the agent itself":         {[]proc.Process{agent}, ownAgent, 10, 0},
		"through a wrapper":        {[]proc.Process{nod, shell, process(11, 10, "claude"), agent}, ownAgent, 11, 1},
		"an agent in a shell":      {[]proc.Process{nod, shell, process(12, 12, "claude"), process(11, 11, "bash", "-c", "x"), agent}, nestedAgent, 0, 0},
		"one in the same group":    {[]proc.Process{nod, shell, process(12, 10, "claude"), process(11, 10, "bash", "-c", "x"), agent}, nestedAgent, 0, 0},
		"one that bash became":     {[]proc.Process{nod, shell, process(12, 12, "claude"), agent}, nestedAgent, 0, 0},
		"another kind of agent":    {[]proc.Process{nod, shell, process(12, 10, "codex"), agent}, nestedAgent, 0, 0},
		"another pane's":           {[]proc.Process{nod, shell, process(20, 20, "claude"), process(1, 1, "systemd")}, unknownSpeaker, 0, 0},
		"nobody's":                 {nil, unknownSpeaker, 0, 0},
		"a shell the agent opened": {[]proc.Process{process(98, 98, "bash"), agent}, belowAgent, 0, 0},
		"curl":                     {[]proc.Process{process(98, 98, "curl", "--unix-socket", "nod.sock"), agent}, belowAgent, 0, 0},
		"in a tool's script":       {[]proc.Process{nod, process(98, 98, "bash", "-c", "make"), agent}, belowAgent, 0, 0},
		"a program without a name": {[]proc.Process{{ID: proc.ID{PID: 98}, Args: []string{"nod", "hook", "claude"}}, agent}, belowAgent, 0, 0},
	} {
		got := SenderOf(tt.line).speaker("claude", agent.ID)
		if got.role != tt.role || got.process.PID != tt.process || got.depth != tt.depth {
			t.Errorf("%s: %+v, want %v, %d, %d", name, got, tt.role, tt.process, tt.depth)
		}
	}
}

func TestHookCommands(t *testing.T) {
	for command, want := range map[string]bool{
		"nod hook claude":               true,
		"exec nod hook kilo":            true,
		"/usr/local/bin/nod hook codex": true,
		"'/home/a b/nod' hook claude":   true,
		`'/it'\''s/nod' hook claude`:    true,
		"":                              false,
		"nod hook":                      false,
		"nod hook claude ":              false,
		"nod hook Claude":               false,
		"nod hook claude x":             false,
		"nod hook claude\n":             false,
		"nod hook claude;":              false,
		"nod hook claude <x":            false,
		"nod hook $(rm x)":              false,
		"a=b nod hook claude":           false,
		"env nod hook claude":           false,
		"x nod hook claude":             false,
		"notnod hook claude":            false,
		"nod send hook claude":          false,
		"'nod' 'x' hook claude":         false,
		"'/a/nod'x hook claude":         false,
		"`x`/nod hook claude":           false,
		"$HOME/nod hook claude":         false,
		"~/nod hook claude":             false,
		"exec exec nod hook claude":     false,
	} {
		if got := isHookCommand(command); got != want {
			t.Errorf("%q: %v, want %v", command, got, want)
		}
	}
	for _, tt := range []struct {
		args []string
		want bool
	}{
		{[]string{"sh", "-c", "nod hook claude"}, true},
		{[]string{"/bin/bash", "-lc", "nod hook claude"}, true},
		{[]string{"bash", "--norc", "--noprofile", "-c", "nod hook claude"}, true},
		{[]string{"bash", "-c", "-l", "nod hook claude"}, true},
		{[]string{"sh", "-c", "nod", "hook", "claude"}, true}, // ps tells words alone
		{[]string{"sh", "nod hook claude"}, false},
		{[]string{"sh", "-c"}, false},
		{[]string{"sh"}, false},
		{nil, false},
		{[]string{"sh", "-c", "nod hook claude", "more"}, false},
		{[]string{"bash", "--rcfile", "x", "-ic", "nod hook claude"}, false},
		{[]string{"bash", "-o", "x", "-c", "nod hook claude"}, false},
		{[]string{"sh", "-s", "nod hook claude"}, false},
	} {
		if got := startsHook(proc.Process{Exe: "/usr/bin/dash", Args: tt.args}); got != tt.want {
			t.Errorf("%q: %v, want %v", tt.args, got, tt.want)
		}
	}
	for name, want := range map[string]bool{"sh": true, "-ash": true, "env": false, "/bin/busybox": false} {
		if got := startsHook(proc.Process{Exe: "/bin/busybox", Args: []string{name, "-c", "nod hook claude"}}); got != want {
			t.Errorf("busybox as %s: %v, want %v", name, got, want)
		}
	}
}

// TestWhatIsInstalledSpeaksForTheAgent reads the commands that `nod hooks install` writes.
func TestWhatIsInstalledSpeaksForTheAgent(t *testing.T) {
	written := regexp.MustCompile(`"((?:exec )?[^"]*nod'? hook [a-z]+)"`)
	for _, program := range []string{"/usr/local/bin/nod", "/home/it's me/bin/nod"} {
		for _, agent := range agents.Hooked() {
			hook, ok := deploy.HookFor(agent, deploy.Place{
				Home: t.TempDir(), Getenv: func(string) string { return "" }, Readers: func(string) []deploy.Reader { return []deploy.Reader{{Program: "claude", Version: "2.1.0"}} },
			})
			if !ok {
				t.Fatalf("%s has no hooks", agent)
			}
			if _, err := hook.Install(program); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(hook.Path)
			if err != nil {
				t.Fatal(err)
			}
			found := written.FindAllStringSubmatch(string(text), -1)
			if len(found) == 0 {
				t.Fatalf("%s: no command in\n%s", agent, text)
			}
			for _, match := range found {
				command, err := strconv.Unquote(`"` + match[1] + `"`)
				if err != nil {
					t.Fatal(err)
				}
				if !isHookCommand(command) {
					t.Errorf("%s: %s", agent, command)
				}
			}
		}
	}
}

// An agent inside that is heard before the agent itself, as after a restart of nod, is put right by the first
// event of the latter.
func TestTheAgentItselfIsHeardBeforeOneInside(t *testing.T) {
	s := newServerWatcher(NewWatcher(WatchConfig{}), newStage(t), ownerMark{}, func() {})
	me := runs("claude")[0].ID
	parent, err := proc.Of(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	inside := s.sessionOf("%1", speaker{process: parent, depth: 1})
	if itself := s.sessionOf("%1", speaker{process: me}); itself == nil || itself == inside {
		t.Error("the agent itself does not replace one inside")
	}
	if s.sessionOf("%1", speaker{process: parent, depth: 1}) != nil {
		t.Error("one inside is heard again")
	}
	delete(s.sessions, "%1")
	s.sessionOf("%1", speaker{process: proc.ID{PID: 1 << 30}})
	if s.sessionOf("%1", speaker{process: me}) == nil {
		t.Error("an agent that follows one that is dead is not heard")
	}
}
