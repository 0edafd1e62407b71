package await

import (
	"context"
	"fmt"

	"nod/internal/host/proc"
)

// WhileRuns returns a context that ends with the process pid; for pid 0 it only ends with ctx. The error says
// that no such process is running.
func WhileRuns(ctx context.Context, pid int) (context.Context, context.CancelFunc, error) {
	ctx, stop := context.WithCancel(ctx)
	if pid == 0 {
		return ctx, stop, nil
	}
	id, err := proc.Of(pid)
	if err != nil || !proc.Alive(id) {
		stop()
		return nil, nil, fmt.Errorf("no process %d runs that could wait for the answer", pid)
	}
	go func() {
		proc.Await(ctx, id)
		stop()
	}()
	return ctx, stop, nil
}
