package nudge

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
)

// observe ends the nudge when a look shows another state. The agent's next turn or silence opens a new one.
func (t TurnEnded) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	same := t.shows(n, o.Sighting)
	if same && !n.State.Over() && (t.Words == "" && o.Words != "" || len(o.Edits) > len(t.Edits)) {
		t.Words, t.Edits = cmp.Or(t.Words, o.Words), o.Edits // a later look is the first to know them
		n.About = t
		return Change{Changed: true}
	}
	return n.observeRest(o, same, opens, now)
}

func (s Silence) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	return n.observeRest(o, s.shows(n, o.Sighting), opens, now)
}

// observeRest applies a look to a nudge that is no prompt. same: the look shows exactly the state of n.
func (n *Nudge) observeRest(o Look, same bool, opens About, now time.Time) Change {
	switch {
	case same:
		return Change{}
	case n.State.Over():
		return n.unlessEarlier(Change{Open: opens}, o)
	case o.State == screen.Gone:
		return Change{Changed: n.end(Gone, now)}
	}
	return Change{Changed: n.end(Recovered, now), Open: opens}
}

// shows reports whether a look shows the turn of n. A watcher that has just started knows of no turn, so an
// agent that it has not seen at work is still at the turn of n.
func (t TurnEnded) shows(n *Nudge, s detect.Sighting) bool {
	if s.State != screen.Idle && !s.Settling || s.Process != n.Process || t.Blocked.IsZero() && !s.Blocked.IsZero() {
		return false
	}
	// A turn may begin and end between two looks, so that only its last words are new. An event may report
	// late the words that the screen still shows.
	return !s.Worked || t.Since.Equal(s.Since) && (t.Words == "" || s.Words == "" || t.Words == s.Words || t.Words == s.Said)
}

// shows reports whether a look shows the silence of n.
func (q Silence) shows(n *Nudge, s detect.Sighting) bool {
	if s.Process != n.Process || q.Blocked.IsZero() && !s.Blocked.IsZero() {
		return false
	}
	same := q.Since.Equal(s.Since) || !n.State.Over()
	switch {
	case q.Exited:
		return s.State == screen.Shell && same
	case s.State == screen.Silent:
		return same
	}
	// A watcher that has just started calls a screen silent only after watching it for a while.
	return s.State == screen.Working && slices.Equal(s.Tail, n.Tail)
}

// takenBack is how long after its sending a message can be deleted: Telegram lets a bot delete it that long.
const takenBack = 48 * time.Hour

// Replace marks the idle notice before n to be deleted, because n replaces it, and returns it; nil: none.
// pane yields the nudges of the pane, newest first. Older notices have been replaced already, or are too old
// to be deleted.
func (n *Nudge) Replace(pane iter.Seq[*Nudge], now time.Time) *Nudge {
	for earlier := range pane {
		switch {
		case earlier.ID == n.ID:
			continue
		case earlier.Replaced, now.Sub(earlier.Detected) > takenBack:
			return nil
		}
		if t, ended := earlier.About.(TurnEnded); ended && !earlier.instruction() && t.Did == nil {
			earlier.Replaced, n.TookBack = true, !earlier.asksNothing()
			earlier.Edition++
			for i := range earlier.Copies {
				c := &earlier.Copies[i]
				c.Closed = c.Closed && c.Offer != ""
			}
			return earlier
		}
	}
	return nil
}

// Failed stands in for an answer's stamp and means the instruction of a turn that failed.
const Failed = "failed"

// Began returns the instruction that began the last turn of the pane's agent, if nod typed it; empty: it did
// not. pane yields the nudges of the pane, newest first.
func Began(pane iter.Seq[*Nudge], agent proc.ID) string {
	for n := range pane {
		if n.Process != agent {
			return ""
		}
		if n.TakesInstruction() {
			if n.State == Delivered {
				return n.Claim.Text
			}
			return ""
		}
	}
	return ""
}

// CanResend reports whether n is about a failed turn whose instruction nobody has given again.
func (n *Nudge) CanResend() bool {
	t, _ := n.About.(TurnEnded)
	return t.Resend != "" && n.State == Pending
}

// retell reopens the newest copy in each place, so that it is edited to say how n ended.
func (n *Nudge) retell() {
	if n.Replaced {
		return
	}
	n.Edition++
	for i := range n.Copies {
		if c := &n.Copies[i]; c.Offer == "" && n.saysEnd(*c) {
			c.Closed = false
		}
	}
}
