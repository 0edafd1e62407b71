package rpc

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// listenAs listens at path as another user, who is no other than its listening thread.
func listenAs(t *testing.T, path string, uid uintptr) net.Listener {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Bind(fd, &unix.SockaddrUnix{Name: path})
	}
	if err != nil {
		t.Fatal(err)
	}
	listened := make(chan error)
	go func() {
		runtime.LockOSThread() // and never again unlocked, so that the thread ends with this func
		if _, _, no := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), uid, ^uintptr(0)); no != 0 {
			listened <- no
			return
		}
		listened <- unix.Listen(fd, 8)
	}()
	if err := <-listened; err != nil {
		t.Fatal(err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	l, err := net.FileListener(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestAClientTellsNothingToAnotherUsersSocket: neither a call nor an event, which may be a secret.
func TestAClientTellsNothingToAnotherUsersSocket(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	path := filepath.Join(t.TempDir(), "s")
	l := listenAs(t, path, 65534)
	heard := make(chan string, 3)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			text := make([]byte, 1000)
			n, _ := conn.Read(text)
			heard <- string(text[:n])
			conn.Close()
		}
	}()
	c := Dial(path)
	defer c.Close()
	_, hooked := c.Hook(t.Context(), Hook{Agent: "claude", Event: json.RawMessage(`{}`)})
	for name, err := range map[string]error{
		"a call":   c.Call(t.Context(), "reply", map[string]string{"id": "k3f"}, nil),
		"a stream": c.Stream(t.Context(), "events", nil, func(json.RawMessage) error { return nil }),
		"an event": hooked,
	} {
		if err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for range 3 {
		if text := <-heard; text != "" {
			t.Errorf("it was told %q", text)
		}
	}
}

// TestASocketInAnotherUsersFolderIsNotMade, as its owner could replace it.
func TestASocketInAnotherUsersFolderIsNotMade(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can give a folder away")
	}
	dir := t.TempDir()
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := Listen(path)
	if err == nil {
		l.Close()
	}
	for name, err := range map[string]error{"made": err, "asked about": CanListen(path)} {
		if err == nil || !strings.Contains(err.Error(), "belongs to another user") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(path); err == nil {
		t.Error("there is a socket")
	}
}

// TestRootIsNoStranger: who can do what root can needs no socket.
func TestRootIsNoStranger(t *testing.T) {
	for _, c := range []struct {
		owner, us int
		want      bool
	}{{0, 0, false}, {0, 1000, false}, {1000, 1000, false}, {1000, 0, true}, {1000, 1001, true}} {
		if strange(c.owner, c.us) != c.want {
			t.Errorf("to %d %d is a stranger: %t", c.us, c.owner, !c.want)
		}
	}
}

// TestABusySocketIsInUse: nod has no time for another caller now, and it lives.
func TestABusySocketIsInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listenAs(t, path, uintptr(os.Getuid()))
	for range 100 { // until the backlog is full
		conn, err := net.Dial("unix", path)
		if err != nil {
			break
		}
		defer conn.Close()
	}
	if again, err := Listen(path); !errors.Is(err, ErrInUse) {
		t.Errorf("it was replaced: %v", err)
		again.Close()
	}
	if _, err := os.Lstat(path); err != nil {
		t.Error(err)
	}
}
