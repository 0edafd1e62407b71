package detect

import (
	"sync"
	"time"
)

// How much may wait at most to be handled. A server that hangs holds its watcher up for some seconds.
const (
	maxQueuedEvents = 1024
	maxQueuedBytes  = 8 << 20
)

// receivedEvent is an event, when it came, and who sent it.
type receivedEvent struct {
	HookEvent
	at        time.Time
	ancestors []ancestor // the sender and its ancestors; nil: unknown
	looked    bool       // the event has led to a look already
}

// size is about how many bytes an event takes.
func (e *receivedEvent) size() int {
	edits := 0
	for _, edit := range e.Edits {
		edits += 128 + len(edit.Path) + len(edit.Diff)
	}
	return 512 + edits + len(e.Event) + len(e.Session) + len(e.Tool) + len(e.Call) + len(e.Input) + len(e.Message) + len(e.Cwd) +
		len(e.Transcript) + len(e.Socket) + 64*len(e.ancestors)
}

// eventQueue holds the events that a serverWatcher has not handled yet.
type eventQueue struct {
	wake chan struct{} // has room for one

	mu     sync.Mutex // guards what follows
	events []receivedEvent
	bytes  int
	looks  map[string]bool // panes for which an event waits that is only a reason to look
	lost   bool            // an event had no room
}

func newEventQueue() *eventQueue {
	return &eventQueue{wake: make(chan struct{}, 1), looks: map[string]bool{}}
}

// repeats reports whether an event says no more than a waiting one.
func (q *eventQueue) repeats(e *HookEvent) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return e.isOnlyALook() && q.looks[e.Pane]
}

// put never waits: an event without room is lost, and take says so.
func (q *eventQueue) put(e receivedEvent) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if size := e.size(); len(q.events) >= maxQueuedEvents || q.bytes+size > maxQueuedBytes {
		q.lost = true
	} else {
		q.events, q.bytes = append(q.events, e), q.bytes+size
		if e.isOnlyALook() {
			q.looks[e.Pane] = true
		}
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take empties the queue.
func (q *eventQueue) take() (events []receivedEvent, lost bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	events, lost = q.events, q.lost
	q.events, q.bytes, q.lost = nil, 0, false
	clear(q.looks)
	return events, lost
}
