package nudge

import (
	"slices"
	"time"

	"nod/internal/reason"
)

// How far a fresh answer is trusted to mean the newest question.
const (
	crowded  = 30 * time.Second // a message of another one came that close to its newest one
	tooSoon  = 10 * time.Second // its newest message came less than that before the answer
	justOver = time.Minute      // another one ended that shortly before
	tooLate  = 5 * time.Minute  // nod reads the answer that long after it was written

	clocksDiffer = time.Minute // so much an answer may be read before it was written
)

// Lately is how far back from the reading of a fresh answer an ended nudge can still matter to its meaning.
const Lately = tooLate + justOver + time.Minute

// Scene is what is in the places of people, as far as the records tell.
type Scene struct {
	Nudges []*Nudge // the live and the lately ended ones
	// Asking are the messages that no nudge is told by and that wait for an answer of their own.
	Asking []OtherMessage
	// OnTheWay reports whether a message of a nudge may have reached the place without nod having heard of it yet.
	OnTheWay func(*Nudge) bool
}

// Meaning is what a fresh answer means.
type Meaning struct {
	Nudge  *Nudge   // nil: the human must be asked
	Option int      // of Nudge, where the answer is a number or a label
	Ticks  string   // what the message shows ticked that it is given to
	Among  []*Nudge // those that it may mean, the likeliest first; the snoozed ones last, of which none is meant
	Doubt  Doubt    // why the human must be asked; empty where Nudge is set
}

// Doubt is why it is not sure which nudge a fresh answer means.
type Doubt = reason.Kind

// The doubts.
const (
	noneAwake   = reason.NoneAwake
	clockBehind = reason.ClockBehind
	readLate    = reason.ReadLate
	amongOthers = reason.AmongOthers
	notHere     = reason.NotHere
	unknownDate = reason.UnknownDate
	beingSent   = reason.BeingSent
	crowdedBy   = reason.CrowdedBy
	cameJustNow = reason.CameJustNow
	newerAsks   = reason.NewerAsks
	newerEnded  = reason.NewerEnded
	tookBack    = reason.TookBack
	otherOption = reason.OtherOption
)

// clauses are all reasons to doubt that the newest question is meant.
var clauses = []struct {
	doubt Doubt
	holds func(freshAnswer) bool
}{
	{clockBehind, func(f freshAnswer) bool { return f.Written.Sub(f.Read) > clocksDiffer }},
	{readLate, func(f freshAnswer) bool { return f.Read.Sub(f.Written) > tooLate }},
	{amongOthers, func(f freshAnswer) bool { return f.first.grouped }},
	{notHere, func(f freshAnswer) bool { return f.Pane != nil && f.first.topic != f.Topic }},
	{unknownDate, freshAnswer.lacksDate},
	{beingSent, freshAnswer.sentMeanwhile},
	{crowdedBy, freshAnswer.crowded},
	{cameJustNow, freshAnswer.tooSoon},
	{newerAsks, freshAnswer.newerAsks},
	{newerEnded, func(f freshAnswer) bool { return slices.ContainsFunc(f.got, f.newerEnded) }},
	{tookBack, freshAnswer.tookBack},
	{otherOption, func(f freshAnswer) bool { return !f.fits(f.first.Nudge) }},
}

// Meant finds the nudge that a fresh answer means, from what was in that place when it was written: a yes or no the newest
// permission or yes/no question, a number or label the newest question with options. Of an answer that was written in a
// part of the place no nudge of another pane is meant, and none for sure whose newest message is elsewhere.
func Meant(a Answer, s Scene) Meaning {
	f := freshAnswer{Answer: a, Scene: s.partOf(a)}
	f.got = gotBefore(a, f.Nudges)
	var awake, asleep []candidate
	for _, c := range f.got {
		switch {
		case c.State != Pending || !f.takes(c.Nudge):
		case c.Snoozes(a.wroteAtLatest()):
			asleep = append(asleep, c)
		default:
			awake = append(awake, c)
		}
	}
	m := Meaning{Doubt: noneAwake, Among: f.among(awake, asleep)}
	if len(awake) == 0 {
		return m
	}
	f.first = awake[0]
	for _, c := range clauses {
		if c.holds(f) {
			m.Doubt = c.doubt
			return m
		}
	}
	m.Nudge, m.Ticks, m.Doubt = f.first.Nudge, f.first.ticked, ""
	m.Option, _ = m.Nudge.OptionSaid(a.Text)
	return m
}

// freshAnswer is a fresh answer with all that tells its meaning.
type freshAnswer struct {
	Answer
	Scene
	got   []candidate // the nudges of which the writer had got a message, the newest first
	first candidate   // the one that is meant if any is
}

// takes reports whether n is answered by an answer of f's kind: a bare yes or no, or a number or label.
func (f freshAnswer) takes(n *Nudge) bool {
	if f.Decision != "" {
		return n.TakesYesNo()
	}
	return n.About.takesOption()
}

// fits reports whether the answer says something to n.
func (f freshAnswer) fits(n *Nudge) bool {
	_, ok := n.OptionSaid(f.Text)
	return f.Decision != "" || ok
}

// among lists what the answer may mean. A nudge whose message is being sent may be in the chat already.
func (f freshAnswer) among(awake, asleep []candidate) (list []*Nudge) {
	add := func(n *Nudge) {
		if f.fits(n) && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	for _, c := range awake {
		add(c.Nudge)
	}
	for _, n := range f.Nudges {
		if n.State == Pending && f.takes(n) && f.OnTheWay(n) && !slices.ContainsFunc(asleep, func(c candidate) bool { return c.Nudge == n }) {
			add(n)
		}
	}
	for _, c := range asleep {
		add(c.Nudge)
	}
	return list
}

// lacksDate reports whether nod learnt of a message of something open only by an answer to it, which tells no date.
func (f freshAnswer) lacksDate() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return f.open(n) && !n.asksNothing() && slices.ContainsFunc(n.Copies, func(c Copy) bool {
			return c.Place == f.Place && !c.Unseen && c.Sent.IsZero()
		})
	})
}

// sentMeanwhile reports whether another one's message may have reached the place before the answer was written. When it was
// detected proves nothing: this machine's clock and that of the place may differ.
func (f freshAnswer) sentMeanwhile() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return n.State == Pending && n.ID != f.first.ID && !n.asksNothing() && f.OnTheWay(n)
	})
}

// crowded reports whether a message of another one that is open, or was until shortly before, came close to the newest.
func (f freshAnswer) crowded() bool {
	return slices.ContainsFunc(f.got, func(c candidate) bool {
		return c.ID != f.first.ID && f.takes(c.Nudge) && (f.open(c.Nudge) || f.justEnded(c.Nudge)) &&
			slices.ContainsFunc(c.Copies, func(m Copy) bool {
				return f.sees(m) && m.Sent.Sub(f.first.newest.at).Abs() <= crowded
			})
	})
}

// tooSoon reports whether the newest message came so shortly before the answer that the answer may have been begun for
// another one: one that is open, or that was until shortly before, such as the question before in the same pane.
func (f freshAnswer) tooSoon() bool {
	return f.Written.Sub(f.first.newest.at) < tooSoon && slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return n.ID != f.first.ID && f.takes(n) && (f.open(n) || f.justEnded(n))
	})
}

// newerAsks reports whether something newer waits for an answer of another kind. It takes every kind of nudge for one but an
// idle agent that asks nothing, and every message with buttons about a nudge that waits.
func (f freshAnswer) newerAsks() bool {
	newer := func(p position) bool { return f.first.newest.before(p) && p.before(f.position()) }
	return slices.ContainsFunc(f.got, func(c candidate) bool {
		return !f.takes(c.Nudge) && !c.asksNothing() && f.open(c.Nudge) && newer(c.newest)
	}) || slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return !n.State.Over() && slices.ContainsFunc(n.Copies, func(m Copy) bool {
			return m.Unseen && f.sees(m) && newer(m.position())
		})
	}) || slices.ContainsFunc(f.Asking, func(o OtherMessage) bool { return newer(position{o.Sent, o.Message}) })
}

// newerEnded reports whether c is newer, and was open until shortly before the answer was written.
func (f freshAnswer) newerEnded(c candidate) bool {
	return f.first.newest.before(c.newest) && !c.asksNothing() && (f.justEnded(c.Nudge) || c.State != Pending && f.open(c.Nudge))
}

// tookBack reports whether nod took a message back that asked something, shortly before the answer was written: Telegram brings
// a reply to what is deleted as a message that replies to nothing.
func (f freshAnswer) tookBack() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return n.TookBack && f.wroteAtLatest().Sub(n.Detected) < justOver
	})
}

// open reports whether n waits, or is being answered but not by an earlier answer of the same person.
func (f freshAnswer) open(n *Nudge) bool {
	return !n.State.Over() && !n.answeredBefore(f.Answer)
}

// justEnded reports whether n ended shortly before the answer was written, or since, other than by an earlier answer of the
// same person.
func (f freshAnswer) justEnded(n *Nudge) bool {
	return n.State.Over() && f.wroteAtLatest().Sub(n.Ended) < justOver && !n.answeredBefore(f.Answer)
}

// sees reports whether a message was in the place when the answer was written.
func (f freshAnswer) sees(c Copy) bool {
	return c.Place == f.Place && !c.Sent.IsZero() && c.position().before(f.position())
}

// answeredBefore reports whether it was the same person's answer, written before a, that n was claimed
// for or ended by.
func (n *Nudge) answeredBefore(a Answer) bool {
	switch n.State {
	case Claimed, Typing, Delivered, Unknown, Refused:
		c := n.Claim
		return c.By.ID == a.By.ID && position{c.Written, c.Message}.before(position{a.Written, a.Message})
	}
	return false
}

// asksNothing reports whether n tells of an idle agent whose last words ask nothing: no answer can be meant for those. What
// else is on its screen is the agent's own furniture.
func (n *Nudge) asksNothing() bool {
	t, ended := n.About.(TurnEnded)
	return ended && !asksSomething(t.Words)
}
