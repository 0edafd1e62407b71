package tmuxtest

import (
	"net"
	"syscall"
)

// end sends the server the signal that kill-server sends it, without starting tmux for that. The process is that
// which listens at the socket now (SO_PEERCRED, unix(7)).
func (s *Server) end() {
	conn, err := net.Dial("unix", s.Socket)
	if err != nil {
		return // there is no server any more, which is what is wanted
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return
	}
	_ = raw.Control(func(fd uintptr) {
		if peer, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			_ = syscall.Kill(int(peer.Pid), syscall.SIGTERM)
		}
	})
}
