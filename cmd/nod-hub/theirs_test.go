package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/internal/testrun"
)

// theirs is the real nats-server of the module, built once: somebody else's cluster is a process of its own.
var theirs struct {
	once sync.Once
	dir  string
	err  error
}

func natsServerProgram(t *testing.T) string {
	t.Helper()
	theirs.once.Do(func() {
		if theirs.dir, theirs.err = os.MkdirTemp("", "nod-hub-test-"); theirs.err != nil {
			return
		}
		theirs.err = testrun.Build("github.com/nats-io/nats-server/v2", filepath.Join(theirs.dir, "nats-server"))
	})
	if theirs.err != nil {
		t.Fatal(theirs.err)
	}
	return filepath.Join(theirs.dir, "nats-server")
}

// cluster is somebody else's nats-server, to which everybody here may connect.
type cluster struct {
	t       *testing.T
	program string
	args    []string
	address string
	user    string // with the password, as in a URL
	command *exec.Cmd
}

func newCluster(t *testing.T, args ...string) *cluster {
	t.Helper()
	c := &cluster{t: t, program: natsServerProgram(t), address: freeAddress(t)}
	_, port, err := net.SplitHostPort(c.address)
	if err != nil {
		t.Fatal(err)
	}
	c.args = append([]string{"-a", "127.0.0.1", "-p", port, "-js", "-sd", t.TempDir()}, args...)
	c.start()
	t.Cleanup(c.kill)
	return c
}

func (c *cluster) url() string { return "nats://" + c.user + c.address }

func (c *cluster) start() {
	c.t.Helper()
	c.command = exec.Command(c.program, c.args...)
	if err := c.command.Start(); err != nil {
		c.t.Fatal(err)
	}
	for late := time.Now().Add(patience); ; {
		conn, err := net.Dial("tcp", c.address)
		if err == nil {
			conn.Close()
			return
		}
		if time.Now().After(late) {
			c.t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // such a process does not report when it listens
	}
}

// kill kills the server.
func (c *cluster) kill() {
	_ = c.command.Process.Kill()
	_ = c.command.Wait()
}

func (c *cluster) client() *nats.Conn {
	c.t.Helper()
	nc, err := nats.Connect(c.url(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(nc.Close)
	return nc
}

func (c *cluster) hub(dir string) *end {
	c.t.Helper()
	h := begin(c.t, carrier.Control{Serve: &carrier.Serve{Dir: dir, NATS: c.url()}})
	h.ready()
	return h
}

// freeAddress returns a port that the kernel assigns to nobody who did not ask for it: parallel tests connect
// all the time.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 100 {
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 12000+rand.IntN(20000))); err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}
