package deliver

import (
	"context"
	"time"

	"nod/deliver/door"
	"nod/detect/screen"
	"nod/internal/reason"
)

const (
	// printTime is how long a hook may take to print an answer that it was given.
	printTime = time.Second
	// attendTime is how long a hook may take to wait at the door that was opened for it.
	attendTime = 2 * time.Second
	// doorTime is how long an agent's hook may be late, where it is known to wait: an event may come after its dialog.
	doorTime = time.Second
)

// Taker names what of an agent takes an answer that is no key: the hook that waits for it, else the server that runs its session.
func Taker(agent string) string {
	if door.Known(agent) {
		return "hook"
	}
	return "server"
}

// throughDoor gives a decision to the agent's own hook, where that waits for it. It reports false where nothing was handed
// over: then keys answer. Once something was, no key is typed, whatever comes of it.
func (j *job) throughDoor(ctx context.Context) (Result, bool) {
	if j.r.Decision != screen.Approve && j.r.Decision != screen.Deny || j.t.cfg.Doors == nil {
		return Result{}, false
	}
	way := j.awaitDoor(ctx)
	if way == nil {
		return Result{}, false
	}
	// What the door is for is bound to its call. The look tells that nobody has answered at the terminal meanwhile.
	s, no := j.look(ctx)
	if no != nil || !j.r.asksAs(s.reading.Prompt) || j.r.Call == "" && s.reading.Prompt.Partial {
		return Result{}, false // where no event had told the call, what was decided on is what the screen shows
	}
	if s.reading.Prompt.Tell() != nil && j.r.Because.proven() != "" && !way.Says(j.r.Because.Said()) {
		return Result{}, false // the prompt has a field for what the door can't say
	}
	if ctx.Err() != nil {
		return Result{}, false
	}
	if err := j.begin(); err != nil {
		return j.failed(notBegun{err}), true
	}
	j.begun = true
	// Not the one from before: while it was noted that the answer is given, that door may have shut and another opened.
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
	case <-time.After(printTime): // the hook may have been killed; the screen tells
	}
	return j.watch(context.WithoutCancel(ctx), map[string]bool{j.r.Fingerprint: true}, way.Says(j.r.Because.Said())), true
}

// outside gives a decision to the hook of an agent that runs in no pane. There is no screen that could tell what came of
// it: the hook says that it has printed it.
func (j *job) outside(ctx context.Context) Result {
	ended := refuse(Gone, reason.HookWaitsNoMore)
	if j.r.Decision == "" || j.t.cfg.Doors == nil || j.attended(ctx) == nil {
		return j.refused(ended)
	}
	if ctx.Err() != nil {
		return j.refused(refuse(Unreadable, reason.ShutsDownOutside))
	}
	if err := j.begin(); err != nil {
		return j.failed(notBegun{err})
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

// attended is the door of a request that is in no pane, with its hook waiting there: one that was opened a moment ago is
// given time to come.
func (j *job) attended(ctx context.Context) *door.Door {
	deadline := time.Now().Add(attendTime)
	for {
		way := j.t.cfg.Doors.Of(j.r.Nudge)
		if way != nil || !j.t.cfg.Doors.Has(j.r.Nudge, time.Now()) || time.Now().After(deadline) || !sleep(ctx, firstPause) {
			return way
		}
	}
}

// awaitDoor is the door of the prompt that was answered. One that may still come is given time to.
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
