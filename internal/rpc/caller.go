package rpc

import (
	"context"
	"net"
	"syscall"
)

// peer is the process at the other end of a connection, as reported by the kernel.
type peer struct {
	uid, pid int
	conn     syscall.RawConn
	tooMany  string // why its connection is refused as one too many; empty if it is not
}

type peerKey struct{}

// CallerPID returns the pid of the process that sent the request of ctx. It returns 0 if the pid is unknown:
// the kernel does not name a process of another pid namespace.
func CallerPID(ctx context.Context) int {
	p, _ := ctx.Value(peerKey{}).(peer)
	return p.pid
}

// CallerLives reports whether the process that sent the request of ctx is still running, so that its pid
// can't have been reused. It returns true on systems that can't tell.
func CallerLives(ctx context.Context) bool {
	p, ok := ctx.Value(peerKey{}).(peer)
	lives := false
	if ok && p.conn.Control(func(fd uintptr) { lives = peerLives(int(fd)) }) != nil {
		return false
	}
	return lives
}

// withPeer adds the connection's peer to the context of its requests.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, peerKey{}, conn.(*callerConn).peer)
}

// identify returns the process at the other end. If the kernel does not name it, its uid is -1, which is nobody's.
func identify(conn net.Conn) peer {
	p := peer{uid: -1}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return p
	}
	raw, err := unixConn.SyscallConn()
	if err != nil {
		return p
	}
	_ = raw.Control(func(fd uintptr) { // fails with a closed connection, whose peer is nobody
		if named, err := peerOf(int(fd)); err == nil {
			p = named
		}
	})
	p.conn = raw
	return p
}
