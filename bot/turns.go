package bot

import (
	"sync"
	"time"
)

const (
	// handleLimit is how long one update, or the note of where polling goes on, may take.
	handleLimit = time.Minute
	// turnSlack is what a machine that swaps may add.
	turnSlack = 15 * time.Second
)

// turns tell whether the poll loop turns. The loop says, each time before it waits, how long that may take at most.
type turns struct {
	begun chan struct{} // closed when the loop has begun

	mu     sync.Mutex
	closed bool
	due    time.Time // the loop turns by then; zero: it has not begun
}

// begin says that the loop has begun.
func (t *turns) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		close(t.begun)
		t.closed = true
	}
}

// next says that what the loop does now takes no longer than that.
func (t *turns) next(within time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = time.Now().Add(within + turnSlack)
}

// on reports whether the loop turns, as far as it has begun.
func (t *turns) on(now time.Time) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.due.IsZero() || now.Before(t.due)
}
