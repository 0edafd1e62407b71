package rpc

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"nod/internal/testrun"
)

// pipes is a listener whose connections no kernel names a process of.
type pipes struct{ net.Listener }

func (pipes) Accept() (net.Conn, error) { c, _ := net.Pipe(); return c, nil }

// TestAConnectionOfNobodyIsNobodys, whoever nod runs as.
func TestAConnectionOfNobodyIsNobodys(t *testing.T) {
	c, err := newGate(pipes{}, time.Second, quiet()).Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if p := c.(*callerConn).peer; p.uid != -1 {
		t.Errorf("it is that of user %d", p.uid)
	}
}

// TestSoManyConnections of one process, and of all: some beyond that are told so, and the others hear nothing.
func TestSoManyConnections(t *testing.T) {
	for name, c := range map[string]struct {
		limit, most int
		pid         func(i int) int
	}{"one process": {1000, perCaller, func(int) int { return 7 }}, "many processes": {5, 5, func(i int) int { return i }}} {
		g := &gate{limit: c.limit, open: map[int]int{}}
		var all []*callerConn
		for i := range c.most + toldAtOnce + 2 {
			conn := g.admit(nil, peer{pid: c.pid(i)})
			switch {
			case (conn == nil) != (i >= c.most+toldAtOnce):
				t.Fatalf("%s: connection %d is heard: %t", name, i+1, conn != nil)
			case conn == nil:
			case (conn.peer.tooMany != "") != (i >= c.most):
				t.Fatalf("%s: connection %d is told %q", name, i+1, conn.peer.tooMany)
			default:
				all = append(all, conn)
			}
		}
		for _, conn := range all {
			conn.leave()
			conn.leave() // as a connection that is closed twice
		}
		if g.all != 0 || len(g.open) != 0 {
			t.Errorf("%s: %d and %v are left", name, g.all, g.open)
		}
	}
}

// lacking is a listener that can accept nobody as often as there are errors, and then somebody without end.
type lacking struct {
	net.Listener
	errs []error
}

func (l *lacking) Accept() (net.Conn, error) {
	if len(l.errs) == 0 {
		return pipes{}.Accept()
	}
	err := l.errs[0]
	l.errs = l.errs[1:]
	return nil, err
}

// TestWithoutDescriptors of the process or of the system, nod lets a caller in who is told so, and then waits for one.
func TestWithoutDescriptors(t *testing.T) {
	for _, lack := range []error{syscall.EMFILE, syscall.ENFILE} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			g := newGate(&lacking{errs: []error{lack, lack, lack}}, time.Second, slog.New(slog.NewTextHandler(&log, nil)))
			begin := time.Now()
			for range 2 {
				c, err := g.Accept()
				if err != nil {
					t.Fatal(lack, err)
				}
				c.Close()
			}
			g.spare.Close()
			if waited := time.Since(begin); waited != 2*acceptPause || strings.Count(log.String(), "\n") != 2 {
				t.Errorf("%v: waited %v and told\n%s", lack, waited, &log)
			}
		})
	}
	if _, err := newGate(&lacking{errs: []error{net.ErrClosed}}, time.Second, quiet()).Accept(); err != net.ErrClosed {
		t.Errorf("a listener that is closed: %v", err)
	}
}

// TestHalfOfTheDescriptorsAreForCallers, but not more than are needed.
func TestHalfOfTheDescriptorsAreForCallers(t *testing.T) {
	if !testrun.Apart(t) { // it changes the limit of its process
		return
	}
	for most, want := range map[uint64]int{100: 50, 2 * maxCallers: maxCallers, 2*maxCallers + 2: maxCallers} {
		var files unix.Rlimit
		if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
			t.Fatal(err)
		}
		files.Cur = most
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
			t.Fatal(err)
		}
		if got := newGate(nil, time.Second, quiet()).limit; got != want {
			t.Errorf("of %d: %d", most, got)
		}
	}
}

// TestACallerWhoHangsUpIsSeen within about a second, though what it has sent was not read.
func TestACallerWhoHangsUpIsSeen(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	caller, err := net.Dial("unix", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	var raw syscall.RawConn
	if raw, err = conn.(*net.UnixConn).SyscallConn(); err != nil {
		t.Fatal(err)
	}
	if _, err := caller.Write([]byte("more")); err != nil || hungUp(raw) {
		t.Errorf("a caller that waits has hung up: %v", err)
	}
	ctx, cancel := whileCalled(context.Background(), raw)
	defer cancel()
	select {
	case <-ctx.Done():
		t.Error("a call ends while its caller waits")
	case <-time.After(hangUpLook + hangUpLook/2):
	}
	caller.Close()
	if !hungUp(raw) {
		t.Error("a caller that has hung up waits")
	}
	select {
	case <-ctx.Done():
	case <-time.After(5 * hangUpLook):
		t.Error("a call goes on whose caller has hung up")
	}
	conn.Close()
	if !hungUp(raw) {
		t.Error("a connection that is closed has a caller")
	}
}
