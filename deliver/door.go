package deliver

import (
	"context"
	"time"

	"nod/deliver/door"
	"nod/detect/screen"
	"nod/internal/reason"
)

const (
	// printTime is how long a hook may take to print the answer that it was given.
	printTime = time.Second
	// attendTime is how long a hook may take to connect after its door was opened.
	attendTime = 2 * time.Second
	// doorTime is how long nod waits for an agent's hook that is known to come: its event may come after its
	// dialog.
	doorTime = time.Second
)

// Taker returns what takes an agent's answer instead of a key: "hook", or "server", the one that runs its
// session.
func Taker(agent string) string {
	if door.Known(agent) {
		return "hook"
	}
	return "server"
}

// throughDoor gives a decision to the agent's own hook, if one waits for it. It reports false if nothing was
// handed over, so that keys must answer. Once something was handed over no key is typed, whatever happens.
func (j *job) throughDoor(ctx context.Context) (Result, bool) {
	if j.r.Decision != screen.Approve && j.r.Decision != screen.Deny || j.t.cfg.Doors == nil {
		return Result{}, false
	}
	way := j.awaitDoor(ctx)
	if way == nil {
		return Result{}, false
	}
	// The door is bound to its call. The look proves that nobody has answered at the terminal meanwhile.
	s, no := j.look(ctx)
	if no != nil || !j.r.asksAs(s.reading.Prompt) || j.r.Call == "" && s.reading.Prompt.Partial {
		return Result{}, false // no event reported the call, so the human decided on what the screen shows
	}
	if s.reading.Prompt.Tell() != nil && j.r.Because.proven() != "" && !way.Says(j.r.Because.Said()) {
		return Result{}, false // the prompt has a field for the words, and the door can't take them
	}
	if ctx.Err() != nil {
		return Result{}, false
	}
	if err := j.start(); err != nil {
		return j.failed(err), true
	}
	// Find the door again: while the start was recorded, the first door may have shut and another opened.
	if way = j.findDoor(); way == nil {
		return Result{}, false
	}
	printed, ok := way.Hand(j.r.Decision, j.r.Because.Said())
	if !ok {
		return Result{}, false
	}
	j.door = true
	select {
	case <-printed:
	case <-time.After(printTime):
	}
	res := j.watch(context.WithoutCancel(ctx), map[string]bool{j.r.Fingerprint: true}, way.Says(j.r.Because.Said()))
	select {
	case <-printed:
		return res, true
	default:
		return j.notGivenOn(res), true
	}
}

// notGivenOn returns the result of an answer that was handed over, if whatever took it has not said that it
// passed the answer on. The prompt may have gone because somebody answered at the terminal, which ends a hook.
func (j *job) notGivenOn(res Result) Result {
	if res.Outcome != Delivered {
		return res
	}
	after := res.After
	res = j.unknown(reason.Why{Kind: reason.NotGivenOn})
	res.After = after
	return res
}

// outside gives a decision to the hook of an agent without a pane. No screen shows the effect; the hook
// reports that it has printed the decision.
func (j *job) outside(ctx context.Context) Result {
	ended := refuse(Gone, reason.HookWaitsNoMore)
	if j.r.Decision == "" || j.t.cfg.Doors == nil || j.attended(ctx) == nil {
		return j.refused(ended)
	}
	if ctx.Err() != nil {
		return j.refused(refuse(Unreadable, reason.ShutsDownOutside))
	}
	if err := j.start(); err != nil {
		return j.failed(err)
	}
	way := j.t.cfg.Doors.Of(j.r.Nudge)
	if way == nil {
		return j.refused(ended)
	}
	printed, ok := way.Hand(j.r.Decision, j.r.Because.Said())
	if !ok {
		return j.refused(ended)
	}
	j.door = true
	select {
	case <-printed:
		res := j.delivered(reason.GivenOn)
		res.Said = way.Says(j.r.Because.Said())
		return res
	case <-time.After(effectTime):
		return j.unknown(reason.Why{Kind: reason.NotGivenOn})
	}
}

// attended returns the door of a request without a pane, once its hook waits there. A door that was just
// opened is given time.
func (j *job) attended(ctx context.Context) *door.Door {
	deadline := time.Now().Add(attendTime)
	for {
		way := j.t.cfg.Doors.Of(j.r.Nudge)
		if way != nil || !j.t.cfg.Doors.Has(j.r.Nudge, time.Now()) || time.Now().After(deadline) || !sleep(ctx, firstPause) {
			return way
		}
	}
}

// awaitDoor returns the door of the answered prompt. If the door may still come, awaitDoor waits for it.
func (j *job) awaitDoor(ctx context.Context) *door.Door {
	deadline := time.Now().Add(doorTime)
	for {
		way, left := j.findDoor(), time.Until(deadline)
		if way != nil || left <= 0 || !j.t.cfg.Doors.Comes(j.r.Pane, j.r.Process, j.r.Call) || !sleep(ctx, min(firstPause, left)) {
			return way
		}
	}
}

func (j *job) findDoor() *door.Door {
	return j.t.cfg.Doors.Find(j.r.Pane, j.r.Agent, j.r.Process, j.r.Call, j.r.Fingerprint)
}
