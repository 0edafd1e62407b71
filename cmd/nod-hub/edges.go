package main

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
)

// edge is the hub's end of a link to a joined machine.
type edge struct {
	member
	link
	sub      *nats.Subscription
	complain sync.Once
}

var errNoFrame = errors.New("what it sends is no frame")

// turnAll ends the links of all edges, or begins the links of those that have greeted.
func (h *hub) turnAll(up bool) {
	h.mu.Lock()
	edges := slices.Collect(maps.Values(h.edges))
	h.mu.Unlock()
	for _, e := range edges {
		e.mu.Lock()
		met := e.seal.Met()
		e.mu.Unlock()
		e.turn(false)
		e.turn(up && met)
	}
}

// open admits a joined machine.
func (h *hub) open(m member) error {
	id, subject := m.Public.ID(), h.subject
	if h.own != nil {
		if err := h.admit(h.own.users, m); err != nil {
			return err
		}
	}
	e := &edge{member: m, link: link{talk: h.talk, nc: h.nc, to: subject.down(id), machine: m.Name, seal: join.HubSeal(h.members.Keys, m.Public.Signer)}}
	sub, err := h.nc.Subscribe(subject.up(id), func(msg *nats.Msg) { h.heard(e, msg.Data) })
	if err != nil {
		return err
	}
	// Each edge has its own queue, so that a flood in one does not affect the others.
	if err := sub.SetPendingLimits(256, 16<<20); err != nil {
		return err
	}
	e.sub = sub
	h.edges[id] = e
	return nil
}

// admit lets a machine use its own subjects.
func (h *hub) admit(u *users, m member) error {
	id := m.Public.ID()
	return u.admit(m.Public, h.subject.up(id), h.subject.down(id))
}

// expect admits the holder of an invite's code, so that it can ask to join.
func (h *hub) expect(u *users, i *invite) error {
	id := i.Public.ID()
	return u.admit(i.Public, h.subject.join(id), h.subject.joined(id))
}

// heard handles a message on an edge's subject.
func (h *hub) heard(e *edge, data []byte) {
	got, err := e.open(data)
	e.publish(e.nc, e.to, got.Reply)
	if err != nil {
		return // forged, damaged, or of another session; the edge greets again if needed
	}
	if got.Met {
		h.mu.Lock()
		up := h.maySend()
		h.mu.Unlock()
		e.turn(false) // a link on which nothing may be sent has not begun
		e.turn(up)
	}
	if got.Frame == nil {
		return
	}
	err = errNoFrame
	if json.Valid(got.Frame) {
		err = h.Write(pipe.Message{Machine: e.Name, Frame: got.Frame})
	}
	if err != nil { // not logged: an edge could fill the log
		e.complain.Do(func() { h.say(carrier.Control{Log: "frames of " + e.Name + " are left out: " + err.Error()}) })
	}
}

// send sends a frame to a machine.
func (h *hub) send(machine string, frame []byte) {
	h.mu.Lock()
	var to *edge
	for _, e := range h.edges {
		if e.Name == machine {
			to = e
		}
	}
	may := h.maySend()
	h.mu.Unlock()
	if to != nil && may {
		to.send(frame)
	}
}
