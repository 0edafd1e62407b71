package rpc

import "golang.org/x/sys/unix"

// peerOf asks the kernel who opened the connection: SO_PEERCRED, unix(7).
func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), pid: int(c.Pid)}, nil
}
