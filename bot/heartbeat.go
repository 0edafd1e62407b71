package bot

import (
	"sync"
	"time"
)

const (
	// handleLimit is how long one update, or the note of where polling goes on, may take.
	handleLimit = time.Minute
	// swapSlack is what a machine that swaps may add.
	swapSlack = 15 * time.Second
)

// heartbeat tells whether the poll loop is alive. The loop says, each time before it waits, how long that may take at most.
type heartbeat struct {
	begun chan struct{} // closed when the loop has begun

	mu     sync.Mutex
	closed bool
	due    time.Time // the next beat comes by then; zero: the loop has not begun
}

// begin says that the loop has begun.
func (h *heartbeat) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		close(h.begun)
		h.closed = true
	}
}

// beat says that what the loop does now takes no longer than that.
func (h *heartbeat) beat(within time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due = time.Now().Add(within + swapSlack)
}

// alive reports whether no beat is overdue; before the loop has begun none is.
func (h *heartbeat) alive(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.due.IsZero() || now.Before(h.due)
}
