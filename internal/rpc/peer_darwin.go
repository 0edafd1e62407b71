package rpc

import "golang.org/x/sys/unix"

// peerOf asks the kernel for the process at the other end: LOCAL_PEERCRED and LOCAL_PEERPID, unix(4).
func peerOf(fd int) (peer, error) {
	c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return peer{}, err
	}
	pid, err := unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	if err != nil {
		return peer{}, err
	}
	return peer{uid: int(c.Uid), pid: pid}, nil
}

// peerLives always returns true: macOS identifies the process only by its pid.
func peerLives(int) bool { return true }
