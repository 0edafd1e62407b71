package proc

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Peer returns the other end of a connection within this machine: its user and the processes that have it
// open. For a Unix socket it returns the listening process.
func Peer(conn net.Conn) (uid int, pids []int, err error) {
	switch c := conn.(type) {
	case *net.TCPConn:
		local, err1 := netip.ParseAddrPort(c.LocalAddr().String())
		remote, err2 := netip.ParseAddrPort(c.RemoteAddr().String())
		if err := errors.Join(err1, err2); err != nil {
			return 0, nil, err
		}
		end, err := ClientOf(remote, local)
		if err != nil {
			return 0, nil, err
		}
		pids, err = end.Holders()
		return end.UID, pids, err
	case *net.UnixConn:
		raw, err := c.SyscallConn()
		if err != nil {
			return 0, nil, err
		}
		var cred *unix.Ucred
		var got error
		if err := raw.Control(func(fd uintptr) { cred, got = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
			return 0, nil, err
		}
		if got != nil {
			return 0, nil, fmt.Errorf("ask who listens: %w", got)
		}
		return int(cred.Uid), []int{int(cred.Pid)}, nil
	}
	return 0, nil, errors.ErrUnsupported
}
