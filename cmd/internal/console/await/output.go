package await

import (
	"context"
	"time"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
)

// lookForOutputEvery is the interval at which new output is fetched.
const lookForOutputEvery = 500 * time.Millisecond

// Output passes a monitor's output to see. With follow it continues with new output until the monitor ends.
func Output(ctx context.Context, client *rpc.Client, params control.LogsParams, follow bool, see func(text string) error) error {
	for {
		var m control.Monitor
		if err := client.Call(ctx, "monitor.show", control.NameParams{Name: params.Name}, &m); err != nil {
			return err
		}
		var logs control.Logs
		if err := client.Call(ctx, "monitor.logs", params, &logs); err != nil {
			return err
		}
		if err := see(logs.Logs); err != nil {
			return err
		}
		if !follow || m.Ended != nil {
			return nil
		}
		params.After, params.Bytes = logs.End, 0
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(lookForOutputEvery):
		}
	}
}
