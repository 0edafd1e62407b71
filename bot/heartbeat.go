package bot

import (
	"sync"
	"time"
)

const (
	// handleLimit is how long one update, or storing the offset, may take.
	handleLimit = time.Minute
	// swapSlack is the extra time for a machine that swaps.
	swapSlack = 15 * time.Second
)

// heartbeat says whether the poll loop is alive. Before each wait the loop says how long it may take at most.
type heartbeat struct {
	begun chan struct{} // closed when the loop has begun

	mu     sync.Mutex
	closed bool
	due    time.Time // when the next beat must come; zero: the loop has not begun
}

// begin records that the loop has begun.
func (h *heartbeat) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.closed {
		close(h.begun)
		h.closed = true
	}
}

// beat records that the loop's next step takes no longer than within.
func (h *heartbeat) beat(within time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.due = time.Now().Add(within + swapSlack)
}

// alive reports whether no beat is overdue. Before the loop has begun none is.
func (h *heartbeat) alive(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.due.IsZero() || now.Before(h.due)
}
