package nudge

import (
	"slices"
	"strings"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Look is one look at a pane, and what the looks before it make of it.
type Look struct {
	detect.Sighting
	Misses int // looks in a row, with this one, that did not show a prompt
	// Lost says that looks before this one could not be stored: what they told of the prompt is on no record.
	Lost bool
}

// Change is what a look changes.
type Change struct {
	Changed bool  // the nudge that was observed
	Open    About // what a nudge is to be opened about; nil: nothing
	// Again says that a second look like this one may change what this one did not.
	Again bool
}

// screened is what a look tells about the prompt of a nudge.
type screened int

const (
	promptShown   screened = iota // it is there
	promptCovered                 // something asks, but what is not to be read: half drawn, or under an overlay
	promptAbsent                  // nothing asks
	promptOther                   // another prompt is there, or one that only looks the same
	paneGone
)

// compare tells what a look says about the prompt of n.
func (n *Nudge) compare(s detect.Sighting) screened {
	switch {
	case s.State == screen.Gone:
		return paneGone
	case s.Unseen, !s.State.Asks():
		return promptAbsent
	case s.Prompt == nil:
		return promptCovered
	case n.asksAs(s) && !n.drawnOtherwise(s.Prompt):
		return promptShown
	}
	return promptOther
}

// asksAs reports whether the prompt of s asks the same as n's, and is of the same process.
func (n *Nudge) asksAs(s detect.Sighting) bool {
	return n.Prompt().Same(s.Prompt) && n.Process == s.Process
}

// looksAs reports whether the prompt of s looks like n's and is of the same process, whatever its call is.
func (n *Nudge) looksAs(s detect.Sighting) bool {
	return s.Prompt != nil && n.Prompt().Fingerprint == s.Prompt.Fingerprint && n.Process == s.Process
}

// drawnOtherwise reports whether p is drawn for the same width as the prompt that n told, and reads otherwise. Drawn
// for another width the same dialog has other rows.
func (n *Nudge) drawnOtherwise(p *screen.Prompt) bool {
	return n.Prompt().Rows != nil && p.Rows != nil && n.Prompt().Width == p.Width && !slices.Equal(n.Prompt().Rows, p.Rows)
}

// missesToRecover is how many looks in a row must lack a prompt before it counts as gone: one alone
// may have met a redraw.
const missesToRecover = 2

const (
	// sameClock is how much older than the end of a nudge a look may be and still come from before it. What
	// is older still comes from a clock that was set back.
	sameClock = time.Minute
	// proofWaits is how long after a prompt left the screen an event may still tell how it was answered.
	proofWaits = time.Minute
)

// Observe carries what one look says over to the pane's newest nudge n, which may be nil.
func (n *Nudge) Observe(o Look, r Rules, now time.Time) Change {
	opens := aboutOf(o.Sighting, r)
	switch {
	case n == nil:
		return Change{Open: opens}
	case n.State == Claimed || n.State == Typing: // the delivery looks for itself, and ends it
		return n.observeClaimed(o)
	}
	return n.About.observe(n, o, opens, now)
}

func (Permission) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	return n.observePrompt(o, opens, now)
}

func (Question) observe(n *Nudge, o Look, opens About, now time.Time) Change {
	return n.observePrompt(o, opens, now)
}

func (Program) observe(*Nudge, Look, About, time.Time) Change { return Change{} }

func (n *Nudge) observePrompt(o Look, opens About, now time.Time) Change {
	if n.State == Pending {
		return n.observePending(o, opens, now)
	}
	return n.observeOver(o, opens, now)
}

// observeClaimed: what the answer was given to may turn out to be something else that looks the same.
func (n *Nudge) observeClaimed(o Look) Change {
	if !n.Asks() {
		return Change{}
	}
	on := n.compare(o.Sighting)
	if n.looksAs(o.Sighting) && !n.drawnOtherwise(o.Prompt) && (!n.asksAs(o.Sighting) || n.readsOtherwise(o.Prompt)) &&
		n.askAgain(n.why(reason.AskedAboutOther)) {
		n.takeSubject(o.Prompt)
		return Change{Changed: true}
	}
	return Change{Changed: n.endConsent(on, o)}
}

func (n *Nudge) observePending(o Look, opens About, now time.Time) Change {
	on := n.compare(o.Sighting)
	if on == promptOther {
		if c, same := n.observeList(o); same {
			return c
		}
	}
	switch {
	case on == paneGone:
		return Change{Changed: n.end(Gone, now)}
	case on == promptOther, on == promptAbsent && (o.Misses >= missesToRecover || o.Proof != ""):
		n.Proof = o.Proof
		return Change{Changed: n.end(Recovered, now), Open: opens}
	}
	ended := n.endConsent(on, o)
	taken := on == promptShown && n.takeSubject(o.Prompt)
	return Change{Changed: ended || taken, Again: on == promptAbsent}
}

// endConsent ends the consent to what can't be seen when the dialog that it was given for did not
// stand there at one look, or the agent has asked for permission again.
func (n *Nudge) endConsent(on screened, o Look) bool {
	fresh := o.By == "hook" && o.At.After(n.Asked)
	if n.Asked.IsZero() || on == promptShown && !fresh && !o.Lost {
		return false
	}
	n.EndConsent()
	return true
}

// EndConsent ends the consent to what can't be seen: a look was lost that may have told as much.
func (n *Nudge) EndConsent() { n.Asked = time.Time{} }

// readsOtherwise reports whether p, which looks like the prompt of n, tells of something that n did not tell: what differs
// is not on the screen, but in what an event told of the call. What was told besides may be known no more: that takes
// nothing away from what was seen.
func (n *Nudge) readsOtherwise(p *screen.Prompt) bool {
	return (!p.Partial || p.Call != "") && !n.readsAs(p) && !strings.HasPrefix(n.Prompt().Subject, p.Subject+"\n")
}

// readsAs reports whether the subject of p is that of n. Where n breaks a line there may be a blank or none: a screen
// tells not what it has broken.
func (n *Nudge) readsAs(p *screen.Prompt) bool {
	rest := p.Subject
	for line := range strings.SplitSeq(n.Prompt().Subject, "\n") {
		after, ok := strings.CutPrefix(strings.TrimLeft(rest, " \n"), strings.Trim(line, " "))
		if !ok {
			return false
		}
		rest = after
	}
	return strings.Trim(rest, " \n") == ""
}

// takeSubject takes over what is known of the subject by now. Where it became more, or another, nothing that was sent
// before shows it, so it is told once more; where it is not known whole any more, an approval needs consent from now on.
func (n *Nudge) takeSubject(p *screen.Prompt) bool {
	told := n.Prompt()
	now := *told
	switch {
	case n.readsOtherwise(p):
		now.Subject, now.Lead, now.Source = p.Subject, p.Lead, p.Source
		now.Partial, now.Doubts = p.Partial, p.Doubts
		n.EndConsent()
		n.tellAnew(whyAnew(told, p))
	case p.Partial, n.readsAs(p): // what tells less than n does can't lift a doubt about the rest
		now.Partial, now.Doubts = p.Partial, p.Doubts
	}
	if p.Call != "" {
		now.Call, now.Exact = p.Call, p.Exact
	}
	n.ask(now)
	return now.Subject != told.Subject || now.Partial != told.Partial || now.Call != told.Call || now.Exact != told.Exact || !slices.Equal(now.Doubts, told.Doubts)
}

func whyAnew(told, p *screen.Prompt) reason.Why {
	switch {
	case p.Partial && len(p.Doubts) > 0:
		return p.Doubts[len(p.Doubts)-1]
	case told.Partial:
		return reason.Why{Kind: reason.KnownWhole}
	}
	return reason.Why{Kind: reason.AboutOther}
}

// tellAnew has n told once more in every place that has a message of it; none of those counts as showing the
// whole subject.
func (n *Nudge) tellAnew(why reason.Why) {
	sent := false
	for i := range n.Copies {
		n.Copies[i].Hidden = true
		sent = sent || n.Copies[i].Round == n.Round
	}
	if sent {
		n.Again, n.Round = why, n.Round+1
	}
}

// observeOver: a prompt that is still there after its nudge has ended is asked again, unless it expired: then it
// waits until a human asks for it or it leaves.
func (n *Nudge) observeOver(o Look, opens About, now time.Time) Change {
	on := n.compare(o.Sighting)
	c := Change{Open: opens}
	if n.Standing {
		n.Standing = on == promptShown || on == promptCovered || on == promptAbsent && o.Misses < missesToRecover
		if n.Standing {
			c.Open = nil
		}
		c.Changed, c.Again = !n.Standing, on == promptAbsent
		if c.Changed {
			n.retell() // without the button that asks again
		}
	}
	if n.State == Recovered && n.Proof == "" && o.Proof != "" && on != promptShown && now.Sub(n.Ended) < proofWaits {
		n.Proof, c.Changed = o.Proof, true
		n.retell()
	}
	return n.unlessEarlier(c, o)
}

// unlessEarlier opens nothing for a screen that was read before n ended: it shows what was answered.
func (n *Nudge) unlessEarlier(c Change, o Look) Change {
	if before := n.Ended.Sub(o.At); c.Open != nil && before >= 0 && before < sameClock {
		c.Open, c.Again = nil, true
	}
	return c
}
