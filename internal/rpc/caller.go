package rpc

import (
	"context"
	"fmt"
	"net"
	"syscall"
)

// peer is the process at the other end of a connection, as the kernel tells it.
type peer struct {
	uid, pid int
	conn     syscall.RawConn
	tooMany  string // why its connection is one too many; empty: it is not
}

type peerKey struct{}

// CallerPID returns the process that sent the request which ctx belongs to, or 0 where that is not
// known: the kernel does not name a process of another pid namespace.
func CallerPID(ctx context.Context) int {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p.pid
}

// CallerLives reports whether the process that sent the request which ctx belongs to still runs, so that its pid is nobody
// else's. Where the system can't say of whom the connection is, it is not asked.
func CallerLives(ctx context.Context) bool {
	p, ok := ctx.Value(peerKey{}).(peer)
	lives := false
	if ok && p.conn.Control(func(fd uintptr) { lives = peerLives(int(fd)) }) != nil {
		return false
	}
	return lives
}

// withPeer notes the connection's peer for the requests that come over it.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, conn.(*callerConn).peer)
}

func identify(conn net.Conn) (peer, error) {
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return peer{}, fmt.Errorf("%T is no connection over a Unix socket", conn)
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return peer{}, err
	}
	var p peer
	var peerErr error
	if err := raw.Control(func(fd uintptr) { p, peerErr = peerOf(int(fd)) }); err != nil {
		return peer{}, err
	}
	p.conn = raw
	return p, peerErr
}
