package detect

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nod/internal/host/proc"
	"nod/internal/host/proc/proctest"
	"nod/internal/reason"
)

// markOf is the mark that a process would leave which runs now.
func markOf(t *testing.T, pid int) ownerMark {
	t.Helper()
	id, err := proc.Of(pid)
	if err != nil {
		t.Fatal(err)
	}
	boot, err := proc.BootID()
	if err != nil {
		t.Fatal(err)
	}
	return ownerMark{ID: id, boot: boot}
}

// starts runs a program until the test ends, and waits until it is what the process is.
func starts(t *testing.T, program string, args ...string) ownerMark {
	t.Helper()
	cmd := exec.Command(program, args...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	proctest.AwaitArguments(t, cmd.Process.Pid)
	return markOf(t, cmd.Process.Pid)
}

func TestOwnerMark(t *testing.T) {
	me, err := ownMark()
	if err != nil {
		t.Fatal(err)
	}
	if again, ok := parseOwnerMark(me.String()); !ok || again != me {
		t.Errorf("%q was read as %v, %v", me, again, ok)
	}
	if more, ok := parseOwnerMark(me.String() + " what later versions add"); !ok || more != me {
		t.Errorf("a longer mark was read as %v, %v", more, ok)
	}
	if !me.alive(me.boot) {
		t.Error("this process does not live")
	}
	for what, dead := range map[string]ownerMark{
		"a used pid":          {ID: me.ID, boot: me.boot},
		"another boot":        {ID: me.ID, boot: "another"},
		"a process that left": {ID: me.ID, boot: me.boot},
	} {
		switch what {
		case "a used pid":
			dead.Start--
		case "a process that left":
			dead.PID = 1 << 30
		}
		if dead.alive(me.boot) {
			t.Errorf("%s still lives", what)
		}
	}
	for _, bad := range []string{"", "me", "1 2", "x 2 boot", "1 x boot", "0 1 boot", "-1 1 boot"} {
		if o, ok := parseOwnerMark(bad); ok {
			t.Errorf("%q was read as %v", bad, o)
		}
	}
}

func TestASecondNodKeepsQuiet(t *testing.T) {
	dir := t.TempDir()
	copies(t, dir, "nod")
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	other := starts(t, filepath.Join(dir, "nod"), "run")
	s.owner = other.String()
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(2)
		expect(t, a, "another nod owns the server", "")
		if h := w.Health(); len(h) != 1 || h[0] != (reason.Why{Kind: reason.OtherNodThere, Where: "/tmp/s", What: fmt.Sprint(other.PID)}) {
			t.Errorf("health %+v", h)
		}
		if len(a.left) != 1 || a.left[0] != w.Health()[0] {
			t.Errorf("the owner was told %+v", a.left)
		}
		if w.Server("/tmp/s") != nil {
			t.Error("a key may be typed on another nod's server")
		}
		if w.Hook(event(Asks, "ls", "")) {
			t.Error("an event of another nod's server was taken")
		}
		dead := other
		dead.PID = 1 << 30
		s.do(func() { s.owner = dead.String() })
		poll(2)
		if got := brief(a.take()); !strings.HasPrefix(got, "%1:working %1:permission(ls)") || len(w.Health()) != 0 || w.Server("/tmp/s") == nil {
			t.Errorf("the other nod has ended: heard %q, health %+v", got, w.Health())
		}
		s.do(func() { s.owner = other.String() })
		poll(2)
		if len(a.left) != 2 {
			t.Errorf("left once more, and the owner was told %+v", a.left)
		}
		s.do(func() { s.owner = "" })
		poll(1)
	})
	if s.owner != "" {
		t.Errorf("a nod that has ended still marks the server: %q", s.owner)
	}
}

// A mark that names a live process which is no nod must not make nod blind.
func TestOnlyANodOwnsAServer(t *testing.T) {
	dir := t.TempDir()
	copies(t, dir, "nod", "another name")
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		mark ownerMark
		left bool
	}{
		"nod":                     {starts(t, filepath.Join(dir, "nod"), "run"), true},
		"nod by another name":     {starts(t, filepath.Join(dir, "another name"), "-test.run=TestNothing", "run"), true},
		"nod that does not watch": {starts(t, filepath.Join(dir, "nod"), "status"), false},
		"another program":         {starts(t, sleep, "60"), false},
		"the first of all":        {markOf(t, 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.add("%1", "claude", ask(t, "ls"))
			s.owner = tt.mark.String()
			watch(t, []*stage{s}, func(w *Watcher, a *audience) {
				poll(2)
				if left := w.Server("/tmp/s") == nil; left != tt.left || left != (len(a.take()) == 0) || left != (len(a.left) == 1) {
					t.Errorf("left alone: %v, want %v; told %+v", left, tt.left, a.left)
				}
			})
		})
	}
}

// Where nothing can be told of a process, the server is left alone, and that is said.
func TestAnOwnerOfWhomNothingCanBeToldIsLeftTheServer(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	dir := t.TempDir()
	copies(t, dir, "nod")
	s.owner = starts(t, filepath.Join(dir, "nod"), "run").String()
	prepare := func(w *Watcher) {
		w.files.openProgram = func(int) (*os.File, error) { return nil, os.ErrPermission }
	}
	watchWith(t, []*stage{s}, prepare, func(w *Watcher, a *audience) {
		poll(2)
		expect(t, a, "nothing can be told", "")
		if w.Server("/tmp/s") != nil || len(a.left) != 1 || a.left[0].Kind != reason.MarkUnclear || a.left[0].Where != "/tmp/s" {
			t.Errorf("told %+v", a.left)
		}
	})
}
