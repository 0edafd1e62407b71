package door

import (
	"context"
	"slices"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

// The hook's side: the hook waits at its door and reports what became of the answer.

const (
	// lastWord is how long after a hang-up the hook may still report that the agent ended it.
	lastWord = 500 * time.Millisecond
	// lookAgain is how often nod checks that the agent of a waiting hook still runs.
	lookAgain = time.Second
	// longestWords is the maximum length, in bytes, of the words that a hook prints. Even with every byte
	// escaped, the output stays below the limit for a decision.
	longestWords = 2 << 10
)

// Wait makes the hook wait at its door. caller must be the process that opened it. It returns what the hook
// must print, or ErrShut if it must print nothing.
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

// hungUp returns how a door ended whose hook hung up. For an agent without a pane only the hook can report
// why.
func (w *Door) hungUp(ctx context.Context) error {
	w.doors.mu.Lock()
	w.waits = false // nothing goes through any more
	w.doors.mu.Unlock()
	if w.nudge != "" && context.Cause(ctx) == context.Canceled { // and nod is not stopping
		select {
		case <-w.shut:
			return w.ending()
		case <-time.After(lastWord):
		}
	}
	return ctx.Err()
}

// ending returns how a shut door ended.
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

// Hears reports whether an agent takes the words of a denial from its hook.
func Hears(agent string) bool {
	known := agents.HooksOf(agent).Door
	return known != nil && known.DenySaying != nil
}

// Says reports whether the agent gets the words with the denial: its hook can give them, and they are not too
// long.
func (w *Door) Says(words string) bool {
	return words != "" && len(words) <= longestWords && Hears(w.event.Agent)
}

// says is what a hook prints, by decision.
type says map[screen.Decision]string

// print returns what the hook prints for a decision.
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

// attend records that the hook is connected and returns its door; nil: no door with that token is open to it.
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

// leave ends the door of a hook that no longer waits. A door that an answer went through is kept until its
// hook has printed the answer.
func (w *Door) leave() {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	w.waits, w.inside, w.left = false, false, time.Now()
	w.doors.close(w, ErrShut)
}

// stale reports whether no look has shown the prompt for longer than its drawing may take.
func (w *Door) stale(now time.Time) bool {
	w.doors.mu.Lock()
	defer w.doors.mu.Unlock()
	return w.nudge == "" && w.shown == "" && w.misses == 0 && now.Sub(w.opened) > unseen
}

// Printed records that the hook of a door has printed the answer.
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
