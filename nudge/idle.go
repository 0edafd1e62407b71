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

// observe ends what is over at one look: the agent is told of again when it is idle or silent again.
func (t TurnEnded) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	same := t.tellsOf(n, o.Sighting)
	if same && !n.State.Over() && (t.Words == "" && o.Words != "" || len(o.Edits) > len(t.Edits)) {
		t.Words, t.Edits = cmp.Or(t.Words, o.Words), o.Edits // a later look of the same turn is the first to know them
		n.About = t
		return Change{Changed: true}
	}
	return n.observeRest(o, same, opens, now)
}

func (s Silence) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	return n.observeRest(o, s.tellsOf(n, o.Sighting), opens, now)
}

// observeRest carries a look over to a nudge that is no prompt. same says that the look shows the very thing that n tells of.
func (n *Nudge) observeRest(o Look, same bool, opens About, now time.Time) Change {
	switch {
	case n.State.Over() && same:
		return Change{}
	case n.State.Over():
		return n.unlessEarlier(Change{Open: opens}, o)
	case o.State == screen.Gone:
		return Change{Changed: n.end(Gone, now)}
	case same:
		return Change{}
	}
	return Change{Changed: n.end(Recovered, now), Open: opens}
}

// tellsOf reports whether a look shows the turn that n tells of. A watcher that has just started knows of no turn, so an
// agent that it did not see work is at the turn that was told before.
func (t TurnEnded) tellsOf(n *Nudge, s detect.Sighting) bool {
	if s.State != screen.Idle || s.Process != n.Process || t.Blocked.IsZero() && !s.Blocked.IsZero() {
		return false
	}
	// A turn may begin and end between two looks, so that only its last words are new. An event may tell those late that the
	// screen shows still.
	return !s.Worked || t.Since.Equal(s.Since) && (t.Words == "" || s.Words == "" || t.Words == s.Words || t.Words == s.Said)
}

// tellsOf reports whether a look shows the silence that n tells of.
func (q Silence) tellsOf(n *Nudge, s detect.Sighting) bool {
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
	// A watcher that has just started calls a screen silent only after it has watched it for a while.
	return s.State == screen.Working && !n.State.Over() && slices.Equal(s.Tail, n.Tail)
}

// takenBack is for how long a message can be taken back after it was sent: Telegram lets a bot delete it that long.
const takenBack = 48 * time.Hour

// Replace has the idle notice before n taken back, for n stands for its pane now, and gives it; nil where there is
// none. pane gives the nudges of the pane, the newest first. What is older than that notice has been replaced
// already, or is too old to be taken back.
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

// Failed names, in the place of an answer's stamp, the instruction of a turn that failed.
const Failed = "failed"

// Began is the instruction that the last turn of a pane's agent began with, where nod typed it; empty: it did not. pane gives the
// nudges of the pane, the newest first.
func Began(pane iter.Seq[*Nudge], agent proc.ID) string {
	for n := range pane {
		if n.Process != agent {
			return ""
		}
		if n.TakesInstruction() {
			if n.Claim != nil && n.State == Delivered {
				return n.Claim.Text
			}
			return ""
		}
	}
	return ""
}

// CanResend reports whether n is about a turn that failed, whose instruction nobody has given again.
func (n *Nudge) CanResend() bool {
	t, ended := n.About.(TurnEnded)
	return ended && t.Resend != "" && n.State == Pending
}

// retell has the newest copy in each place say again how n ended.
func (n *Nudge) retell() {
	if n.Replaced {
		return
	}
	n.Edition++
	for i := range n.Copies {
		if c := &n.Copies[i]; c.Message == n.newestIn(c.Place) {
			c.Closed = false
		}
	}
}
