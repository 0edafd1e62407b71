package main

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
)

// askEvery is the interval at which a machine that wants to join asks for the hub's decision.
const askEvery = 2 * time.Second

// ask sends a machine's request to the hub repeatedly, and passes the hub's replies to nod, which verifies
// them.
func ask(ctx context.Context, t talk, a carrier.Ask) error {
	subject, id := subjectsOf(a.Pin), a.Invite.Public().ID()
	asks := make(chan struct{}, 1)
	nc, err := reach(a.Address, a.Pin, a.Invite, a.Creds, func() { ring(asks) }, func(why string) { t.trouble("hub", why) })
	if err != nil {
		t.trouble("hub", err.Error())
		return t.drain()
	}
	defer nc.Close()
	if _, err := nc.Subscribe(subject.joined(id), func(m *nats.Msg) {
		if json.Valid(m.Data) {
			t.say(carrier.Control{Reply: m.Data})
		}
	}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var asking sync.WaitGroup
	asking.Go(func() {
		ticker := time.NewTicker(askEvery)
		defer ticker.Stop()
		for {
			if nc.IsConnected() {
				_ = nc.Publish(subject.join(id), a.Request) // it is sent again anyway
			}
			select {
			case <-ctx.Done():
				return
			case <-asks:
			case <-ticker.C:
			}
		}
	})
	defer asking.Wait()
	defer cancel()
	return t.drain()
}
