package web

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// connections are the open connections.
type connections struct {
	mu      sync.Mutex
	open    int
	waiting []net.Conn // waiting for a request, the longest first
}

type connKey struct{}

// note records a connection's new state. If too many wait, the one that has waited longest for its request is
// closed: any program can open as many as it likes and send nothing, or half a header.
func (c *connections) note(conn net.Conn, state http.ConnState) {
	if state == http.StateActive {
		return // the rest of its request may never come
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(conn)
	switch state {
	case http.StateNew:
		c.open++
		c.waiting = append(c.waiting, conn)
	case http.StateIdle:
		c.waiting = append(c.waiting, conn)
	case http.StateClosed, http.StateHijacked:
		c.open--
	}
	if c.open > maxConnections && len(c.waiting) > 0 {
		c.waiting[0].Close()
		c.waiting = c.waiting[1:]
	}
}

// serves records that a request has arrived, except for its body.
func (c *connections) serves(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.forget(conn)
}

func (c *connections) forget(conn net.Conn) {
	c.waiting = slices.DeleteFunc(c.waiting, func(other net.Conn) bool { return other == conn })
}
