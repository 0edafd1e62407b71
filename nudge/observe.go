package nudge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// Look is one look at a pane, with facts from the looks before it.
type Look struct {
	detect.Sighting
	Misses int // looks in a row, including this one, without a prompt
	// Lost: earlier looks could not be stored, so what they said about the prompt is unknown.
	Lost bool
}

// Change is the effect of a look.
type Change struct {
	Changed bool  // the observed nudge changed
	Open    About // the subject of the nudge to open; nil: none
	// Again: a second look like this one may have an effect that this one had not.
	Again bool
}

// screened is what a look says about the prompt of a nudge.
type screened int

const (
	promptShown   screened = iota // it is shown
	promptCovered                 // a question that can't be read: half drawn, or under an overlay
	promptAbsent                  // no question
	promptOther                   // another prompt, or one that only looks the same
	paneGone
)

// compare returns what a look says about the prompt of n.
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

// asksAs reports whether the prompt of s asks the same as n's, in the same process.
func (n *Nudge) asksAs(s detect.Sighting) bool {
	return n.Prompt().Same(s.Prompt) && n.Process == s.Process
}

// looksAs reports whether the prompt of s looks like n's, in the same process, whatever its call is.
func (n *Nudge) looksAs(s detect.Sighting) bool {
	return s.Prompt != nil && n.Prompt().Fingerprint == s.Prompt.Fingerprint && n.Process == s.Process
}

// drawnOtherwise reports whether p has the same width as the prompt of n, but other rows. At another width
// the same dialog has other rows anyway.
func (n *Nudge) drawnOtherwise(p *screen.Prompt) bool {
	return n.Prompt().Rows != nil && p.Rows != nil && n.Prompt().Width == p.Width && !slices.Equal(n.Prompt().Rows, p.Rows)
}

// missesToRecover is how many looks in a row must lack a prompt before it counts as gone: a single one may
// have met a redraw.
const missesToRecover = 2

const (
	// sameClock is how much older than the end of a nudge a look may be to count as taken before the end. An
	// older one comes from a clock that was set back.
	sameClock = time.Minute
	// proofWaits is how long after a prompt left the screen an event is still accepted as proof of the
	// answer.
	proofWaits = time.Minute
)

// Observe applies a look to the pane's newest nudge n, which may be nil.
func (n *Nudge) Observe(o Look, r Rules, now time.Time) Change {
	opens := aboutOf(o.Sighting, r)
	if n == nil {
		return Change{Open: opens}
	}
	moved, c := n.follow(o.Sighting), Change{}
	if n.State == Claimed || n.State == Typing { // the delivery looks for itself, and ends it
		c = n.observeClaimed(o)
	} else {
		c = n.About.observe(n, o, opens, now)
	}
	c.Changed = c.Changed || moved
	return c
}

// follow takes over where the pane of n is now, and a project that was not known before. It reports whether n changed. A nudge that is over
// keeps the place in which it ended.
func (n *Nudge) follow(s detect.Sighting) bool {
	if n.State.Over() && !n.Standing || n.Process != s.Process {
		return false
	}
	was := n.Whereabouts
	n.Where, n.Project = cmp.Or(s.Where, n.Where), cmp.Or(n.Project, s.Project)
	return n.Whereabouts != was
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

// observeClaimed handles a look while an answer is being given: the prompt may turn out to be another one
// that looks the same.
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
		ended := n.end(Recovered, now)
		if o.State == screen.Shell {
			n.Detail = n.why(reason.AgentExited)
		}
		return Change{Changed: ended, Open: opens}
	}
	ended := n.endConsent(on, o)
	taken := on == promptShown && n.takeSubject(o.Prompt)
	return Change{Changed: ended || taken, Again: on == promptAbsent}
}

// endConsent ends the consent to the unseen part if its dialog was missing in one look, a look was lost, or the
// agent has asked for permission again.
func (n *Nudge) endConsent(on screened, o Look) bool {
	fresh := o.By == "hook" && o.At.After(n.Asked)
	if n.Asked.IsZero() || on == promptShown && !fresh && !o.Lost {
		return false
	}
	n.EndConsent()
	return true
}

// EndConsent ends the consent to the unseen part, as after a lost look, which may have ended it.
func (n *Nudge) EndConsent() { n.Asked = time.Time{} }

// readsOtherwise reports whether p, which looks like n's prompt, has a subject that n did not show. The
// difference is not on the screen but in an event about the call. A p that only lacks later lines of n's
// subject counts as the same.
func (n *Nudge) readsOtherwise(p *screen.Prompt) bool {
	return (!p.Partial || p.Call != "") && !n.readsAs(p) && !strings.HasPrefix(n.Prompt().Subject, p.Subject+"\n")
}

// readsAs reports whether the subject of p equals n's. A line break in n may be a blank or nothing in p,
// because a screen does not show where it has wrapped a line.
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

// takeSubject updates the subject of n from p. If the subject grew or changed, no earlier message shows it,
// so n is sent again. If it is no longer known whole, an approval needs consent from now on.
func (n *Nudge) takeSubject(p *screen.Prompt) bool {
	told := n.Prompt()
	now := *told
	switch {
	case n.readsOtherwise(p):
		now.Subject, now.Lead, now.Source = p.Subject, p.Lead, p.Source
		now.Partial, now.Doubts = p.Partial, p.Doubts
		n.EndConsent()
		n.tellAgain(whyAgain(told, p))
	case p.Partial, n.readsAs(p): // a shorter subject can't lift a doubt about the rest
		now.Partial, now.Doubts = p.Partial, p.Doubts
	}
	if p.Call != "" {
		now.Call, now.Exact = p.Call, p.Exact
	}
	n.ask(now)
	return now.Subject != told.Subject || now.Partial != told.Partial || now.Call != told.Call || now.Exact != told.Exact || !slices.Equal(now.Doubts, told.Doubts)
}

func whyAgain(told, p *screen.Prompt) reason.Why {
	switch {
	case p.Partial && len(p.Doubts) > 0:
		return p.Doubts[len(p.Doubts)-1]
	case told.Partial:
		return reason.Why{Kind: reason.KnownWhole}
	}
	return reason.Why{Kind: reason.AboutOther}
}

// tellAgain sends n once more to every place that has a message of it. None of those messages counts as
// showing the whole subject any more.
func (n *Nudge) tellAgain(why reason.Why) {
	sent := false
	for i := range n.Copies {
		n.Copies[i].Hidden = true
		sent = sent || n.Copies[i].Round == n.Round
	}
	if sent {
		n.Again, n.Round = why, n.Round+1
	}
}

// observeOver handles a look after the end of n. A prompt that is still shown is asked again, unless it
// expired: then it waits until a human asks for it or it leaves.
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

// unlessEarlier opens nothing for a screen that was read before n ended: it shows the question that was
// answered.
func (n *Nudge) unlessEarlier(c Change, o Look) Change {
	if before := n.Ended.Sub(o.At); c.Open != nil && before >= 0 && before < sameClock {
		c.Open, c.Again = nil, true
	}
	return c
}
