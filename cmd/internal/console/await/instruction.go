package await

import (
	"context"
	"time"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
	"nod/nudge"
)

// waitChunk is how long one call waits; then the next call continues.
const waitChunk = time.Minute

// Instruction waits until an instruction is over, until it has exceeded its own time limit, or until timeout
// has passed, and returns its state.
func Instruction(ctx context.Context, client *rpc.Client, id string, timeout time.Duration) (control.Waited, error) {
	for end := time.Now().Add(timeout); ; {
		left := max(0, min(time.Until(end), waitChunk))
		var how control.Waited
		if err := client.Call(ctx, "instruction.wait", control.WaitParams{ID: id, TimeoutMS: left.Milliseconds()}, &how); err != nil {
			return control.Waited{}, err
		}
		if state := nudge.InstructionState(how.State); !Waits(how) && state.Over() || state == nudge.TimeoutWaiting || time.Until(end) <= 0 {
			return how, nil
		}
	}
}

// Waits reports whether the instruction is a wish that nobody has sent or dropped yet.
func Waits(how control.Waited) bool { return how.State == string(nudge.Wished) }
