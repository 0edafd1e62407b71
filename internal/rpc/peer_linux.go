package rpc

import (
	"errors"

	"golang.org/x/sys/unix"
)

// peerOf asks the kernel who opened the connection: SO_PEERCRED, unix(7).
func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), pid: int(c.Pid)}, nil
}

// peerLives reports whether the process that opened the connection still runs. The kernel keeps which one it was since
// Linux 6.5 (SO_PEERPIDFD), and names no other process by it; its descriptor is readable once it has ended.
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
			return err == nil && ended == 0
		}
	}
}
