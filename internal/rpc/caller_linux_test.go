package rpc

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const connectTo = "NOD_TEST_CONNECT_TO"

// TestMain can also be a caller that connects, passes its connection to a child and stays, or a hostile
// caller.
func TestMain(m *testing.M) {
	if socket := os.Getenv(attackAt); socket != "" {
		attack(socket)
		return
	}
	if socket := os.Getenv(exhaustedAt); socket != "" {
		serveExhausted(socket)
		return
	}
	socket := os.Getenv(connectTo)
	if socket == "" {
		os.Exit(m.Run())
	}
	conn, err := net.Dial("unix", socket)
	if err != nil {
		panic(err)
	}
	file, err := conn.(*net.UnixConn).File()
	if err != nil {
		panic(err)
	}
	child := exec.Command("cat")
	child.Stdin, child.ExtraFiles = os.Stdin, []*os.File{file}
	if err := child.Start(); err != nil {
		panic(err)
	}
	if _, err := conn.Write([]byte{1}); err != nil {
		panic(err)
	}
	_ = child.Wait()
}

// TestACallerThatHasEndedIsNoCaller: if a caller passes its connection to another process and ends, it is not
// taken for a process that gets its pid.
func TestACallerThatHasEndedIsNoCaller(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	caller := exec.Command(os.Args[0])
	caller.Env = append(os.Environ(), connectTo+"="+listener.Addr().String())
	hold, err := caller.StdinPipe() // ends the child with the test
	if err == nil {
		err = caller.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if _, err := conn.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	_ = raw.Control(func(fd uintptr) {
		if _, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_PEERPIDFD); err == unix.ENOPROTOOPT {
			t.Skip("this kernel does not keep which process has connected")
		}
	})
	ctx := withPeer(context.Background(), &callerConn{Conn: conn, peer: identify(conn)})
	if CallerPID(ctx) != caller.Process.Pid || !CallerLives(ctx) {
		t.Errorf("the caller %d is %d, and lives: %t", caller.Process.Pid, CallerPID(ctx), CallerLives(ctx))
	}
	before := descriptors(t)
	for range 100 {
		CallerLives(ctx)
	}
	if more := descriptors(t) - before; more > 50 {
		t.Errorf("asking keeps %d descriptors", more)
	}
	if err := caller.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); CallerLives(ctx); time.Sleep(time.Millisecond) { // before it is reaped
		if time.Now().After(end) {
			t.Fatal("a caller that was killed lives")
		}
	}
	if err := conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); !os.IsTimeout(err) {
		t.Errorf("the connection is not held: %v", err)
	}
	_ = caller.Wait() // killed
	if CallerLives(ctx) || CallerLives(context.Background()) {
		t.Error("a caller that has ended, or that nobody knows, lives")
	}
	conn.Close()
	if CallerLives(ctx) {
		t.Error("the caller of a connection that is closed lives")
	}
}
