package caller

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"nod/internal/host/proc"
	"nod/internal/host/proc/proctest"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"window": proctest.Window}) }

// way is one way in which an agent may call nod, and what nod takes the caller for. In its command PROBE is
// the call, TMUX runs tmux on the agent's own server, OTHER on another server, ELSEWHERE is a pane without an
// agent, DAEMON runs a daemon with that name, and TERMINAL makes a terminal as its caller's child.
type way struct {
	name    string // as in docs/security.md
	command string
	want    Kind
	why     string // the explanation in docs/security.md
}

var ways = []way{
	{"`nod …`", "PROBE", Agent, "its parents"},
	{"`(sleep 1; nod …) &`", "(sleep 0.1; PROBE) & sleep 0.05; exit", Agent, "its environment"},
	{"double fork", "sh -c '(sleep 0.1; sh -c PROBE) &' & sleep 0.05; exit", Agent, "its environment"},
	{"`setsid nod …`", "setsid PROBE", Agent, "its parents"},
	{"`setsid -f nod …`", "setsid -f PROBE", Agent, "its environment"},
	{"`nohup nod … &`", "nohup PROBE >/dev/null 2>&1 & sleep 0.1; exit", Agent, "its terminal, or its environment"},
	{"`env -i nod …`", "env -i PROBE", Agent, "its parents"},
	{"`setsid -f env -i nod …`", "setsid -f env -i PROBE", Unplaced, "it has no terminal"},
	{"`su -c 'nod …'`", "su -c PROBE", Agent, "its parents"},
	{"`at`", "setsid -f DAEMON/atd -c 'PROBE; :'", Agent, "`at` keeps the environment"},
	{"cron", "setsid -f env -i DAEMON/cron -c 'PROBE; :'", Unplaced, "it has no terminal"},
	{"cron, with a terminal of its own", "setsid -f env -i DAEMON/cron -c 'TERMINAL PROBE; :'", Unplaced, "cron has started what made the terminal"},
	{"`systemd-run --user`", "setsid -f env -i DAEMON/systemd -c 'setsid PROBE; :'", Unplaced, "it has no terminal"},
	{"`tmux run-shell`", "TMUX run-shell -b PROBE", Unplaced, "it has no terminal"},
	{"`tmux run-shell`, with a terminal of its own", "TMUX run-shell -b 'env -i TERMINAL PROBE; :'", Unplaced, "tmux has started what made the terminal"},
	{"`tmux if-shell`", "TMUX if-shell -b PROBE true", Unplaced, "it has no terminal"},
	{"`tmux new-window`", "TMUX new-window -d PROBE", Unplaced, "unless somebody presses a key in that very window"},
	{"`tmux respawn-pane`, of another pane", "TMUX respawn-pane -k -t ELSEWHERE PROBE", Unplaced, "unless somebody presses a key in that very pane"},
	{"`tmux display-popup`", "TMUX display-popup -E PROBE", Unplaced, "the command waits beside its pop-up"},
	{"`tmux run-shell 'tmux display-popup'`", "TMUX display-popup -C; TMUX run-shell -b 'TMUX display-popup -E PROBE'", Unplaced, "the command waits beside its pop-up"},
	{"another tmux server", "OTHER new-session -d PROBE", Agent, "the server keeps the environment"},
	{"another tmux server, `env -i`", "env -i OTHER new-session -d PROBE", Unplaced, "unless a person is attached to it and presses a key"},
	{"a terminal of its own, as of `script`", "WINDOW PROBE", Agent, "its environment"},
	{"a process that is not known, of another pid namespace", "", Unplaced, ""},
}

// stage is a tmux server with an agent's pane and one without, which a person looks at.
type stage struct {
	t       *testing.T
	server  *tmuxtest.Server
	dir     string
	probe   string
	agent   string
	windows string // the program
}

func newStage(t *testing.T) *stage {
	t.Helper()
	windows, err := exec.LookPath("window")
	if err != nil {
		t.Fatal(err)
	}
	// The path is short, and identifies none of the test's own processes.
	dir, err := os.MkdirTemp("", "caller")
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{t: t, server: tmuxtest.New(t), dir: dir, windows: windows, probe: filepath.Join(dir, "probe"), agent: filepath.Join(dir, "claude")}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	// It reports its pid, and stays.
	s.script(s.probe, `echo $$ >"$0.new" && /bin/mv "$0.new" "$0.pid"; while :; do /bin/sleep 1; done`)
	s.script(s.agent, `export CLAUDECODE=1; sh -c "$1"; sleep 1000`)
	for _, daemon := range []string{"atd", "cron", "systemd"} {
		sh, err := os.ReadFile("/bin/sh")
		if err == nil {
			err = testrun.WriteProgram(filepath.Join(dir, daemon), sh)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *stage) script(path, text string) {
	s.t.Helper()
	if err := testrun.WriteProgram(path, []byte("#!/bin/sh\n"+text+"\n")); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) tmux(socket string, args ...string) error {
	return exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", socket}, args...)...).Run()
}

// caller waits for the call, and returns its process, which ends with the test.
func (s *stage) caller() int {
	s.t.Helper()
	file := s.probe + ".pid"
	for end := time.Now().Add(tmuxtest.Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
		if err != nil || os.Remove(file) != nil {
			s.t.Fatalf("the probe wrote %q", text)
		}
		s.t.Cleanup(func() { _ = unix.Kill(pid, unix.SIGKILL) })
		return pid
	}
	s.t.Fatalf("nod was not called; the panes:\n%s", s.server.Run("list-panes", "-a", "-F", "#{pane_id} #{pane_dead} #{pane_current_command} #{pane_start_command}"))
	return 0
}

// place identifies a process, some time from now.
func (s *stage) place(pid int, later time.Duration) Place {
	s.t.Helper()
	w, err := lookAround(s.t.Context(), nil, []*tmux.Server{tmux.New(s.server.Socket)})
	if err != nil {
		s.t.Fatal(err)
	}
	maps.DeleteFunc(w.processes, func(_ int, p proc.Process) bool { // a client of a test that runs beside this one may have opened any pop-up
		args := strings.Join(p.Args, " ")
		return p.Comm == "tmux: client" && !strings.Contains(args, s.server.Socket) && !strings.Contains(args, s.dir)
	})
	w.now = w.now.Add(later)
	return w.place(pid)
}

// attach shows a pane to a person.
func (s *stage) attach(pane string) (keys *os.File) {
	s.t.Helper()
	keys = proctest.Open(s.t, "tmux", "-u", "-S", s.server.Socket, "attach", "-t", pane)
	for end := time.Now().Add(tmuxtest.Patience); s.server.Run("list-clients") == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("no client attached")
		}
	}
	return keys
}

// TestEveryWayOfAnAgent: real processes on a real tmux call in each way of the table from within an agent's
// pane, while a person has just typed elsewhere.
func TestEveryWayOfAnAgent(t *testing.T) {
	s := newStage(t)
	desk, elsewhere := s.server.Pane("cat", 80, 24), s.server.Pane("cat", 80, 24)
	s.attach(desk)
	for i, way := range ways {
		other := filepath.Join(s.dir, strconv.Itoa(i))
		t.Cleanup(func() { _ = s.tmux(other, "kill-server") }) // it runs only where the way has started it
		words := strings.NewReplacer("PROBE", s.probe, "TMUX", "tmux -S "+s.server.Socket, "OTHER", "tmux -f /dev/null -S "+other,
			"ELSEWHERE", elsewhere, "DAEMON", s.dir, "WINDOW", s.windows, "TERMINAL", "env WINDOW_INSIDE=1 "+s.windows)
		pid := 0
		switch {
		case strings.Contains(way.command, "su ") && os.Getuid() != 0:
			continue // it would ask for a password
		case way.command != "":
			s.server.Pane(fmt.Sprintf(`%s "%s"`, s.agent, words.Replace(way.command)), 80, 24)
			pid = s.caller()
		}
		// Its parents may still be starting or ending. Neither of the two may answer.
		got, refused := s.place(pid, 0), []Kind{Agent, Unplaced}
		for end := time.Now().Add(tmuxtest.Patience); got.Kind != way.want && slices.Contains(refused, got.Kind) && slices.Contains(refused, way.want) && time.Now().Before(end); got = s.place(pid, 0) {
			time.Sleep(10 * time.Millisecond)
		}
		if got.Kind != way.want || got.Why == "" {
			t.Errorf("%s: %+v, want %s", way.name, got, way.want)
		}
	}
}

// TestAPaneInTheEnvironmentIsNotCertain: an agent's orphan can name the pane of another agent.
func TestAPaneInTheEnvironmentIsNotCertain(t *testing.T) {
	s := newStage(t)
	other := s.server.Pane(s.agent+" :", 80, 24)
	at := fmt.Sprintf("TMUX=%s,%s,0 TMUX_PANE=%s ", s.server.Socket, s.server.Run("display-message", "-p", "#{pid}"), other)
	for command, certain := range map[string]bool{"env -i " + at + s.probe: true, "setsid -f env -i " + at + s.probe: false} {
		s.server.Pane(fmt.Sprintf(`%s "%s"`, s.agent, command), 80, 24)
		pid := s.caller()
		got := s.place(pid, 0)
		for end := time.Now().Add(tmuxtest.Patience); (got.Certain != certain || len(got.Agents) == 0) && time.Now().Before(end); got = s.place(pid, 0) {
			time.Sleep(10 * time.Millisecond)
		}
		if got.Kind != Agent || got.Certain != certain || len(got.Agents) == 0 {
			t.Errorf("%s: %+v", command, got)
		}
	}
}

// TestAPersonsPopUpInTmux: a person who opens a pop-up with a key is known there after each key in it.
// `send-keys -K` does not count, in a pop-up or in a pane.
func TestAPersonsPopUpInTmux(t *testing.T) {
	s := newStage(t)
	pane := s.server.Pane("exec "+s.probe, 80, 24)
	inPane := s.caller()
	keys := s.attach(pane)
	s.server.Run("bind-key", "i", "display-popup", "-E", s.probe)
	client, terminal, _ := strings.Cut(s.server.Run("list-clients", "-F", "#{client_name} #{client_tty}"), " ")
	want := func(what string, pid int, later time.Duration, want Kind) {
		t.Helper()
		got := s.place(pid, later)
		for end := time.Now().Add(tmuxtest.Patience); got.Kind != want && time.Now().Before(end); got = s.place(pid, later) {
			time.Sleep(50 * time.Millisecond)
		}
		if got.Kind != want {
			t.Errorf("%s: %+v, want %s", what, got, want)
		}
	}
	press := func(text string) {
		if _, err := keys.WriteString(text); err != nil {
			t.Fatal(err)
		}
	}
	// known presses again until the key counts: on a busy machine a pop-up may start, or be looked at, more than ten seconds after it.
	known := func(what string, press func() (pid int)) (pid int) {
		t.Helper()
		var got Place
		for end := time.Now().Add(tmuxtest.Patience); time.Now().Before(end); {
			pid = press()
			for soon := time.Now().Add(fresh / 2); time.Now().Before(soon); time.Sleep(50 * time.Millisecond) {
				if got = s.place(pid, 0); got.Kind == Human {
					return pid
				}
			}
		}
		t.Fatalf("%s: %+v, want a person", what, got)
		return 0
	}
	rest := func() { // as if nobody had pressed a key for an hour
		long := time.Now().Add(-time.Hour)
		if err := os.Chtimes(terminal, long, long); err != nil {
			t.Fatal(err)
		}
	}
	closed := func() { s.server.Run("display-popup", "-C", "-c", client) }
	nods := exec.Command("tmux", "-S", s.server.Socket, "wait-for", "never") // nod has a client of its own that waits, with which it watches
	if err := nods.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = nods.Process.Kill(), nods.Wait() })
	pid := known("a pop-up that a key has opened", func() int {
		closed()
		press("\x02i")
		return s.caller()
	})
	want("the same twelve seconds later", pid, fresh+2*time.Second, Unplaced)
	rest()
	want("the same without a key", pid, 0, Unplaced)
	dashK := exec.Command("tmux", "-S", s.server.Socket, "send-keys", "-K", "-c", client, "x").Run() == nil // tmux 3.4
	time.Sleep(200 * time.Millisecond)
	want("the same after send-keys -K", pid, 0, Unplaced)
	known("the same after a key in it", func() int { press("x"); return pid })
	closed()
	rest()
	if dashK {
		s.server.Run("send-keys", "-K", "-c", client, "x")
	}
	want("a pane after send-keys -K", inPane, 0, Unplaced)
	known("a pane after a key", func() int { press("x"); return inPane })
}

// TestAServerThatHangsHidesNoPerson: every tmux server hangs except the one at which a person types, which no
// environment names.
func TestAServerThatHangsHidesNoPerson(t *testing.T) {
	s := newStage(t)
	var watched []*tmux.Server
	for range 3 {
		hangs := tmuxtest.New(t)
		hangs.Freeze()
		watched = append(watched, tmux.New(hangs.Socket))
	}
	pane := s.server.Pane("exec env -u TMUX -u TMUX_PANE sh", 80, 24)
	keys := s.attach(pane)
	if _, err := keys.WriteString(s.probe + "\r"); err != nil {
		t.Fatal(err)
	}
	pid := s.caller()
	if got := Find(t.Context(), pid, nil, append(watched, tmux.New(s.server.Socket))); got.Kind != Human {
		t.Errorf("%+v", got)
	}
}

// TestSecurityPageHasEveryWay: the table in docs/security.md equals that of the test.
func TestSecurityPageHasEveryWay(t *testing.T) {
	var want strings.Builder
	taken := map[Kind]string{Agent: "the agent", Unplaced: "nobody who can be placed"}
	for _, way := range ways {
		fmt.Fprintf(&want, "| %s | %s", way.name, taken[way.want])
		if way.why != "" {
			fmt.Fprintf(&want, ": %s", way.why)
		}
		want.WriteString(" |\n")
	}
	page, err := os.ReadFile("../../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), "| --- | --- |\n"+want.String()+"\n") {
		t.Errorf("docs/security.md does not have\n%s", want.String())
	}
}

// TestAPersonsTerminals: a person is known at a plain terminal, and in tmux for ten seconds after a key in
// the pane of the command, but not by another client's keys.
func TestAPersonsTerminals(t *testing.T) {
	s := newStage(t)
	proctest.Open(t, s.probe)
	if got := s.place(s.caller(), time.Hour); got.Kind != Human {
		t.Errorf("a plain terminal: %+v", got)
	}
	pane := s.server.Pane("sh", 80, 24)
	keys := s.attach(pane)
	if _, err := keys.WriteString(s.probe + "\r"); err != nil {
		t.Fatal(err)
	}
	pid := s.caller()
	if got := s.place(pid, 0); got.Kind != Human {
		t.Errorf("a pane right after a key: %+v", got)
	}
	if got := Find(t.Context(), pid, nil, nil); got.Kind != Human {
		t.Errorf("the same of a server that only the environment names: %+v", got)
	}
	if got := s.place(pid, fresh+2*time.Second); got.Kind != Unplaced {
		t.Errorf("a pane twelve seconds after a key: %+v", got)
	}
	other := s.server.Pane("sh", 80, 24)
	s.server.Type(other, s.probe, "Enter")
	if got := s.place(s.caller(), 0); got.Kind != Unplaced {
		t.Errorf("another pane than the one with the keys: %+v", got)
	}
	proctest.Open(t, s.agent, "env -i TERM=xterm PATH=$PATH tmux -u -S "+s.server.Socket+" attach -t "+other)
	s.server.Run("detach-client", "-s", pane)
	for end := time.Now().Add(tmuxtest.Patience); s.server.Run("list-clients", "-t", other) == ""; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the agent's client never attached")
		}
	}
	s.server.Type(other, "C-c")
	s.server.Type(other, s.probe, "Enter")
	if got := s.place(s.caller(), 0); got.Kind == Human {
		t.Errorf("a pane that an agent's own client shows: %+v", got)
	}
}
