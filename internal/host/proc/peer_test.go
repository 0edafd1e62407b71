package proc

import (
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// TestThePeerOfAConnection finds the listener, for both kinds of sockets.
func TestThePeerOfAConnection(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells it")
	}
	for network, at := range map[string]string{"tcp": "127.0.0.1:0", "unix": filepath.Join(t.TempDir(), "s")} {
		listener, err := net.Listen(network, at)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial(network, listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		served, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if uid, pids, err := Peer(conn); err != nil || uid != os.Getuid() || !slices.Equal(pids, []int{os.Getpid()}) {
			t.Errorf("%s: %d, %v, %v; want this process", network, uid, pids, err)
		}
		served.Close()
		conn.Close()
		listener.Close()
	}
	if _, _, err := Peer(nil); err == nil {
		t.Error("nobody is somebody")
	}
}
