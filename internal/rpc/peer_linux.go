package rpc

import (
	"errors"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel for the process at the other end: SO_PEERCRED, unix(7).
func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), pid: int(c.Pid)}, nil
}

// peerLives reports whether the process that opened the connection is still running. Since Linux 6.5 the
// kernel has a pidfd for it (SO_PEERPIDFD), which never names another process and is readable once the
// process has ended.
func peerLives(fd int) bool {
	pidfd, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD)
	if errors.Is(err, unix.ENOPROTOOPT) {
		return true // an older kernel
	}
	if err != nil {
		return false
	}
	defer unix.Close(pidfd)
	for {
		ended, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 0)
		if !errors.Is(err, unix.EINTR) {
			return ended == 0 // -1 with an error
		}
	}
}
