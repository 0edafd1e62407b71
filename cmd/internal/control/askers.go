package control

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"nod/internal/host/proc"
	"nod/internal/rpc"
)

// askers remembers which process asked which question here, so that a program withdraws its own by the id alone. The zero value is empty.
type askers struct {
	mu    sync.Mutex
	asked map[string]ownQuestion // by id
}

type ownQuestion struct {
	Asked
	by proc.ID
}

// remember takes in that the sender of ctx's request asked a question, and forgets those that are over by now.
func (a *askers) remember(ctx context.Context, asked Asked) {
	by, ok := sender(ctx)
	if !ok {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.asked == nil {
		a.asked = map[string]ownQuestion{}
	}
	maps.DeleteFunc(a.asked, func(_ string, q ownQuestion) bool { return time.Now().After(q.Expires) })
	a.asked[asked.ID] = ownQuestion{asked, by}
}

// key is the key with which the sender of ctx's request withdraws a question: the given one, or its own question's.
func (a *askers) key(ctx context.Context, p CancelParams) string {
	by, _ := sender(ctx) // zero if that is not known, and no question is that one's
	a.mu.Lock()
	defer a.mu.Unlock()
	if q := a.asked[p.ID]; q.by == by {
		return cmp.Or(p.Key, q.Key)
	}
	return p.Key
}

// sender is the process that sent ctx's request.
func sender(ctx context.Context) (proc.ID, bool) {
	line, _ := proc.Lineage(rpc.CallerPID(ctx)) // empty on an error
	if len(line) == 0 || !rpc.CallerLives(ctx) {
		return proc.ID{}, false
	}
	return line[0].ID, true
}
