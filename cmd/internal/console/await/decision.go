package await

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"time"

	"nod/cmd/internal/control"
	"nod/internal/rpc"
)

// hookTimeout is how long an agent waits for a hook that no human answers. Codex draws its prompt only after
// the hook has ended.
const hookTimeout = 500 * time.Millisecond

// signalLag is the largest delay between two processes that get the same signal.
const signalLag = 50 * time.Millisecond

// longestDecision is a size limit in bytes, above every decision that an agent reads; a form's values are the
// longest.
const longestDecision = 256 << 10

// Decision does the work of an agent's hook. It passes the event from in to the running nod. If nod returns a
// door, it waits there for a human's decision and prints that to out. It prints nothing on an error, because
// the agent would read any output as a decision. terminated receives when the agent ends the hook.
func Decision(ctx context.Context, client *rpc.Client, h rpc.Hook, in io.Reader, out io.Writer, terminated <-chan os.Signal) {
	handed := make(chan hook, 1)
	go func() {
		event, err := io.ReadAll(io.LimitReader(in, rpc.MaxHook))
		if err != nil {
			return
		}
		h.Event = event
		door, err := handOver(context.WithoutCancel(ctx), client, h)
		if err != nil {
			door = "" // nothing can be done about it, and nothing may be printed
		}
		handed <- hook{h, client, door}
	}()
	select {
	case h := <-handed:
		if h.door != "" {
			h.waitAtDoor(ctx, out, terminated)
		}
	case <-time.After(hookTimeout): // in may never be closed
	}
}

// hook is a hook whose event was passed to nod.
type hook struct {
	rpc.Hook
	client *rpc.Client
	door   string // the word with which it may wait for a decision; may be empty
}

// handOver passes an event to nod, and returns the word with which the hook may wait for a decision.
func handOver(ctx context.Context, client *rpc.Client, h rpc.Hook) (door string, err error) {
	ctx, cancel := context.WithTimeout(ctx, hookTimeout)
	defer cancel()
	return client.Hook(ctx, h)
}

// waitAtDoor waits for a human's decision on the hook's request, and prints it. An agent ends the hook when
// the request was answered at its terminal. nod is told of that before the hook stops waiting: otherwise the
// hook would look lost.
func (h hook) waitAtDoor(ctx context.Context, out io.Writer, terminated <-chan os.Signal) {
	waiting, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	decided := make(chan string, 1)
	go func() {
		var answer control.DoorAnswer
		if err := h.client.Wait(waiting, "door.wait", control.DoorParams{Door: h.door}, &answer); err != nil {
			answer.Print = "" // nod is stopping, or the request is over
		}
		decided <- answer.Print
	}()
	select {
	case decision := <-decided:
		h.print(ctx, out, decision)
	case <-terminated:
		h.tellEnded(ctx)
	case <-ctx.Done(): // it may have ended by the same signal
		select {
		case <-terminated:
			h.tellEnded(ctx)
		case <-time.After(signalLag):
		}
	}
}

// tellEnded tells nod that the agent has ended the hook.
func (h hook) tellEnded(ctx context.Context) {
	h.Ended = true
	_, _ = handOver(context.WithoutCancel(ctx), h.client, h.Hook) // nothing can be done about an error
}

// print prints a decision for the agent, and tells nod so.
func (h hook) print(ctx context.Context, out io.Writer, decision string) {
	if len(decision) > longestDecision || !json.Valid([]byte(decision)) {
		return
	}
	if _, err := io.WriteString(out, decision+"\n"); err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), hookTimeout)
	defer cancel()
	_ = h.client.Call(ctx, "door.printed", control.DoorParams{Door: h.door}, nil)
}
