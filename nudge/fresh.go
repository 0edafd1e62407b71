package nudge

import (
	"slices"
	"time"

	"nod/internal/reason"
)

// The limits within which a fresh answer is trusted to mean the newest question.
const (
	crowded  = 30 * time.Second // a message of another nudge came that close to the newest
	tooSoon  = 10 * time.Second // the newest message came less than that before the answer
	justOver = time.Minute      // another nudge ended less than that before
	tooLate  = 5 * time.Minute  // nod reads the answer more than that after it was written

	clocksDiffer = time.Minute // how far the clock of a place may be ahead of this machine's
)

// Lately is how long an ended nudge can still matter to the meaning of a fresh answer, counted back from the
// time the answer was read.
const Lately = tooLate + justOver + time.Minute

// Scene is the content of people's chats, as far as nod's records know.
type Scene struct {
	Nudges []*Nudge // live and recently ended
	// Asking are messages that are not reminders of a nudge and wait for an answer of their own.
	Asking []OtherMessage
	// OnTheWay reports whether a message of a nudge may have reached the place although nod does not know it
	// yet.
	OnTheWay func(*Nudge) bool
}

// Meaning is the meaning of a fresh answer.
type Meaning struct {
	Nudge  *Nudge   // nil: ask the human
	Option int      // of Nudge, if the answer is a number or a label
	Ticks  string   // the ticks in the message of Nudge that was answered
	Among  []*Nudge // the candidates, likeliest first; snoozed ones come last and are never meant for sure
	Doubt  Doubt    // why the human must be asked; empty if Nudge is set
}

// Doubt is the reason that it is not certain which nudge a fresh answer means.
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

// clauses lists the doubts, in the order in which they are checked.
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

// Meant finds the nudge that a fresh answer refers to, judging by the messages in its place when it was
// written: for a yes or no the newest permission or yes/no question, for a number or label the newest
// question with options. In a topic, nudges of other panes are never candidates, and a nudge whose newest
// message is in another topic is never certain.
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

// freshAnswer is a fresh answer together with the facts that decide its meaning.
type freshAnswer struct {
	Answer
	Scene
	got   []candidate // the nudges whose messages the writer could see, newest first
	first candidate   // the nudge that is meant, unless there is a doubt
}

// takes reports whether n can be answered by this kind of answer: a yes or no, or a number or label.
func (f freshAnswer) takes(n *Nudge) bool {
	if f.Decision != "" {
		return n.TakesYesNo()
	}
	return n.About.takesOption()
}

// fits reports whether the text is a possible answer to n.
func (f freshAnswer) fits(n *Nudge) bool {
	_, ok := n.OptionSaid(f.Text)
	return f.Decision != "" || ok
}

// among returns the candidates. A nudge whose message is being sent may be in the chat already.
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
		if n.State == Pending && f.takes(n) && f.mayHaveCome(n) && !slices.ContainsFunc(asleep, func(c candidate) bool { return c.Nudge == n }) {
			add(n)
		}
	}
	for _, c := range asleep {
		add(c.Nudge)
	}
	return list
}

// lacksDate reports whether nod knows some open message only from the answer to it, and so without its date.
func (f freshAnswer) lacksDate() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return f.open(n) && !n.asksNothing() && slices.ContainsFunc(n.Copies, func(c Copy) bool {
			return c.Place == f.Place && !c.Unseen && c.Sent.IsZero()
		})
	})
}

// sentMeanwhile reports whether a message of another nudge may have reached the place before the answer was
// written. The time of its detection proves nothing, because the clocks of this machine and of the place may
// differ.
func (f freshAnswer) sentMeanwhile() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return (n.State == Pending || f.justEnded(n)) && n.ID != f.first.ID && !n.asksNothing() && f.mayHaveCome(n)
	})
}

// mayHaveCome reports whether a message of n may have reached the place before the answer was written, without nod's knowledge: it is on the
// way, or the one that nod knows came later than it may have been tried.
func (f freshAnswer) mayHaveCome(n *Nudge) bool {
	return f.OnTheWay(n) || slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return f.mayFollow(c.Ref, c.Sent, c.Waited)
	})
}

// crowded reports whether another nudge, open or just ended, has a message close to the newest.
func (f freshAnswer) crowded() bool {
	return slices.ContainsFunc(f.got, func(c candidate) bool {
		return c.ID != f.first.ID && f.takes(c.Nudge) && (f.open(c.Nudge) || f.justEnded(c.Nudge)) &&
			slices.ContainsFunc(c.Copies, func(m Copy) bool {
				return f.sees(m) && m.Sent.Sub(f.first.newest.at).Abs() <= crowded
			})
	})
}

// tooSoon reports whether the newest message came so shortly before the answer that the writer may have begun
// it for another nudge: one that is open or has just ended, such as the question before in the same pane.
func (f freshAnswer) tooSoon() bool {
	return f.Written.Sub(f.first.newest.at) < tooSoon && slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return n.ID != f.first.ID && f.takes(n) && (f.open(n) || f.justEnded(n))
	})
}

// newerAsks reports whether a newer message waits for an answer of another kind. That is a message of any
// nudge but an idle agent that asks nothing, or any other message with buttons about a waiting nudge.
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

// newerEnded reports whether c is newer than the first candidate and was open until shortly before the answer
// was written.
func (f freshAnswer) newerEnded(c candidate) bool {
	return f.first.newest.before(c.newest) && !c.asksNothing() && (f.justEnded(c.Nudge) || c.State != Pending && f.open(c.Nudge))
}

// tookBack reports whether nod deleted a message with a question shortly before the answer was written.
// Telegram delivers a reply to a deleted message as a reply to nothing.
func (f freshAnswer) tookBack() bool {
	return slices.ContainsFunc(f.Nudges, func(n *Nudge) bool {
		return n.TookBack && f.wroteAtLatest().Sub(n.Detected) < justOver
	})
}

// open reports whether n waits for an answer, or is being answered other than by an earlier answer of the
// same person.
func (f freshAnswer) open(n *Nudge) bool {
	return !n.State.Over() && !n.answeredBefore(f.Answer)
}

// justEnded reports whether n ended shortly before the answer was written, or after, other than by an earlier
// answer of the same person.
func (f freshAnswer) justEnded(n *Nudge) bool {
	return n.State.Over() && f.wroteAtLatest().Sub(n.Ended) < justOver && !n.answeredBefore(f.Answer)
}

// sees reports whether the message was in the place when the answer was written.
func (f freshAnswer) sees(c Copy) bool {
	return c.Place == f.Place && !c.Sent.IsZero() && c.position().before(f.position())
}

// answeredBefore reports whether n was claimed or ended by the same person's earlier answer.
func (n *Nudge) answeredBefore(a Answer) bool {
	switch n.State {
	case Claimed, Typing, Delivered, Unknown, Refused:
		c := n.Claim
		return c.By.ID == a.By.ID && position{c.Written, c.Message}.before(position{a.Written, a.Message})
	}
	return false
}

// asksNothing reports whether n is an idle agent whose last words ask nothing, so that no answer can be meant
// for it. Anything else on its screen is the agent's own decoration.
func (n *Nudge) asksNothing() bool {
	t, ended := n.About.(TurnEnded)
	return ended && !asksSomething(t.Words)
}
