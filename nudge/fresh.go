package nudge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"nod/detect/screen"
)

// How far a fresh answer is trusted to mean the newest nudge.
const (
	crowded  = 30 * time.Second // another nudge's message came that shortly before
	justOver = time.Minute      // a newer nudge ended that shortly before
	tooLate  = 5 * time.Minute  // nod reads the answer that long after it was written
)

// Lately is how far back from the reading of a fresh answer an ended nudge can still matter to its meaning.
const Lately = tooLate + justOver + time.Minute

// position is where among the messages of a place something stands: by the place's own date, and by the number where
// two dates are equal (Telegram's are whole seconds).
type position struct {
	at      time.Time
	message int
}

func (p position) before(o position) bool {
	return cmp.Or(p.at.Compare(o.at), cmp.Compare(p.message, o.message)) < 0
}

func (c Copy) position() position { return position{c.Sent, c.Message} }

// position is where among the messages of its place a was written.
func (a Answer) position() position {
	if a.Message == 0 {
		return position{a.Written, math.MaxInt}
	}
	return position{a.Written, a.Message}
}

// candidate is a nudge with its newest message that the writer of a fresh answer had got.
type candidate struct {
	*Nudge
	newest  position
	grouped bool // that message shows others too
	topic   int  // where it stands
}

// Meant finds the nudge that a fresh answer means, from what stood in that place when it was written.
// It gives the pending permissions that it may mean, the likeliest first, and whether the first is
// meant for sure; when not, the human must be asked. Of an answer that was written in a part of the place no nudge of
// another pane is meant, and none for sure whose newest message stands elsewhere. nudges are the live and the
// lately ended ones,
// others the messages that show no single nudge, and onTheWay reports whether a message of a nudge may have
// been sent to that place without nod having heard of it yet.
func Meant(a Answer, nudges []*Nudge, others []OtherMessage, onTheWay func(*Nudge) bool) (among []*Nudge, sure bool) {
	if a.Pane != nil {
		nudges = slices.DeleteFunc(slices.Clone(nudges), func(n *Nudge) bool { return n.Pane != *a.Pane })
	}
	got := gotBefore(a, nudges)
	var first candidate
	for _, c := range got {
		if c.State == Pending && c.Kind == screen.Permission {
			if among = append(among, c.Nudge); len(among) == 1 {
				first = c
			}
		}
	}
	sending := unreported(nudges, among, onTheWay)
	if len(among) == 0 {
		return slices.DeleteFunc(sending, func(n *Nudge) bool { return n.Kind != screen.Permission }), false
	}
	sure = len(sending) == 0 && !first.grouped && (a.Pane == nil || first.topic == a.Topic) &&
		!first.askedReason(a.Place, first.newest, a.position()) &&
		a.Read.Sub(a.Written) <= tooLate &&
		!slices.ContainsFunc(got, func(c candidate) bool { return c.disturbs(first, a) }) &&
		!slices.ContainsFunc(others, func(o OtherMessage) bool {
			p := position{o.Sent, o.Message}
			return o.Place == a.Place && (a.Pane == nil || o.Topic == a.Topic) && first.newest.before(p) && p.before(a.position())
		})
	return among, sure
}

// gotBefore lists the nudges that had a message in the place before a was written, the newest first.
func gotBefore(a Answer, nudges []*Nudge) []candidate {
	var got []candidate
	for _, n := range nudges {
		c := candidate{Nudge: n}
		for _, copy := range n.Copies {
			p := copy.position()
			// A question for consent is no message that a bare y answers; disturbs looks at those.
			if copy.Place == a.Place && !copy.Unseen && !copy.Sent.IsZero() && p.before(a.position()) && c.newest.before(p) {
				c.newest, c.grouped, c.topic = p, len(copy.Group) > 0, copy.Topic
			}
		}
		if !c.newest.at.IsZero() {
			got = append(got, c)
		}
	}
	slices.SortFunc(got, func(a, b candidate) int {
		return cmp.Or(b.newest.at.Compare(a.newest.at), cmp.Compare(b.newest.message, a.newest.message))
	})
	return got
}

// disturbs reports whether c makes it unsure that the answer means first.
func (c candidate) disturbs(first candidate, a Answer) bool {
	if c.ID == first.ID {
		return false
	}
	if c.askedConsent(a.Place, first.newest, a.position()) {
		return true
	}
	if c.asksNothing() {
		return false
	}
	newer := first.newest.before(c.newest)
	switch c.State {
	case Pending:
		return newer || c.Kind.Asks() && c.cameWithin(a, crowded)
	case Claimed, Typing:
		return newer && !c.answeredBefore(a)
	}
	// This machine's clock and that of the place may differ; the earlier time of writing errs towards asking.
	wrote := a.Written
	if a.Read.Before(wrote) {
		wrote = a.Read
	}
	return newer && wrote.Sub(c.Ended) < justOver && !c.answeredBefore(a)
}

// asksNothing reports whether n tells of an idle agent whose last words ask nothing: no y can be meant for those. Where
// its words are not known, the screen has them.
func (n *Nudge) asksNothing() bool {
	words := n.Words
	if words == "" {
		words = strings.Join(n.Tail, "\n")
	}
	return n.Kind == screen.Idle && !asksSomething(words)
}

// askedConsent reports whether a question for consent about n, or another with buttons that still hold, came after one
// position and before another.
func (n *Nudge) askedConsent(place Place, after, before position) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		asks := c.Unseen && (c.Beside == "" || !n.State.Over())
		return asks && c.Place == place && after.before(c.position()) && c.position().before(before)
	})
}

// askedReason reports whether a question for the reason of n's denial came after one position and before another.
func (n *Nudge) askedReason(place Place, after, before position) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return c.Place == place && c.Reason && after.before(c.position()) && c.position().before(before)
	})
}

// cameWithin reports whether a message of n came at most so long before a was written.
func (n *Nudge) cameWithin(a Answer, long time.Duration) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return c.Place == a.Place && c.position().before(a.position()) && a.Written.Sub(c.Sent) <= long
	})
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

// unreported lists the pending nudges, apart from the likeliest among those that nod knows to have been
// told, whose message may have reached the place before the answer was written. When they were
// detected proves nothing: this machine's clock and that of the place may differ.
func unreported(nudges, among []*Nudge, onTheWay func(*Nudge) bool) []*Nudge {
	var list []*Nudge
	for _, n := range nudges {
		likeliest := len(among) > 0 && among[0].ID == n.ID
		if n.State == Pending && !likeliest && onTheWay(n) {
			list = append(list, n)
		}
	}
	return list
}
