package nudge

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
)

// reminderIn is the last reminder of this round that a place has and can still answer; 0: none.
func (n *Nudge) reminderIn(place Place) int {
	reminder := 0
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen && !c.Closed && c.Round == n.Round {
			reminder = max(reminder, c.Reminder)
		}
	}
	return reminder
}

// copyOf finds a message of n; nil where nod knows of none.
func (n *Nudge) copyOf(r Ref) *Copy {
	for i := range n.Copies {
		if c := &n.Copies[i]; c.same(r) {
			return c
		}
	}
	return nil
}

// firstIn is the first message of n in a place; 0: none.
func (n *Nudge) firstIn(place Place) int {
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen {
			return c.Message
		}
	}
	return 0
}

// newestIn is the newest message of n in a place.
func (n *Nudge) newestIn(place Place) int {
	newest := 0
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen {
			newest = max(newest, c.Message)
		}
	}
	return newest
}

// Lacks reports whether a place still has to be sent the reminder that n is at.
func (n *Nudge) Lacks(place Place) bool {
	return n.State == Pending && n.Away.IsZero() && n.reminderIn(place) < n.Reminder
}

// Notices are what the places should show of n and do not yet, whether or not somebody is at its pane already.
func (n *Nudge) Notices(r Rules, silent bool) []Notice {
	list := n.closings(r)
	if c := n.Claim; c != nil && !c.Told && n.State != Claimed && n.State != Typing {
		list = append(list, Notice{Kind: Reply, Place: c.Place, Of: OfNudge{Nudge: *n}, Silent: silent})
	}
	for _, c := range n.Copies {
		if n.stale(c) && (r.Reaches(c.Place) || c.Watched && r.Watches(c.Place)) {
			list = append(list, Notice{Kind: Refresh, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c})
		}
	}
	for _, place := range r.audience() {
		if n.Lacks(place) {
			list = append(list, Notice{
				Kind: Send, Place: place, Of: OfNudge{*n, n.firstIn(place), n.underIn(place)}, Silent: silent || n.soundless(r), Watch: r.Watches(place),
			})
		}
	}
	return list
}

// soundless reports whether n is told without a sound whatever the hour: an agent that has done its work.
func (n *Nudge) soundless(r Rules) bool {
	t, ended := n.About.(TurnEnded)
	return ended && t.Blocked.IsZero() && !r.Loud
}

// closings are the messages whose buttons must go: the nudge is over, nobody may answer in that place any more, or the
// consent that they ask for no longer holds. Messages of an idle notice that was replaced are taken back.
func (n *Nudge) closings(r Rules) []Notice {
	var list []Notice
	for _, c := range n.Copies {
		may := r.Reaches(c.Place) || c.Watched && r.Watches(c.Place)
		switch {
		case c.Closed:
		case c.Offer != "":
			if !may || !n.offers(c) {
				list = append(list, Notice{Kind: Close, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c, Newest: may && n.newest(c)})
			}
		case n.Replaced:
			list = append(list, Notice{Kind: Clear, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c})
		case n.State.Over() || n.lapsed(c) || !may:
			newest := n.State.Over() && c.Message == n.newestIn(c.Place)
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c, Newest: newest})
		}
	}
	return list
}

// lapsed reports whether c asks for a consent that no longer holds.
func (n *Nudge) lapsed(c Copy) bool {
	return c.Unseen && !c.Reason && n.Asked.IsZero() && n.State == Pending
}

// urgency orders notices: who answered waits for the outcome, then new questions, then buttons that
// do nothing any more, then what was said before.
func (n Notice) urgency() int {
	switch {
	case n.Kind == Reply:
		return 0
	case n.Kind == Send && n.isFirst():
		return 1
	case n.Kind == Close, n.Kind == Clear, n.Kind == Refresh:
		return 2
	}
	return 3
}

// isFirst reports whether nothing that n is of was told in its place before.
func (n Notice) isFirst() bool {
	of, _ := n.Of.(OfNudge)
	return of.ReplyTo == 0
}

// SortNotices puts notices into the order in which they should be said.
func SortNotices(list []Notice) {
	slices.SortStableFunc(list, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), a.Nudge().Detected.Compare(b.Nudge().Detected))
	})
}

// Received takes down that a notice was carried out. It gives the event to note, if there is one.
func (n *Nudge) Received(r Receipt) (Event, bool) {
	ref := Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}
	c, told := n.copyOf(ref), r.Notice.Nudge()
	switch r.Notice.Kind {
	case Send, Consent, Reason:
		hidden := r.Hidden || told.Prompt().Subject != n.Prompt().Subject
		if c != nil {
			c.Hidden, c.Ticks = hidden, told.Prompt().Ticks()
			if c.Sent.IsZero() { // an answer to it came first
				c.Sent, c.Reminder = r.Sent.UTC(), told.Reminder
			}
			return Event{}, false
		}
		sent := Copy{
			Ref: ref, Sent: r.Sent.UTC(), Hidden: hidden,
			Reminder: told.Reminder, Round: told.Round, Unseen: r.Notice.Kind != Send,
			Reason: r.Notice.Kind == Reason, Watched: r.Notice.Watch, Ticks: told.Prompt().Ticks(),
		}
		n.Copies = append(n.Copies, sent)
		return n.Event(NudgeSent, Event{SentTo: SentTo{Chat: sent.Place, Message: sent.Message, Reminder: sent.Reminder}}), !sent.Unseen
	case Refresh:
		if c := n.copyOf(r.Notice.Copy.Ref); c != nil {
			c.Away = !told.Away.IsZero()
			c.Ticks, c.Hidden = told.Prompt().Ticks(), r.Hidden || told.Prompt().Subject != n.Prompt().Subject
		}
	case Pin, Unpin:
		if c := n.copyOf(r.Notice.Copy.Ref); c != nil {
			c.Pin = r.Pinned
		}
	case Close, Clear:
		// What an edit says that began before the last change is out of date already.
		if c := n.copyOf(r.Notice.Copy.Ref); c != nil && told.Edition == n.Edition {
			c.Closed = true
			n.CloseOffer(c.Ref)
		}
	case Reply:
		if r.Offer != "" {
			n.ReceivedOffer(r)
		}
		if n.Claim != nil && told.Claim != nil && n.Claim.At.Equal(told.Claim.At) {
			n.Claim.Told = true
		}
	}
	return Event{}, false
}

// ReceivedTogether takes down that n was told in a message with others. It gives the event to note.
func (n *Nudge) ReceivedTogether(r Receipt, told Part) Event {
	sent := Copy{
		Ref: Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}, Sent: r.Sent.UTC(),
		Hidden:   told.Hidden || told.Nudge.Prompt().Subject != n.Prompt().Subject,
		Reminder: told.Nudge.Reminder, Round: told.Nudge.Round, Watched: r.Notice.Watch,
	}
	for _, p := range r.Parts {
		sent.Group = append(sent.Group, p.Nudge.ID)
	}
	n.Copies = append(n.Copies, sent)
	return n.Event(NudgeSent, Event{SentTo: SentTo{Chat: sent.Place, Message: sent.Message, Reminder: sent.Reminder}})
}

// GroupedIn reports whether a message shows n among others.
func (n *Nudge) GroupedIn(r Ref) bool {
	c := n.copyOf(r)
	return c != nil && len(c.Group) > 0
}

// ShownAlone reports whether a message in that place shows n and no other nudge, were it only a part of it.
func (n *Nudge) ShownAlone(p Place) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Place == p && !c.Unseen && len(c.Group) == 0 })
}

// adopt takes note of a message of n that nod learns of only by the answer to it, its sending having
// been cut off: it closes like the others. What it showed it says itself.
func (n *Nudge) adopt(a Answer) bool {
	ref := a.under()
	i := slices.IndexFunc(a.Shown, func(s Shown) bool { return (s.Own || s.Reason) && s.Nudge == n.ID })
	if i < 0 || ref.Message == 0 || n.copyOf(ref) != nil {
		return false
	}
	why := a.Shown[i].Reason
	n.Copies = append(n.Copies, Copy{Ref: ref, Round: n.Round, Unseen: why, Reason: why, Hidden: why || a.Shown[i].Subject != n.SubjectHash()})
	return true
}

// askedWhy reports whether an answer replies to the question for the reason of n's denial: by nod's record of that message, or
// by its buttons where its sending was cut off.
func (n *Nudge) askedWhy(a Answer) bool {
	if c := n.copyOf(a.under()); c != nil {
		return c.Reason
	}
	return slices.ContainsFunc(a.Shown, func(s Shown) bool { return s.Reason && s.Nudge == n.ID })
}

// SubjectHash names the subject of n as it is known now, for a message that shows it whole.
func (n *Nudge) SubjectHash() string { return hashOf(n.Prompt().Subject) }

func hashOf(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Shows reports whether nod has a record of a message that shows n; place and message are those of r.
func (n *Nudge) Shows(r Ref) bool {
	c := n.copyOf(r)
	return c != nil && c.Offer == ""
}

// ShownIn reports whether a message in that place shows n, were it only a part of it.
func (n *Nudge) ShownIn(p Place) bool { return n.newestIn(p) != 0 }
