package proc

import (
	"math/rand/v2"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"nod/internal/host/tmux/tmuxtest"
)

// TestForegroundsAreThoseOfEachPane starts, stops, ends and replaces programs in panes at random: one look for
// several panes returns the same as a look at every process for each.
func TestForegroundsAreThoseOfEachPane(t *testing.T) {
	s := tmuxtest.New(t)
	s.Run("set-option", "-g", "remain-on-exit", "on") // C-c ends a shell that has just been started in place of another
	panes := map[string]int{}
	for range 4 {
		panes[s.Pane("exec bash --norc --noprofile -i", 80, 20)] = 0
	}
	seed := rand.Uint64()
	rnd := rand.New(rand.NewPCG(seed, 0))
	for round := range 40 {
		var pids []int
		for pane := range panes {
			pids = append(pids, pidOf(t, s, pane))
			if rnd.IntN(3) == 0 {
				todo := []string{"sleep 100", "sh -c 'sleep 90; true'", "setsid sleep 80", "sleep 70 | cat", "sleep 60 &", "exec sh -i", "(sleep 50)"}
				keys := []string{todo[rnd.IntN(len(todo))], "Enter"}
				switch rnd.IntN(4) {
				case 0:
					keys = []string{"C-c"}
				case 1:
					keys = []string{"C-z"}
				}
				s.Type(pane, keys...)
			}
		}
		rnd.Shuffle(len(pids), func(i, j int) { pids[i], pids[j] = pids[j], pids[i] })
		asked := pids[:rnd.IntN(len(pids)+1)]
		// A program may start or end between the two looks.
		var got map[int][]Process
		agree := false
		for try := 0; try < 50 && !agree; try++ {
			var err error
			if got, err = Foregrounds(asked); err != nil {
				t.Fatal(err)
			}
			agree = true
			for _, pid := range asked {
				want, _ := Foreground(pid)
				agree = agree && slices.EqualFunc(got[pid], want, func(a, b Process) bool { return a.ID == b.ID && slices.Equal(a.Args, b.Args) })
			}
		}
		if !agree {
			t.Fatalf("seed %d, round %d: the foregrounds of %v are %+v", seed, round, asked, got)
		}
	}
}

func pidOf(t *testing.T, s *tmuxtest.Server, pane string) (pid int) {
	t.Helper()
	for _, c := range s.Run("display-message", "-p", "-t", pane, "#{pane_pid}") {
		pid = 10*pid + int(c-'0')
	}
	return pid
}

// apart starts a program in a session of its own.
func apart(t *testing.T, args ...string) int {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	return cmd.Process.Pid
}

// TestOtherProcessesAreNotRead: there are hundreds beside the panes of a server.
func TestOtherProcessesAreNotRead(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ps reads all of them at once")
	}
	pane, other := apart(t, "sleep", "100"), apart(t, "sleep", "100")
	table, err := fronts([]int{pane})
	if _, read := table[pane]; err != nil || !read || len(table) > 1 {
		t.Errorf("%v: with process %d, without a terminal, these are read: %v; another is %d", err, pane, table, other)
	}
}

func TestProcessesOfOtherNamesAreReadNowAndThen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("ps reads all of them at once")
	}
	n := NewNames("slee")
	find := func(why string, want ...int) {
		t.Helper()
		found, err := n.Find()
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range want {
			if !slices.ContainsFunc(found, func(p Process) bool { return p.PID == pid }) {
				t.Errorf("%s: process %d is not among %+v", why, pid, found)
			}
		}
		for _, p := range found {
			if !strings.HasPrefix(p.Comm, "slee") {
				t.Errorf("%s: %+v", why, p)
			}
		}
	}
	a := apart(t, "sleep", "100")
	other := apart(t, "sh", "-c", "sleep 100; true")
	find("at first", a)
	b := apart(t, "sleep", "100")
	find("a new one", a, b)
	find("again", a, b)
	if n.others[other] < 2 {
		t.Errorf("the process of another name is read at each look: %v", n.others[other])
	}
	n.others[b] = 2 // as if it had been another program
	n.all = time.Now().Add(-allNamesEvery)
	find("after a time", a, b)
}
