package nudge

import (
	"time"

	"nod/detect"
)

// view is what one look tells about the pane's newest nudge.
type view int

const (
	shown   view = iota // its very prompt stands there
	covered             // something asks, but what is not to be read: half drawn, or under an overlay
	absent              // nothing asks
	another             // another prompt stands there, or the same one of another process
	left                // the pane is gone
)

// compare tells what a look says about n, which may be nil where the pane never had a nudge.
func compare(n *Nudge, s detect.Sighting) view {
	switch {
	case s.State == detect.Gone:
		return left
	case s.Unseen, !s.State.Asks():
		return absent
	case s.Prompt == nil:
		return covered
	case n != nil && n.Prompt.Fingerprint == s.Prompt.Fingerprint && n.Process == s.Process:
		return shown
	}
	return another
}

// looksToRecover is how many looks in a row must lack a prompt before it counts as gone: one alone
// may have met a redraw.
const looksToRecover = 2

// stale is how much older than the end of a nudge a look may be and still come from before it. What
// is older still comes from a clock that was set back.
const stale = time.Minute

// change is what one look changes.
type change struct {
	put  bool // n changed
	open bool // a new nudge is due for the prompt of the look
	// again says that a second look like this one may change what this one did not.
	again bool
}

// look carries what one look says over to the pane's newest nudge n, which may be nil. misses is how
// many looks in a row, with this one, did not show what n asks.
func (n *Nudge) look(s detect.Sighting, misses int, now time.Time) change {
	v := compare(n, s)
	if n == nil {
		return change{open: v == another}
	}
	switch n.State {
	case Pending:
		return n.lookPending(v, s, misses, now)
	case Claimed, Typing: // the delivery looks for itself, and ends it
		return change{put: n.endConsent(v, s)}
	}
	return n.lookOver(v, s, misses)
}

func (n *Nudge) lookPending(v view, s detect.Sighting, misses int, now time.Time) change {
	switch {
	case v == left:
		return change{put: n.end(Gone, now)}
	case v == another:
		return change{put: n.end(Recovered, now), open: true}
	case v == absent && misses >= looksToRecover:
		return change{put: n.end(Recovered, now)}
	}
	return change{put: n.endConsent(v, s), again: v == absent}
}

// endConsent ends the consent to what can't be seen when the dialog that it was given for did not
// stand there at one look, or the agent has asked for permission anew.
func (n *Nudge) endConsent(v view, s detect.Sighting) bool {
	anew := s.By == "hook" && s.At.After(n.Asked)
	if n.Asked.IsZero() || v == shown && !anew {
		return false
	}
	n.Asked = time.Time{}
	return true
}

// lookOver: a prompt that stands after its nudge has ended is asked anew, unless it expired: then it
// waits until a human asks for it or it leaves.
func (n *Nudge) lookOver(v view, s detect.Sighting, misses int) change {
	c := change{open: v == another || v == shown}
	if n.Standing {
		c.open = v == another
		n.Standing = v == shown || v == covered || v == absent && misses < looksToRecover
		c.put, c.again = !n.Standing, v == absent
	}
	if before := n.Ended.Sub(s.At); c.open && before >= 0 && before < stale {
		c.open, c.again = false, true
	}
	return c
}
