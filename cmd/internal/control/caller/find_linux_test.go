package caller

import (
	"net"
	"os"
	"path/filepath"
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
