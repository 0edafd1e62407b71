package main

import (
	"errors"
	"sync"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
)

// link is one end of a link, whose frames are sealed.
type link struct {
	talk
	nc      *nats.Conn
	to      string // the subject on which the other end hears
	machine string // at the hub, the name of the other end

	mu   sync.Mutex
	seal *join.Seal
	up   bool
}

// open reads a message that has come.
func (l *link) open(data []byte) (join.Heard, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seal.Open(data)
}

// send sends a frame. If the other end is away, the frame is lost: nothing is kept for it.
func (l *link) send(frame []byte) {
	l.mu.Lock()
	sealed, err := l.seal.Frame(frame)
	l.mu.Unlock()
	if err == nil {
		l.publish(l.nc, l.to, sealed)
	}
}

// turn reports to nod that the link has begun or ended.
func (l *link) turn(up bool) {
	l.mu.Lock()
	was := l.up
	l.up = up
	l.mu.Unlock()
	if was != up {
		l.say(carrier.Control{Link: &carrier.LinkState{Machine: l.machine, Up: up}})
	}
}

// publish sends a message, if there is one. Without a connection it is lost.
func (t talk) publish(nc *nats.Conn, subject string, data []byte) {
	if data == nil {
		return
	}
	if err := nc.Publish(subject, data); err != nil && !errors.Is(err, nats.ErrConnectionClosed) && !errors.Is(err, nats.ErrReconnectBufExceeded) {
		t.say(carrier.Control{Log: "nothing was sent to " + subject + ": " + err.Error()})
	}
}
