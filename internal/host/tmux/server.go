package tmux

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
)

// Server is one tmux server, running or not. It keeps nothing of the server's state, and is safe for concurrent use.
type Server struct {
	socket string
	prints atomic.Int64 // the size of the last reply: the next one is about as long
}

// New names a server the way people do: "" is the default one, a name is what `tmux -L` takes, and
// what has a slash is a socket's path, as for `tmux -S`. It does no I/O.
func New(name string) *Server {
	if strings.Contains(name, "/") {
		if abs, err := filepath.Abs(name); err == nil {
			name = abs
		}
		return &Server{socket: name}
	}
	if name == "" {
		name = "default"
	}
	// tmux(1), -L: the sockets are in TMUX_TMPDIR or, if that is unset, in /tmp.
	dir := os.Getenv("TMUX_TMPDIR")
	if dir == "" {
		dir = "/tmp"
	}
	return &Server{socket: filepath.Join(dir, "tmux-"+strconv.Itoa(os.Getuid()), name)}
}

// Socket is the absolute path of the server's socket.
func (s *Server) Socket() string { return s.socket }
