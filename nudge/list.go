package nudge

import (
	"cmp"
	"slices"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// A check list is one nudge as long as it is on the screen, whatever is ticked. Each answer to it names the
// ticks that the person saw; if the screen has others, nothing is typed.

// takeList copies the current ticks to the check list of n and reports whether they changed. The screen that n
// keeps then is rows, with above over them: an older one would show other ticks.
func (n *Nudge) takeList(p *screen.Prompt, rows, above []string) bool {
	if !n.Prompt().SameList(p) || n.Prompt().Fingerprint == p.Fingerprint && slices.Equal(n.Prompt().Rows, p.Rows) {
		return false
	}
	now := *p
	now.Call = cmp.Or(p.Call, n.Prompt().Call)
	n.ask(now)
	n.Tail, n.Above = rows, above
	return true
}

// observeList copies the ticks in a look to the check list of n; false: the look shows another prompt.
func (n *Nudge) observeList(o Look) (Change, bool) {
	switch {
	case n.Process != o.Process || !n.Prompt().SameList(o.Prompt):
		return Change{}, false
	case o.At.Before(n.Listed):
		return Change{Again: true}, true
	}
	return Change{Changed: n.takeList(o.Prompt, o.Tail, o.Above)}, true
}

// ticks reports whether c ticks or unticks a box.
func (n *Nudge) ticks(c *deliver.Choice) bool {
	return c != nil && c.Index >= 0 && c.Index < len(n.Prompt().Options) && n.Prompt().Options[c.Index].Tick != screen.NoBox
}

// Ticked reports whether the last answer ticked or unticked a box, proved by the screen. The list keeps
// waiting.
func (n *Nudge) Ticked() bool {
	return n.State == Pending && n.Claim != nil && n.Reason == "" && n.ticks(n.Claim.Choice)
}

// listStays reports whether n's check list remains after an answer with this result: a box was ticked, or a
// step failed without sending anything.
func (n *Nudge) listStays(r deliver.Result) bool {
	ticks := n.ticks(n.Claim.Choice)
	switch {
	case n.Prompt().Ticks() == "" || r.Reason == deliver.Gone || r.Reason == deliver.Shell:
		return false
	case r.Outcome == deliver.Delivered:
		return ticks
	case r.Outcome == deliver.Refused:
		return r.After == nil && (ticks || n.Claim.Decision == screen.Send)
	}
	return ticks && n.Prompt().SameList(r.After)
}

// keepList makes the check list pending again, with its current ticks.
func (n *Nudge) keepList(r deliver.Result, now time.Time) {
	n.State, n.Reason, n.Listed = Pending, r.Reason, now
	if r.Outcome == deliver.Delivered {
		n.Claim.Told = n.Claim.Told || n.Claim.Way == ByButton // the message itself shows it
	}
	if r.After != nil {
		n.takeList(r.After, nil, nil)
	}
}

// readTicks sets the ticks of a reply to those of the message that it replies to.
func (n *Nudge) readTicks(a Answer) Answer {
	if c := n.copyOf(a.under()); c != nil && a.Way == ByReply {
		a.Ticks = c.Ticks
	}
	return a
}

// otherTicks rejects an answer that was given to other ticks than the current ones.
func (n *Nudge) otherTicks() Verdict {
	return n.reject(deliver.Changed, n.why(reason.OtherTicks))
}

// admitSend accepts the sending of a check list if it is still as the sender saw it.
func (n *Nudge) admitSend(a Answer) Verdict {
	switch {
	case n.Kind() != screen.Question || n.Prompt().Ticks() == "" && len(n.Prompt().Send) == 0:
		return n.reject(deliver.NoKey, n.why(reason.NoList))
	case a.Ticks != n.Prompt().Ticks():
		return n.otherTicks()
	case len(n.Prompt().Send) == 0:
		return n.reject(deliver.NoKey, n.why(reason.NoKeySends))
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

// admitDismiss accepts leaving a question unanswered.
func (n *Nudge) admitDismiss() Verdict {
	if n.Kind() != screen.Question || len(n.Prompt().Dismiss) == 0 {
		return n.reject(deliver.NoKey, n.why(reason.NoKeyDismisses))
	}
	return Verdict{Kind: Taken, Nudge: *n}
}

// stale reports whether an open message of n shows outdated ticks, or has buttons although the machine is
// away, or the reverse.
func (n *Nudge) stale(c Copy) bool {
	if n.State != Pending || c.Unseen || c.Closed || len(c.Group) > 0 || c.Offer != "" {
		return false
	}
	return n.Prompt().Ticks() != "" && c.Ticks != n.Prompt().Ticks() || c.Away == n.Away.IsZero()
}

// soonAfter is how long after an answer the next question of its set may come.
const soonAfter = time.Minute

// thread returns the messages of last, if its answer led to the question of s in the same set.
func (n *Nudge) thread(last *Nudge, s detect.Sighting, now time.Time) []Ref {
	if last.State != Delivered || last.Process != s.Process || s.Prompt == nil || s.Prompt.Pages < 1 || last.Prompt().Pages != s.Prompt.Pages ||
		now.Sub(last.Ended) > soonAfter || last.Claim.Decision == screen.Dismiss {
		return nil
	}
	var refs []Ref
	for _, c := range last.Copies {
		if c.Message == last.newestIn(c.Place) {
			refs = append(refs, c.Ref)
		}
	}
	return refs
}

// underIn returns the message of the preceding question in the place; zero: none.
func (n *Nudge) underIn(place Place) Ref {
	for _, r := range n.Thread {
		if r.Place == place {
			return r
		}
	}
	return Ref{}
}
