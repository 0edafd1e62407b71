package door

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// heardServers are Servers that hear an appServer, and what they tell.
type heardServers struct {
	*Servers
	doors Doors
	asked chan *askedDoor
	off   atomic.Bool
	run   func() // looks for servers now, and then as often as Servers do
	stop  func()
	runs  sync.WaitGroup

	mu     sync.Mutex
	over   map[string]error
	denied []Denied
	notNow int // how often a request is put off
}

type askedDoor struct {
	Asked
	*Door
}

func hear(t *testing.T, s *appServer, change func(*heardServers, *ServersConfig)) *heardServers {
	t.Helper()
	h := &heardServers{asked: make(chan *askedDoor, 100), over: map[string]error{}}
	cfg := ServersConfig{
		On:   func() bool { return !h.off.Load() },
		Find: func() []*agents.Server { return []*agents.Server{s.at()} },
		Ask: func(a Asked) (*Door, bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			if h.notNow--; h.notNow >= 0 {
				return nil, false
			}
			w := h.doors.OpenAt(fmt.Sprint("n", len(h.asked), a.Item, time.Now().UnixNano()), time.Now())
			h.asked <- &askedDoor{a, w}
			return w, true
		},
		Over: func(nudge string, how error) {
			if h.doors.Of(nudge) != nil {
				t.Error("a request that is over takes an answer still")
			}
			h.mu.Lock()
			defer h.mu.Unlock()
			h.over[nudge] = how
		},
		Denied: func(d Denied, claimed bool) bool {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.denied = append(h.denied, d)
			return true
		},
		Turn:  func(string, proc.ID) {},
		Trust: anybody,
		Log:   slog.New(slog.DiscardHandler),
	}
	if change != nil {
		change(h, &cfg)
	}
	h.Servers = NewServers(cfg)
	ctx, stop := context.WithCancel(t.Context())
	h.stop = stop
	h.run = func() {
		h.runs.Go(func() {
			if err := h.Run(ctx); err != nil {
				t.Error(err)
			}
		})
	}
	h.run()
	t.Cleanup(func() {
		stop()
		h.runs.Wait()
	})
	return h
}

// next is the next request that somebody is told of.
func (h *heardServers) next(t *testing.T) *askedDoor {
	t.Helper()
	select {
	case a := <-h.asked:
		return a
	case <-time.After(10 * time.Second):
		t.Fatal("nobody was asked")
		return nil
	}
}

func (h *heardServers) how(nudge string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.over[nudge]
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never %s", what)
		}
	}
}

func isClosed(c <-chan struct{}, within time.Duration) bool {
	select {
	case <-c:
		return true
	case <-time.After(within):
		return false
	}
}
