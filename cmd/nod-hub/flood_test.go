package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
	"nod/cmd/internal/fleet/pipe"
)

// TestAnEdgeThatLiesAndFloodsHarmsNobodyElse: an edge with its own keys sends as many messages as it can that
// are no frame, too large, sealed but not JSON, or claim another machine. Meanwhile the other machine's
// frames cross, nothing comes in its name, and the log is not filled.
func TestAnEdgeThatLiesAndFloodsHarmsNobodyElse(t *testing.T) {
	t.Parallel()
	hub := newHub(t, tempDir(t))
	mine, other := joins(t, hub, "gpu1", ""), joins(t, hub, "gpu2", "")
	honest := dials(t, other)
	hub.up("gpu2")
	honest.up("")
	stop := floods(t, mine)
	hub.up("gpu1")
	slowest := time.Duration(0)
	for i := range 20 {
		began, said := time.Now(), fmt.Sprint("seen ", i)
		honest.send("", said)
		hub.until(said, func(_ carrier.Control, m pipe.Message) bool {
			if m.Machine == "gpu2" && string(m.Frame) != `"`+said+`"` {
				t.Fatalf("in the name of gpu2 came %s", m.Frame)
			}
			return m.Machine == "gpu2"
		})
		hub.send("gpu2", "type")
		honest.hears("", "type")
		slowest = max(slowest, time.Since(began))
	}
	stop()
	t.Logf("there and back took %s at most", slowest)
	if list := hub.call(carrier.Control{Machines: true}).Machines; len(list) != 2 {
		t.Errorf("joined are %+v", list)
	}
	complaints := 0
	for _, line := range hub.logs {
		if strings.Contains(line, "gpu1") {
			complaints++
		}
	}
	if complaints > 1 {
		t.Errorf("the log has %d lines, such as %q", complaints, hub.logs[0])
	}
}

// floods greets the hub with a machine's keys, and then sends arbitrary messages until stop is called.
func floods(t *testing.T, j join.Joined) (stop func()) {
	t.Helper()
	pin := join.Pin(j.Hub)
	s, me := subjectsOf(pin), j.Keys.Public().ID()
	nc, _, _ := rogue(t, j.Address, pin, j.Keys)
	seal := join.EdgeSeal(j.Keys, j.Hub)
	met := make(chan []byte, 1)
	if _, err := nc.Subscribe(s.down(me), func(m *nats.Msg) {
		if h, err := seal.Open(m.Data); err == nil && h.Met {
			met <- h.Reply
		}
	}); err != nil {
		t.Fatal(err)
	}
	say := func(data []byte) {
		if err := nc.Publish(s.up(me), data); err != nil {
			t.Error(err)
		}
	}
	say(seal.Greet())
	select {
	case reply := <-met:
		say(reply)
	case <-time.After(patience):
		t.Fatal("the hub does not answer")
	}
	end := make(chan struct{})
	var flood sync.WaitGroup
	flood.Go(func() {
		for {
			for _, payload := range [][]byte{
				[]byte("no JSON"), []byte(`{"machine":"gpu2","frame":"typed by gpu1"}`), bytes.Repeat([]byte{'['}, 100<<10), bytes.Repeat([]byte{'7'}, 1<<20+5<<10),
			} {
				sealed, err := seal.Frame(payload)
				if err != nil {
					t.Error(err)
				}
				say(sealed)
				say(payload)
			}
			select {
			case <-end:
				return
			default:
			}
		}
	})
	return func() { close(end); flood.Wait() }
}
