package main

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
)

// spoke is the edge's end of a link.
type spoke struct {
	link
	greeting []byte // link.mu guards this, and
	greeted  time.Time
}

const (
	greetEvery = 2 * time.Second // until the hub answers
	greetAgain = time.Second     // the shortest pause between two greetings that the hub asks for
)

// dial carries the link of one joined edge until nod closes the pipe.
func dial(ctx context.Context, t talk, j join.Joined) error {
	pin := join.Pin(j.Hub)
	subject, id := subjectsOf(pin), j.Keys.Public().ID()
	s := &spoke{link: link{talk: t, to: subject.up(id), seal: join.EdgeSeal(j.Keys, j.Hub)}}
	greets := make(chan struct{}, 1)
	nc, err := reach(j.Address, pin, j.Keys, j.Creds, func() { ring(greets) }, func(why string) {
		t.trouble("hub", why)
		if why != "" {
			s.turn(false)
		}
	})
	if err != nil {
		t.trouble("hub", err.Error())
		return t.drain()
	}
	defer nc.Close()
	s.nc = nc
	if _, err := nc.Subscribe(subject.down(id), func(m *nats.Msg) { s.heard(m.Data) }); err != nil {
		return err
	}
	t.say(carrier.Control{Ready: &carrier.Ready{Version: release}})
	ctx, cancel := context.WithCancel(ctx)
	var greeter sync.WaitGroup
	greeter.Go(func() { s.greetUntilMet(ctx, greets) })
	defer greeter.Wait()
	defer cancel()
	for {
		m, err := t.Read()
		if err != nil {
			return err
		}
		if m.Frame != nil {
			s.send(m.Frame)
		}
	}
}

func ring(bell chan<- struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// greetUntilMet sends a new greeting at each ring, and repeats it until the hub answers.
func (s *spoke) greetUntilMet(ctx context.Context, greets <-chan struct{}) {
	ticker := time.NewTicker(greetEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-greets:
			s.greet()
		case <-ticker.C:
			s.mu.Lock()
			greeting := s.greeting
			if s.seal.Met() {
				greeting = nil
			}
			s.mu.Unlock()
			s.publish(s.nc, s.to, greeting)
		}
	}
}

func (s *spoke) greet() {
	s.turn(false)
	s.mu.Lock()
	s.greeting, s.greeted = s.seal.Greet(), time.Now()
	greeting := s.greeting
	s.mu.Unlock()
	s.publish(s.nc, s.to, greeting)
}

func (s *spoke) heard(data []byte) {
	got, err := s.open(data)
	if err != nil {
		return // it is not from the hub, or not of this session
	}
	s.mu.Lock()
	again := got.Knocked && time.Since(s.greeted) >= greetAgain
	s.mu.Unlock()
	s.publish(s.nc, s.to, got.Reply)
	switch {
	case again:
		s.greet()
	case got.Met:
		s.turn(true)
	case got.Frame != nil:
		if err := s.Write(pipe.Message{Frame: got.Frame}); err != nil {
			s.say(carrier.Control{Log: "a frame from the hub was lost: " + err.Error()})
		}
	}
}
