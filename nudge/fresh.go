package nudge

import (
	"cmp"
	"slices"
	"time"

	"nod/detect"
)

// How far a fresh answer is trusted to mean the newest nudge.
const (
	crowded  = 30 * time.Second // another nudge's message came that shortly before
	justOver = time.Minute      // a newer nudge ended that shortly before
	tooLate  = 5 * time.Minute  // nod reads the answer that long after it was written
)

// mark is a place in a chat: Telegram's date, and the message id where two dates are equal (they
// are whole seconds).
type mark struct {
	at      time.Time
	message int
}

func (m mark) before(o mark) bool {
	return cmp.Or(m.at.Compare(o.at), cmp.Compare(m.message, o.message)) < 0
}

// told is a nudge with its newest message that the writer of a fresh answer had got.
type told struct {
	*Nudge
	newest mark
}

// meant finds the nudge that a fresh answer means, from what stood in that chat when it was written.
// It gives the pending permissions that it may mean, the likeliest first, and whether the first is
// meant for sure; when not, the human must be asked. nudges are the live and the lately ended ones,
// spoken the messages that show no single nudge, and onTheWay reports whether a message of a nudge may have
// been sent to that chat without nod having heard of it yet.
func meant(a Answer, nudges []*Nudge, spoken []Spoken, onTheWay func(*Nudge) bool) (among []*Nudge, sure bool) {
	written := mark{a.Written, a.Message}
	if a.Message == 0 {
		written.message = int(^uint(0) >> 1)
	}
	got := gotBefore(a.Chat, written, nudges)
	var pending []told
	for _, t := range got {
		if t.State == Pending && t.Kind == detect.Permission {
			pending = append(pending, t)
		}
	}
	for _, t := range pending {
		among = append(among, t.Nudge)
	}
	sending := unheard(nudges, among, onTheWay)
	if len(pending) == 0 {
		return slices.DeleteFunc(sending, func(n *Nudge) bool { return n.Kind != detect.Permission }), false
	}
	first := pending[0]
	sure = len(sending) == 0 &&
		a.Read.Sub(a.Written) <= tooLate &&
		!slices.ContainsFunc(got, func(t told) bool { return disturbs(t, first, a, written) }) &&
		!slices.ContainsFunc(spoken, func(s Spoken) bool {
			m := mark{s.Sent, s.Message}
			return s.Chat == a.Chat && first.newest.before(m) && m.before(written)
		})
	return among, sure
}

// gotBefore lists the nudges that had a message in the chat before written, the newest first.
func gotBefore(chat int64, written mark, nudges []*Nudge) []told {
	var got []told
	for _, n := range nudges {
		t := told{Nudge: n}
		for _, c := range n.Copies {
			m := mark{c.Sent, c.Message}
			// A question for consent is no message that a bare y answers; disturbs looks at those.
			if c.Chat == chat && !c.Unseen && !c.Sent.IsZero() && m.before(written) && t.newest.before(m) {
				t.newest = m
			}
		}
		if !t.newest.at.IsZero() {
			got = append(got, t)
		}
	}
	slices.SortFunc(got, func(a, b told) int {
		return cmp.Or(b.newest.at.Compare(a.newest.at), cmp.Compare(b.newest.message, a.newest.message))
	})
	return got
}

// disturbs reports whether t makes it unsure that the answer means first.
func disturbs(t, first told, a Answer, written mark) bool {
	if t.ID == first.ID {
		return false
	}
	if asksConsent(t.Nudge, a.Chat, first.newest, written) {
		return true
	}
	newer := first.newest.before(t.newest)
	switch t.State {
	case Pending:
		return newer || t.Kind.Asks() && within(t.Nudge, a.Chat, written, crowded)
	case Claimed, Typing:
		return newer && !ownEarlier(t.Nudge, a)
	}
	// The clocks of this machine and of Telegram may differ; the earlier time of writing errs towards asking.
	wrote := a.Written
	if a.Read.Before(wrote) {
		wrote = a.Read
	}
	return newer && wrote.Sub(t.Ended) < justOver && !ownEarlier(t.Nudge, a)
}

// asksConsent reports whether a question for consent about n came after one mark and before another.
func asksConsent(n *Nudge, chat int64, after, before mark) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		m := mark{c.Sent, c.Message}
		return c.Chat == chat && c.Unseen && after.before(m) && m.before(before)
	})
}

// within reports whether a message of n came at most so long before written.
func within(n *Nudge, chat int64, written mark, long time.Duration) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool {
		return c.Chat == chat && (mark{c.Sent, c.Message}).before(written) && written.at.Sub(c.Sent) <= long
	})
}

// ownEarlier reports whether it was the same person's answer, written before a, that n was claimed
// for or ended by.
func ownEarlier(n *Nudge, a Answer) bool {
	switch n.State {
	case Claimed, Typing, Delivered, Unknown, Refused:
		c := n.Claim
		return c.By.ID == a.By.ID && mark{c.Written, c.Message}.before(mark{a.Written, a.Message})
	}
	return false
}

// unheard lists the pending nudges, apart from the likeliest among those that nod knows to have been
// told, whose message may have reached the chat before the answer was written. When they were
// detected proves nothing: this machine's clock and Telegram's may differ.
func unheard(nudges, among []*Nudge, onTheWay func(*Nudge) bool) []*Nudge {
	var list []*Nudge
	for _, n := range nudges {
		likeliest := len(among) > 0 && among[0].ID == n.ID
		if n.State == Pending && !likeliest && onTheWay(n) {
			list = append(list, n)
		}
	}
	return list
}
