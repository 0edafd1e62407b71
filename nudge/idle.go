package nudge

import (
	"iter"
	"slices"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// toTell is the kind of nudge that this look opens where there is none; empty where there is nothing to tell.
func toTell(s detect.Sighting, r Rules) screen.State {
	switch {
	case s.Unseen:
		return ""
	case s.State.Asks() && s.Prompt != nil:
		return s.State
	case s.State == screen.Idle && (s.Blocked != "" || s.Worked && r.Idle):
		return screen.Idle
	case s.State == screen.Silent, s.State == screen.Shell && s.Blocked != "":
		return screen.Silent
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
	// A turn may begin and end between two looks, so that only its last words are new. An event may tell those late that the
	// screen shows still.
	same := n.Since.Equal(s.Since) && (n.Words == "" || s.Words == "" || n.Words == s.Words || n.Words == s.Said)
	switch {
	case n.Kind == screen.Idle:
		return s.State == screen.Idle && (same || !s.Worked)
	case n.Exited:
		return s.State == screen.Shell && (same || !n.State.Over())
	case s.State == screen.Silent:
		return same || !n.State.Over()
	}
	// A watcher that has just started calls a screen silent only after it has watched it for a while.
	return s.State == screen.Working && !n.State.Over() && slices.Equal(s.Tail, n.Tail)
}

// observeNoPrompt carries a look over to a nudge that is no prompt. One look ends it: the agent is told of anew
// when it is idle or silent again.
func (n *Nudge) observeNoPrompt(o Observation, opens screen.State, now time.Time) Change {
	same := n.tellsOf(o.Sighting)
	switch {
	case n.State.Over() && same:
		return Change{}
	case n.State.Over():
		return n.unlessEarlier(Change{Open: opens}, o)
	case o.State == screen.Gone:
		return Change{Changed: n.end(Gone, now)}
	case same:
		return Change{Changed: n.takeWords(o.Words)}
	}
	return Change{Changed: n.end(Recovered, now), Open: opens}
}

// takeWords takes over the agent's last words where a later look of the same turn is the first to know them.
func (n *Nudge) takeWords(words string) bool {
	if n.Words != "" || words == "" {
		return false
	}
	n.Words = words
	return true
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
		case earlier.Kind == screen.Idle && !earlier.instruction() && earlier.Did == nil:
			earlier.Replaced = true
			earlier.Edition++
			for i := range earlier.Copies {
				c := &earlier.Copies[i]
				c.Closed = c.Closed && c.Beside != ""
			}
			return earlier
		}
	}
	return nil
}

// retell has the newest copy in each place say anew how n ended.
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
