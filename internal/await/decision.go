package await

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"nod/internal/control"
	"nod/internal/rpc"
)

// hookTimeout is how long an agent waits at the most for a hook that no human is to answer. Codex draws its prompt only
// when the hook has ended.
const hookTimeout = 500 * time.Millisecond

// signalLag is how much later one of two who wait for a signal may hear of it.
const signalLag = 50 * time.Millisecond

// longestDecision is more than any decision that an agent reads.
const longestDecision = 16 << 10

// Decision is what an agent's hook does: it hands the event that in holds to the running nod and, where nod gives it a
// door, waits there for a human's decision, which it prints to out. It is silent about every error: what it printed, an
// agent might read as a decision. Terminated tells that the agent ends the hook.
func Decision(ctx context.Context, client *rpc.Client, h rpc.Hook, in io.Reader, out io.Writer, terminated <-chan os.Signal) {
	handed := make(chan hook, 1)
	go func() {
		event, err := io.ReadAll(io.LimitReader(in, rpc.MaxHook))
		if err != nil {
			return
		}
		h.Event = event
		door, err := handOver(ctx, client, h)
		if err != nil {
			door = "" // nothing can be done about it, and nobody may be told
		}
		handed <- hook{h, client, door}
	}()
	select {
	case h := <-handed:
		if h.door != "" {
			h.waitAtDoor(ctx, out, terminated)
		}
	case <-time.After(hookTimeout): // in may stay open for ever
	case <-ctx.Done():
	}
}

// hook is a hook whose event was handed over.
type hook struct {
	rpc.Hook
	client *rpc.Client
	door   string // the word with which it may wait for a decision; empty: there is none to wait for
}

// handOver hands an event over, and gives the word with which the hook may wait for a decision.
func handOver(ctx context.Context, client *rpc.Client, h rpc.Hook) (door string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	return client.Hook(ctx, h)
}

// waitAtDoor waits for a human's decision on the request that started this hook, and prints it. An agent that ends the
// hook meanwhile says with it that the request was answered at its terminal.
func (h hook) waitAtDoor(ctx context.Context, out io.Writer, terminated <-chan os.Signal) {
	var answer control.DoorAnswer
	err := h.client.Wait(ctx, "door.wait", control.DoorParams{Door: h.door}, &answer)
	if err != nil {
		select {
		case <-terminated:
			h.Ended = true
			_, _ = handOver(context.WithoutCancel(ctx), h.client, h.Hook)
		case <-time.After(signalLag):
		}
		return
	}
	if len(answer.Print) > longestDecision || !json.Valid([]byte(answer.Print)) {
		return
	}
	if _, err := io.WriteString(out, answer.Print+"\n"); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookTimeout)
	defer cancel()
	_ = h.client.Call(ctx, "door.printed", control.DoorParams{Door: h.door}, nil)
}
