package nudge

import (
	"fmt"
	"time"

	"nod/detect"
)

// longestHold is how long a message waits at most for somebody who is at the machine.
const longestHold = 5 * time.Minute

// Held is a message that waits because somebody is at the machine.
type Held struct {
	Nudge string
	Where string
	Until time.Time // when it is sent if nothing else happens
	Why   string
}

// Attends reports whether a key that was pressed at that time means that somebody is still there. If it lies far in the future the clock was
// set back since, and the key proves nothing.
func (r Rules) Attends(pressed, now time.Time) bool { return now.Sub(pressed).Abs() < r.Presence }

// Hold returns until when, and why, the next message of n waits for somebody who is at the machine. A time
// not after now: the message does not wait.
func (n *Nudge) Hold(p detect.Presence, r Rules, now time.Time) (until time.Time, why string) {
	if r.Attends(p.Here, now) {
		until = p.Here.Add(r.Presence)
		if most := n.Raised.Add(longestHold); most.Before(until) {
			until = most
		}
		if until.After(now) {
			return until, fmt.Sprintf("somebody types in %s", n.Where)
		}
	}
	if first := n.Reminder <= 1 && n.Round == 0; first && r.Attends(p.Near, now) {
		return n.Raised.Add(r.Grace), "somebody is at the keyboard, in another pane"
	}
	return time.Time{}, ""
}
