package await

import (
	"context"
	"fmt"

	"nod/internal/host/proc"
)

// WhileRuns is ctx until the process pid ends; 0: ctx as it is. The error says that no such process runs.
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
