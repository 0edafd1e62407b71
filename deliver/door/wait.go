package door

import (
	"context"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// This file is a hook's side: it waits at its door, and says what became of the answer.

const (
	// lastWord is how long after a hook has hung up it may still say that the agent ended it.
	lastWord = 500 * time.Millisecond
	// lookAgain is how often a hook that waits looks whether its agent still runs.
	lookAgain = time.Second
	// longestWords is how many bytes of words a hook prints, at most: with every one of them escaped they are still less than it
	// takes for a decision.
	longestWords = 2 << 10
)

// Wait is the hook's wait at its door, by the process that opened it. It gives what the hook is to print; ErrShut where
// it is to print nothing.
func (d *Doors) Wait(ctx context.Context, token string, caller int) (string, error) {
	w := d.attend(token, caller)
	if w == nil {
		return "", ErrNone
	}
	defer w.leave()
	look := time.NewTicker(lookAgain)
	defer look.Stop()
	for {
		select {
		case d := <-w.answers:
			return w.print(d), nil
		case <-w.shut:
			select {
			case d := <-w.answers: // it went through before
				return w.print(d), nil
			default:
				return "", w.ending()
			}
		case <-ctx.Done():
			return "", w.hungUp(ctx)
		case now := <-look.C:
			if w.stale(now) || !w.sender.Lives() {
				return "", ErrShut
			}
		}
	}
}

// hungUp gives the end of a door whose hook hangs up. Of an agent that runs in no pane the hook alone can tell why.
func (w *Door) hungUp(ctx context.Context) error {
	w.doors.mu.Lock()
	w.waits = false // nothing goes through any more
	w.doors.mu.Unlock()
	if w.nudge != "" && context.Cause(ctx) == context.Canceled { // and nod does not stop
		select {
		case <-w.shut:
			return w.ending()
		case <-time.After(lastWord):
		}
	}
	return ctx.Err()
}

// ending is how a door ended that is shut.
func (w *Door) ending() error {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	return w.over
}

// decided is an answer on its way to the hook.
type decided struct {
	decision screen.Decision
	because  string
}

// Hears reports whether an agent takes the words that come with a denial from its hook.
func Hears(agent string) bool {
	known := agents.HooksOf(agent).Door
	return known != nil && known.DenySaying != nil
}

// Says reports whether the agent is given the words of a denial with it: it takes some from its hook, and not too many.
func (w *Door) Says(words string) bool {
	return words != "" && len(words) <= longestWords && Hears(w.event.Agent)
}

// says is what a hook prints, by the decision.
type says map[screen.Decision]string

// print is what the hook prints for a decision.
func (w *Door) print(d decided) string {
	if w.says != nil {
		return w.says[d.decision]
	}
	known := agents.HooksOf(w.event.Agent).Door
	switch {
	case d.decision == screen.Approve:
		return known.Allow
	case w.Says(d.because):
		return known.DenySaying(d.because)
	}
	return known.Deny
}

// attend notes that the hook is on the line; nil where no door of that word is open to it.
func (d *Doors) attend(token string, caller int) *Door {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.list {
		if o.token == token && o.event.Caller == caller && caller > 0 && !o.waits && !o.handed {
			o.waits, o.inside = true, true
			return o
		}
	}
	return nil
}

// leave ends the door of a hook that no longer waits. One that an answer went through is kept until its hook has printed that.
func (w *Door) leave() {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	w.waits, w.inside, w.left = false, false, time.Now()
	w.doors.close(w, ErrShut)
}

// stale reports whether no look has shown its prompt for longer than it may take to be drawn.
func (w *Door) stale(now time.Time) bool {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	return w.nudge == "" && w.shown == "" && w.misses == 0 && now.Sub(w.opened) > unseen
}

// Printed takes note that the hook of a door has printed the answer.
func (d *Doors) Printed(token string, caller int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, o := range d.list {
		if o.token == token && o.event.Caller == caller && o.handed {
			close(o.printed)
			d.list = slices.Delete(d.list, i, i+1)
			return
		}
	}
}
