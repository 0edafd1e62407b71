package nudge

import (
	"slices"

	"nod/detect"
)

// byTell is Nudge.By of words that were given to an agent without a notice to reply to.
const byTell = "tell"

// bidden reports whether n was opened by words for the agent. Nobody is told of it but the one who spoke.
func (n *Nudge) bidden() bool { return n.By == byTell }

// news is what a nudge that this look opens would tell of; empty where there is nothing to tell.
func news(s detect.Sighting, r Rules) detect.State {
	switch {
	case s.Unseen:
		return ""
	case s.State.Asks() && s.Prompt != nil:
		return s.State
	case s.State == detect.Idle && (s.Blocked != "" || s.Worked && r.Idle):
		return detect.Idle
	case s.State == detect.Silent, s.State == detect.Shell && s.Blocked != "":
		return detect.Silent
	}
	return ""
}

// tellsOf reports whether a look shows the very thing that n, which is no prompt, tells of: the same turn of
// an idle agent, the same silence. A watcher that has just started knows of no turn, so an idle agent that it
// did not see work is at the turn that was told before.
func (n *Nudge) tellsOf(s detect.Sighting) bool {
	if s.Process != n.Process || n.Blocked == "" && s.Blocked != "" {
		return false
	}
	// A turn may begin and end between two looks, so that only its last words are new.
	same := n.Since.Equal(s.Since) && (n.Words == "" || s.Words == "" || n.Words == s.Words)
	switch {
	case n.Kind == detect.Idle:
		return s.State == detect.Idle && (same || !s.Worked)
	case n.Exited:
		return s.State == detect.Shell && (same || !n.State.Over())
	case s.State == detect.Silent:
		return same || !n.State.Over()
	}
	// A watcher that has just started calls a screen silent only after it has watched it for a while.
	return s.State == detect.Working && !n.State.Over() && slices.Equal(s.Tail, n.Tail)
}

// lookCalm carries a look over to a nudge that is no prompt. One look ends it: the agent is told of anew when it
// is idle or silent again.
func (n *Nudge) lookCalm(s detect.Sighting, e eyes) change {
	told := n.tellsOf(s)
	switch {
	case n.State.Over():
		return n.unlessStale(change{open: e.news != "" && !told}, s)
	case s.State == detect.Gone:
		return change{put: n.end(Gone, e.now)}
	case told:
		return change{put: n.takeWords(s)}
	}
	return change{put: n.end(Recovered, e.now), open: e.news != ""}
}

// takeWords takes over the agent's last words where a later look of the same turn is the first to know them.
func (n *Nudge) takeWords(s detect.Sighting) bool {
	if n.Words != "" || s.Words == "" {
		return false
	}
	n.Words = s.Words
	return true
}

// replace has the copies of an idle notice taken back: a newer one stands for its pane.
func (n *Nudge) replace() {
	n.Replaced = true
	n.Edition++
	for i := range n.Copies {
		n.Copies[i].Closed = false
	}
}

// retell has the newest copy in each chat say anew how n ended.
func (n *Nudge) retell() {
	if n.Replaced {
		return
	}
	n.Edition++
	for i := range n.Copies {
		if c := &n.Copies[i]; c.Message == n.newestIn(c.Chat) {
			c.Closed = false
		}
	}
}
