package tmux

import (
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Sockets are the paths of the tmux sockets on this machine that somebody listens on, whoever's they
// are: a hint for a person whose server is not where nod looks. A socket given by `tmux -S` is found only
// if its directory is named like tmux's own, "tmux-UID".
func Sockets() ([]string, error) {
	table, err := os.ReadFile("/proc/net/unix")
	if err != nil {
		return nil, fmt.Errorf("list tmux sockets: %w", err)
	}
	return listening(string(table)), nil
}

// listening reads /proc/net/unix (proc(5)): number, reference count, protocol, flags, type, state,
// inode, path. Flag 00010000 (__SO_ACCEPTCON) means that it listens. A path may hold blanks.
func listening(table string) []string {
	var sockets []string
	for line := range strings.Lines(table) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 7)
		if len(fields) < 7 || fields[3] != "00010000" {
			continue
		}
		// The inode is padded with blanks on its left.
		_, path, _ := strings.Cut(strings.TrimLeft(fields[6], " "), " ")
		if strings.Contains(path, "/tmux-") && !slices.Contains(sockets, path) {
			sockets = append(sockets, path)
		}
	}
	slices.Sort(sockets)
	return sockets
}

// Listener is the process that opened the server's socket to listen there; 0: unknown. The kernel knows it of a server that answers
// nobody, too (SO_PEERCRED, unix(7)).
func (s *Server) Listener() (pid int) {
	conn, err := net.Dial("unix", s.Socket())
	if err != nil {
		return 0
	}
	defer conn.Close()
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0
	}
	_ = raw.Control(func(fd uintptr) {
		if peer, err := unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(peer.Pid)
		}
	})
	return pid
}
