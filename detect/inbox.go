package detect

import (
	"sync"
	"time"

	"nod/internal/proc"
)

// What waits at most to be taken in. A server that hangs holds its lookout up for some seconds.
const (
	inboxEvents = 1024
	inboxBytes  = 16 << 20
)

// heard is an event, when it came, and who sent it.
type heard struct {
	HookEvent
	at   time.Time
	line []proc.Process // the sender and its ancestors; nil where that is not known
	// beckoned says that the event has led to a look already.
	beckoned bool
}

// inbox holds the events that a lookout has not taken in yet.
type inbox struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex
	events []heard
	bytes  int
	looks  map[string]bool // panes for which an event waits that is a reason to look and nothing more
	lost   bool            // an event did not fit in
}

func newInbox() *inbox { return &inbox{wake: make(chan struct{}, 1), looks: map[string]bool{}} }

// bare reports whether an event tells nothing but that there is something to look at.
func (e *HookEvent) bare() bool {
	return e.Kind == Asks && len(e.Input) == 0 || e.Kind == Ran && e.Call == "" && len(e.Input) == 0
}

// repeats reports whether an event says no more than one that waits already.
func (b *inbox) repeats(e *HookEvent) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return e.bare() && b.looks[e.Pane]
}

// put never waits: what does not fit is lost, and take says so.
func (b *inbox) put(h heard) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if size := len(h.Input); len(b.events) >= inboxEvents || b.bytes+size > inboxBytes {
		b.lost = true
	} else {
		b.events, b.bytes = append(b.events, h), b.bytes+size
		if h.bare() {
			b.looks[h.Pane] = true
		}
	}
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take empties the box.
func (b *inbox) take() (events []heard, lost bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	events, lost = b.events, b.lost
	b.events, b.bytes, b.lost = nil, 0, false
	clear(b.looks)
	return events, lost
}
