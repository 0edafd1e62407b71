package tmux

import (
	"os"
	"path/filepath"
	"syscall"
)

// SocketOwner is the user id that owns a socket or, if the socket is out of reach, the folder above it; -1: unknown.
func SocketOwner(socket string) int {
	for _, path := range []string{socket, filepath.Dir(socket)} {
		if info, err := os.Stat(path); err == nil {
			if stat, known := info.Sys().(*syscall.Stat_t); known {
				return int(stat.Uid)
			}
		}
	}
	return -1
}

// SameSocket reports whether two paths are one socket's.
func SameSocket(a, b string) bool {
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return a == b || errOne == nil && errTwo == nil && os.SameFile(one, two)
}
