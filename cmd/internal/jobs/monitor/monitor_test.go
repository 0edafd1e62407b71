package monitor

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/store"
)

func TestMatchesAndTheEndAreTold(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("ci", `echo "FAIL one"; echo fine >&2; echo "FAIL two"; exit 3`)
	r := w.end()
	if r.Monitor != "ci" || r.Count != 2 || !slices.Equal(r.Lines, []string{"FAIL one", "FAIL two"}) || r.Ended != "exit status 3" {
		t.Errorf("told %+v", r)
	}
	s, err := w.Show("ci")
	if err != nil || s.Running || s.Matches != 2 || s.Exit != "exit status 3" || s.PID != 0 {
		t.Errorf("%+v, %v", s, err)
	}
	if s.Env[0] != "SECRET=[redacted]" {
		t.Errorf("it shows %q", s.Env)
	}
	if got := w.logs("ci"); !strings.Contains(got, "fine\n") {
		t.Errorf("the output is %q", got)
	}
	before := len(w.told())
	if _, err := w.Restart("ci"); err != nil {
		t.Error(err)
	}
	w.until("the second end", func() bool { told := w.told(); return len(told) > before && told[len(told)-1].Ended != "" })
}

// TestNoShellAndNoToken: the arguments reach the command unchanged, and nod's settings do not.
func TestNoShellAndNoToken(t *testing.T) {
	t.Setenv("NOD_TELEGRAM_TOKEN", "1:secret")
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	if _, err := w.Start(Spec{Name: "echo", Match: "x", Argv: []string{"echo", "$HOME; touch x"}, Cwd: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(Spec{Name: "env", Match: "x", Argv: []string{"env"}, Env: []string{"SECRET=hunter2"}, Cwd: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	w.until("both ends", func() bool {
		running := func(r nudge.MonitorReport) bool { return r.Ended == "" }
		return len(slices.DeleteFunc(w.told(), running)) == 2
	})
	if got := w.logs("echo"); got != "$HOME; touch x\n" {
		t.Errorf("the command got %q", got)
	}
	if got := w.logs("env"); strings.Contains(got, "1:secret") || !strings.Contains(got, "SECRET=hunter2") {
		t.Errorf("the environment is %s", got)
	}
}

// TestStoppingEndsAll: also a child that ignores TERM, and one that left its process group.
func TestStoppingEndsAll(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("deaf", `trap "" TERM; setsid sh -c 'trap "" TERM; echo away; while :; do sleep 1; done' & echo here; while :; do sleep 1; done`)
	w.until("both to run", func() bool { l := w.logs("deaf"); return strings.Contains(l, "away") && strings.Contains(l, "here") })
	mark, began := w.mark("deaf"), time.Now()
	if n := len(processesOf(0, 0, mark)); n < 3 {
		t.Fatalf("%d processes run", n)
	}
	if err := w.Stop("deaf"); err != nil {
		t.Fatal(err)
	}
	if left := processesOf(0, 0, mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if took := time.Since(began); took < endWait {
		t.Errorf("it took %s", took)
	}
	if len(w.told()) != 0 {
		t.Errorf("told %+v", w.told())
	}
	if err := w.Stop("deaf"); err == nil {
		t.Error("it was stopped twice")
	}
}

// TestWhatAChildLeavesRunningEndsWithIt: the child starts another process and ends.
func TestWhatAChildLeavesRunningEndsWithIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("fork", `setsid sleep 1017 & env -i sleep 1017 & exit 0`)
	mark := w.mark("fork")
	w.end()
	if left := processesOf(0, 0, mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if out, _ := exec.Command("pgrep", "-x", "-f", "sleep 1017").Output(); len(out) > 0 {
		t.Errorf("left running: %s", out)
	}
}

// TestStopLeavesNothing: with any sequence of wrappers before a child's processes, all in the background.
func TestStopLeavesNothing(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	for round := range 12 {
		dir := t.TempDir()
		script := ""
		for i := range 3 {
			command := fmt.Sprintf("sh -c 'echo $$ >%s/%d; exec sleep 1018'", dir, i)
			for range r.IntN(4) {
				wrapper := []string{"setsid ", "setsid -f ", "env -i ", "nohup "}[r.IntN(4)]
				command = wrapper + command
			}
			if r.IntN(2) == 0 {
				command = "(" + command + " &)"
			}
			script += command + " & "
		}
		name := fmt.Sprint("m", round)
		w.start(name, script+"sleep 1018")
		var pids []int
		for i := range 3 {
			w.until(script, func() bool {
				text, _ := os.ReadFile(filepath.Join(dir, strconv.Itoa(i)))
				pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
				if err == nil {
					pids = append(pids, pid)
				}
				return err == nil
			})
		}
		if err := w.Stop(name); err != nil {
			t.Fatal(err)
		}
		for _, pid := range pids {
			if id, err := proc.Of(pid); err == nil && proc.Alive(id) {
				t.Errorf("process %d of %s is left", pid, script)
			}
		}
	}
}

// TestWhatHidesKeepsNoMonitorRunning: a process that left its group, dropped its environment, and holds the
// output open.
func TestWhatHidesKeepsNoMonitorRunning(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	began := time.Now()
	w.start("hides", `env -i setsid sleep 20 & echo FAIL; exit 0`)
	if r, took := w.end(), time.Since(began); took > 18*time.Second || r.Count != 1 {
		t.Errorf("told %+v after %s", r, took)
	}
}

func TestNothingIsLeftWhenNodStops(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nod.db")
	w := newWorld(t, path)
	w.start("ci", "echo up; sleep 1000")
	mark := w.mark("ci")
	w.until("it to run", func() bool { return len(processesOf(0, 0, mark)) == 3 }) // including the job
	w.stop()
	if left := processesOf(0, 0, mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	next := newWorld(t, path)
	next.until("it to run again", func() bool { l := next.List(false); return len(l) == 1 && l[0].PID != 0 && next.logs("ci") == "up\n" })
	if next.mark("ci") == mark {
		t.Error("the mark was used again")
	}
	if err := next.Stop("ci"); err != nil {
		t.Fatal(err)
	}
	next.stop()
	if last := newWorld(t, path); len(last.List(false)) != 0 || len(last.List(true)) != 1 {
		t.Errorf("a stopped one is %+v", last.List(true))
	}
}

// TestADeafChildEndsWithNod in less time than nod has to stop.
func TestADeafChildEndsWithNod(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("deaf", `trap "" TERM; echo here; while :; do sleep 1; done`)
	w.until("it to run", func() bool { return w.logs("deaf") != "" })
	mark := w.mark("deaf")
	w.stop()
	if left := processesOf(0, 0, mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
}

// killed is a nod that runs a monitor until it is killed.
func killed(dir string) error {
	records, err := store.Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		return err
	}
	m := New(Config{Records: records, Log: slog.New(slog.DiscardHandler), Report: func(nudge.MonitorReport) error { return nil }})
	go func() { _ = m.Run(context.Background()) }()
	<-m.ready
	_, err = m.Start(Spec{Name: "ci", Match: "x", Argv: []string{"sh", "-c", "setsid sleep 1000 & echo $$; exec sleep 1000"}, Cwd: dir})
	if err != nil {
		return err
	}
	for {
		if text, _, err := m.Logs("ci", 0, 0); err != nil || text != "" {
			fmt.Println("up", text, err)
			select {}
		}
		time.Sleep(time.Millisecond)
	}
}

// TestWhatAKilledNodLeftIsEndedAtTheNextStart.
func TestWhatAKilledNodLeftIsEndedAtTheNextStart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nod := exec.Command(os.Args[0])
	nod.Env = append(os.Environ(), killedDir+"="+dir)
	out, err := nod.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := nod.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "up ") {
		t.Fatalf("%s, %v", line[:n], err)
	}
	if err := nod.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = nod.Wait() // it was killed
	records, err := store.Open(filepath.Join(dir, "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := records.Monitors()
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	if err := records.Close(); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(all["ci"]), `"Mark":"`)
	mark, _, _ := strings.Cut(rest, `"`)
	// The job ends all processes. If the job was killed too, the next nod does.
	w := newWorld(t, filepath.Join(dir, "nod.db"))
	if left := processesOf(0, 0, mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	w.until("it to run again", func() bool { return len(w.List(false)) == 1 && w.logs("ci") != "" })
}

// TestOneThatDiesAtOnceIsLeftDown: nod tries it three times at its start.
func TestOneThatDiesAtOnceIsLeftDown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nod.db")
	w := newWorld(t, path)
	dir := t.TempDir()
	s := Spec{Name: "ci", Match: "x", Argv: []string{"sh", "-c", "echo run >>runs; test -e down && exit 7; sleep 1000"}, Cwd: dir}
	if _, err := w.Start(s); err != nil {
		t.Fatal(err)
	}
	runs := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "runs"))
		return strings.Count(string(text), "run")
	}
	w.until("it to run", func() bool { return runs() == 1 })
	w.stop()
	if err := os.WriteFile(filepath.Join(dir, "down"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	next := newWorld(t, path)
	next.until("it to be left down", func() bool { return len(next.told()) == 1 })
	if r := next.told()[0]; r.Ended != "exit status 7; it died at once 3 times and is left down" || runs() != 4 {
		t.Errorf("told %+v after %d runs", r, runs())
	}
	next.stop()
	if last := newWorld(t, path); len(last.List(false)) != 0 || runs() != 4 {
		t.Errorf("it runs again: %+v", last.List(true))
	}
}

func TestNamesAreTakenOnce(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("ci", "sleep 1000")
	if _, err := w.Start(Spec{Name: "ci", Match: "x", Argv: []string{"true"}, Cwd: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "runs already") {
		t.Errorf("a second one: %v", err)
	}
	for _, err := range []error{w.Stop("none"), func() error { _, err := w.Restart("none"); return err }(), func() error { _, _, err := w.Logs("none", 0, 0); return err }()} {
		if err == nil || !strings.Contains(err.Error(), "no monitor") {
			t.Errorf("got %v", err)
		}
	}
}

func TestBinaryOutput(t *testing.T) {
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.start("bin", `head -c 300000 /dev/urandom; printf '\nFAIL \033[31m\000x\n'`)
	r := w.end()
	if last := r.Lines[len(r.Lines)-1]; !strings.HasPrefix(last, "FAIL") || strings.ContainsAny(last, "\x00\x1b") {
		t.Errorf("told %q", last)
	}
}

// TestNewsThatCannotBeStoredIsToldLater.
func TestNewsThatCannotBeStoredIsToldLater(t *testing.T) {
	testrun.InFull(t)
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	w.mu.Lock()
	w.refuse = os.ErrDeadlineExceeded
	w.mu.Unlock()
	w.start("ci", `echo FAIL one; sleep 3; echo FAIL two`)
	w.until("it to end", func() bool { s, _ := w.Show("ci"); return !s.Running })
	w.mu.Lock()
	w.refuse = nil
	w.mu.Unlock()
	w.until("the news", func() bool { return len(w.told()) == 1 })
	if r := w.told()[0]; r.Count != 2 || r.Ended != "exit status 0" {
		t.Errorf("told %+v", r)
	}
}

func TestAPanesNewLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, filepath.Join(t.TempDir(), "nod.db"))
	show := func(lines ...string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.screen = lines
	}
	show("$ make", "FAIL old", "$")
	if _, err := w.Start(Spec{Name: "pane", Match: "FAIL", Pane: &detect.PaneRef{ID: "%1"}}); err != nil {
		t.Fatal(err)
	}
	r, _ := w.find("pane")
	w.until("the first look", func() bool { r.mu.Lock(); defer r.mu.Unlock(); return r.looked })
	show("$ make", "FAIL old", "$ make", "FAIL new", "$")
	w.until("the match", func() bool { return len(w.told()) == 1 })
	if r := w.told()[0]; r.Count != 1 || r.Lines[0] != "FAIL new" {
		t.Errorf("told %+v", r)
	}
}
