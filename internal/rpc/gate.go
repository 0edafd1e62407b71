package rpc

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Limits of open connections: one process can use up neither all connections nor all streams. Callers beyond
// a limit are told so, toldAtOnce of them at a time.
const (
	perCaller  = maxStreams - 8
	maxCallers = 512
	toldAtOnce = perCaller
)

// acceptPause is the pause before the next accept if no descriptor is left.
const acceptPause = 200 * time.Millisecond

// writeLimit is how long a caller may take to read the next part of its answer.
const writeLimit = 10 * time.Second

// gate is a listener that counts the connections of each process.
type gate struct {
	net.Listener
	limit    int
	patience time.Duration // with a caller that does not read
	log      *slog.Logger
	// spare is a descriptor in reserve. It is closed when no other is left, so that one caller can be told;
	// nil while it is closed.
	spare *os.File

	mu   sync.Mutex
	open map[int]int // by pid
	all  int
}

func newGate(listener net.Listener, patience time.Duration, log *slog.Logger) *gate {
	g := &gate{Listener: listener, limit: maxCallers, patience: patience, log: log, open: map[int]int{}}
	g.spare, _ = os.Open(os.DevNull) // if this fails, nobody is told
	// Keep half of the descriptors for tmux, the database and the network.
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		g.limit = int(min(uint64(g.limit), uint64(files.Cur/2)))
	}
	return g
}

func (g *gate) Accept() (net.Conn, error) {
	for {
		conn, err := g.Listener.Accept()
		if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
			g.exhausted(err)
			continue
		}
		if err != nil {
			return nil, err
		}
		p := identify(conn)
		if !g.recovered() {
			p.tooMany = "nod can open no more files and connections: end what has many of them open"
		}
		if c := g.admit(conn, p); c != nil {
			return c, nil
		}
		conn.Close()
	}
}

// exhausted closes the spare descriptor for the next caller, or pauses if it is already closed.
func (g *gate) exhausted(err error) {
	if g.spare == nil {
		time.Sleep(acceptPause)
		return
	}
	g.log.Warn("no caller is let in until files or connections are closed", "error", err)
	g.spare.Close()
	g.spare = nil
}

// recovered reopens the spare descriptor and reports whether it is open.
func (g *gate) recovered() bool {
	if g.spare == nil {
		if g.spare, _ = os.Open(os.DevNull); g.spare != nil {
			g.log.Info("callers are let in again")
		}
	}
	return g.spare != nil
}

// admit counts one more connection of p. It returns nil if there is no room even to say that there are too
// many.
func (g *gate) admit(conn net.Conn, p peer) *callerConn {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := &callerConn{Conn: conn, peer: p, patience: g.patience, leave: sync.OnceFunc(func() { g.leave(p.pid) })}
	switch {
	case p.tooMany != "":
	case g.open[p.pid] >= perCaller+toldAtOnce || g.all >= g.limit+toldAtOnce:
		return nil
	case g.open[p.pid] >= perCaller:
		c.peer.tooMany = fmt.Sprintf("process %d has %d connections open already: end some of what it does at once", p.pid, perCaller)
	case g.all >= g.limit:
		c.peer.tooMany = fmt.Sprintf("%d connections open already: end some of the programs that call nod", g.limit)
	}
	g.open[p.pid]++
	g.all++
	return c
}

func (g *gate) leave(pid int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.all--
	if g.open[pid]--; g.open[pid] == 0 {
		delete(g.open, pid)
	}
}

// callerConn is a connection of one caller. It is closed if the caller does not read.
type callerConn struct {
	net.Conn
	peer     peer
	patience time.Duration
	leave    func()
}

func (c *callerConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *callerConn) Close() error {
	defer c.leave()
	return c.Conn.Close()
}

// hangUpLook is the interval at which a waiting caller's connection is checked.
const hangUpLook = time.Second

// whileCalled cancels ctx soon after the caller hung up. net/http does that at once, except if the caller has
// sent more than its request: unread data hides the end of the connection.
func whileCalled(ctx context.Context, conn syscall.RawConn) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		look := time.Tick(hangUpLook)
		for {
			select {
			case <-ctx.Done():
				return
			case <-look:
				if hungUp(conn) {
					cancel()
				}
			}
		}
	}()
	return ctx, cancel
}

func hungUp(conn syscall.RawConn) (gone bool) {
	err := conn.Control(func(fd uintptr) {
		n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd)}}, 0) // an end is reported unasked, and nothing else
		gone = n > 0
	})
	return gone || err != nil
}
