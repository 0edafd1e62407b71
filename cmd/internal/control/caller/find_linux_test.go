package caller

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

// TestASocketThatAnotherOpenedTellsNothing: if systemd listens for tmux, any server may be behind the socket;
// if a tmux listens, it is that one.
func TestASocketThatAnotherOpenedTellsNothing(t *testing.T) {
	dir, err := os.MkdirTemp("", "nod") // not t.TempDir: a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	listens, asked := os.Getpid(), os.Getpid()+1
	for comm, other := range map[string]bool{"systemd": false, "tmux: server": true} {
		f := finder{processes: map[int]proc.Process{listens: {Comm: comm}}}
		if got := f.isOther(tmux.New(socket), asked); got != other {
			t.Errorf("%s listens: that the server is not %d is known: %t", comm, asked, got)
		}
		if f.isOther(tmux.New(socket), listens) {
			t.Errorf("%s listens, and is said to be another than itself", comm)
		}
	}
}

// TestAServerThatNobodyNamesIsFound where tmux puts its sockets.
func TestAServerThatNobodyNamesIsFound(t *testing.T) {
	dir, err := os.MkdirTemp("", "nod")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	own := filepath.Join(dir, "tmux-1")
	if err := os.Mkdir(own, 0o700); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		out, err := exec.Command("tmux", append([]string{"-f", "/dev/null", "-S", filepath.Join(own, "s")}, args...)...).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	run("new-session", "-d", "cat")
	t.Cleanup(func() { run("kill-server") })
	pid, err := strconv.Atoi(run("display-message", "-p", "#{pid}"))
	if err != nil {
		t.Fatal(err)
	}
	f := finder{ctx: t.Context(), asked: map[string]bool{}, listings: map[int]tmux.Listing{}}
	if l, ok := f.server(pid); !ok || l.Life.PID != pid || len(l.Panes) != 1 {
		t.Errorf("found %+v, %t", l, ok)
	}
	if l, ok := f.server(1 << 30); ok {
		t.Errorf("none has that process, and found is %+v", l)
	}
}
