package main

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestStatusNamesNoServerOfAnotherUser: their panes can't be watched.
func TestStatusNamesNoServerOfAnotherUser(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tmux-9")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := &program{}
	if sockets := p.unwatchedServers(); !slices.Contains(sockets, socket) {
		t.Errorf("%s is not among %q", socket, sockets)
	}
	if os.Chown(socket, 65534, 65534) != nil {
		t.Skip("only root can give a socket away")
	}
	if sockets := p.unwatchedServers(); slices.Contains(sockets, socket) {
		t.Errorf("%s is nobody's, and among %q", socket, sockets)
	}
}
