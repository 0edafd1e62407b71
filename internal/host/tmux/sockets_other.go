//go:build !linux

package tmux

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
)

// Sockets are the paths of the tmux sockets of this machine that somebody listens on, if they are where
// tmux puts them: a hint for a person whose server is not where nod looks.
func Sockets() ([]string, error) {
	var sockets []string
	for _, dir := range []string{"/tmp", os.Getenv("TMUX_TMPDIR")} {
		paths, err := filepath.Glob(filepath.Join(dir, "tmux-*", "*"))
		if err != nil {
			return nil, fmt.Errorf("list tmux sockets: %w", err)
		}
		for _, path := range paths {
			conn, err := net.Dial("unix", path)
			if err != nil {
				continue
			}
			_ = conn.Close()
			sockets = append(sockets, path)
		}
	}
	slices.Sort(sockets)
	return slices.Compact(sockets), nil
}

// Listener is the process that listens at the server's socket; 0: unknown.
func (s *Server) Listener() int { return 0 }
