package nudge

import (
	"strings"
	"time"

	"nod/detect"
)

// view is what one look tells about the prompt of the pane's newest nudge.
type view int

const (
	shown   view = iota // it stands there
	covered             // something asks, but what is not to be read: half drawn, or under an overlay
	absent              // nothing asks
	another             // another prompt stands there, or the same one of another process
	left                // the pane is gone
)

// compare tells what a look says about the prompt of n.
func (n *Nudge) compare(s detect.Sighting) view {
	switch {
	case s.State == detect.Gone:
		return left
	case s.Unseen, !s.State.Asks():
		return absent
	case s.Prompt == nil:
		return covered
	case n.Prompt.Fingerprint == s.Prompt.Fingerprint && n.Process == s.Process:
		return shown
	}
	return another
}

// looksToRecover is how many looks in a row must lack a prompt before it counts as gone: one alone
// may have met a redraw.
const looksToRecover = 2

const (
	// stale is how much older than the end of a nudge a look may be and still come from before it. What
	// is older still comes from a clock that was set back.
	stale = time.Minute
	// lateProof is how long after a prompt left the screen an event may still tell how it was answered.
	lateProof = time.Minute
)

// eyes are what the Keeper knows besides a look when it judges it.
type eyes struct {
	news   detect.State // what a nudge that the look opens would tell of
	misses int          // how many looks in a row, with this one, did not show a prompt
	now    time.Time
}

// change is what one look changes.
type change struct {
	put  bool // n changed
	open bool // a new nudge is due for what the look shows
	// again says that a second look like this one may change what this one did not.
	again bool
}

// look carries what one look says over to the pane's newest nudge n, which may be nil.
func (n *Nudge) look(s detect.Sighting, e eyes) change {
	switch {
	case n == nil:
		return change{open: e.news != ""}
	case n.State == Claimed || n.State == Typing: // the delivery looks for itself, and ends it
		return n.lookClaimed(s)
	case !n.Kind.Asks():
		return n.lookCalm(s, e)
	case n.State == Pending:
		return n.lookPending(s, e)
	}
	return n.lookOver(s, e)
}

// lookClaimed: what the answer was given to may turn out to be something else that looks the same.
func (n *Nudge) lookClaimed(s detect.Sighting) change {
	if !n.Kind.Asks() {
		return change{}
	}
	v := n.compare(s)
	if v == shown && n.readsOtherwise(s.Prompt) &&
		n.askAgain("The agent asks this about something else than what was answered, in a dialog that looks the same: please look again.") {
		n.takeSubject(s.Prompt)
		return change{put: true}
	}
	return change{put: n.endConsent(v, s)}
}

func (n *Nudge) lookPending(s detect.Sighting, e eyes) change {
	v := n.compare(s)
	switch {
	case v == left:
		return change{put: n.end(Gone, e.now)}
	case v == another, v == absent && (e.misses >= looksToRecover || s.Proof != ""):
		n.Proof = s.Proof
		return change{put: n.end(Recovered, e.now), open: e.news != ""}
	}
	lapsed := n.endConsent(v, s)
	told := v == shown && n.takeSubject(s.Prompt)
	return change{put: lapsed || told, again: v == absent}
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

// readsOtherwise reports whether p, a dialog with the same fingerprint, is known whole to ask about something
// else than n told: what differs is not on the screen. What was told besides may be known no more: that takes
// nothing away from what was seen.
func (n *Nudge) readsOtherwise(p *detect.Prompt) bool {
	return !p.Partial && p.Subject != n.Prompt.Subject && !strings.HasPrefix(n.Prompt.Subject, p.Subject+"\n")
}

// takeSubject takes over how much of the subject is known by now. Where it became more, or another, nothing
// that was sent before shows it, so it is told once more; where it is not known whole any more, an approval
// needs consent from now on.
func (n *Nudge) takeSubject(p *detect.Prompt) bool {
	otherwise, inPart := n.readsOtherwise(p), n.Prompt.Partial
	if !otherwise && p.Partial == inPart {
		return false
	}
	n.Prompt.Partial = p.Partial
	if !otherwise {
		return true
	}
	n.Prompt.Subject = p.Subject
	n.Asked = time.Time{}
	why := "The agent asks about something else than before, in a dialog that looks the same."
	if inPart {
		why = "By now it is known whole what is asked about."
	}
	n.tellAnew(why)
	return true
}

// tellAnew has n told once more in every chat that has a message of it; none of those counts as showing the
// whole subject.
func (n *Nudge) tellAnew(why string) {
	sent := false
	for i := range n.Copies {
		n.Copies[i].Hidden = true
		sent = sent || n.Copies[i].Round == n.Round
	}
	if sent {
		n.Again, n.Round = why, n.Round+1
	}
}

// lookOver: a prompt that stands after its nudge has ended is asked anew, unless it expired: then it
// waits until a human asks for it or it leaves.
func (n *Nudge) lookOver(s detect.Sighting, e eyes) change {
	v := n.compare(s)
	c := change{open: e.news != ""}
	if n.Standing {
		n.Standing = v == shown || v == covered || v == absent && e.misses < looksToRecover
		c.open = c.open && !n.Standing
		c.put, c.again = !n.Standing, v == absent
		if c.put {
			n.retell() // without the button that asks again
		}
	}
	if n.State == Recovered && n.Proof == "" && s.Proof != "" && v != shown && e.now.Sub(n.Ended) < lateProof {
		n.Proof, c.put = s.Proof, true
		n.retell()
	}
	return n.unlessStale(c, s)
}

// unlessStale opens nothing for a screen that was read before n ended: it shows what was answered.
func (n *Nudge) unlessStale(c change, s detect.Sighting) change {
	if before := n.Ended.Sub(s.At); c.open && before >= 0 && before < stale {
		c.open, c.again = false, true
	}
	return c
}
