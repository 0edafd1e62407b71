package nudge

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"
)

// reminderIn returns the last reminder of this round that the place has and can still answer; 0: none.
func (n *Nudge) reminderIn(place Place) int {
	reminder := 0
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen && !c.Closed && c.Round == n.Round {
			reminder = max(reminder, c.Reminder)
		}
	}
	return reminder
}

// copyOf returns n's record of a message; nil: none.
func (n *Nudge) copyOf(r Ref) *Copy {
	for i := range n.Copies {
		if c := &n.Copies[i]; c.same(r) {
			return c
		}
	}
	return nil
}

// firstIn returns the first message of n in the place; 0: none.
func (n *Nudge) firstIn(place Place) int {
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen {
			return c.Message
		}
	}
	return 0
}

// newestIn returns the newest message of n in the place; 0: none.
func (n *Nudge) newestIn(place Place) int {
	newest := 0
	for _, c := range n.Copies {
		if c.Place == place && !c.Unseen {
			newest = max(newest, c.Message)
		}
	}
	return newest
}

// Lacks reports whether the current reminder of n still has to be sent to the place.
func (n *Nudge) Lacks(place Place) bool {
	return n.State == Pending && n.Away.IsZero() && n.reminderIn(place) < n.Reminder
}

// Notices returns the changes that the places still need for n, whether or not somebody is at its pane
// already.
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

// soundless reports whether messages about n never make a sound: the agent has done its work, and the
// settings do not want it loud.
func (n *Nudge) soundless(r Rules) bool {
	t, ended := n.About.(TurnEnded)
	return ended && t.Blocked.IsZero() && !r.Loud
}

// closings returns the messages whose buttons must be removed: the nudge is over, the chat may no longer
// answer, or the consent that they ask for has lapsed. Messages of a replaced idle notice are deleted.
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
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c, Newest: n.State.Over() && n.saysEnd(c)})
		}
	}
	return list
}

// saysEnd reports whether c says how n ended: it is the newest in its place, its button was tapped, or it is
// about several nudges.
func (n *Nudge) saysEnd(c Copy) bool {
	return c.Message == n.newestIn(c.Place) || n.Claim != nil && n.Claim.same(c.Ref) || len(c.Group) > 0
}

// lapsed reports whether c asks for a consent that no longer counts.
func (n *Nudge) lapsed(c Copy) bool {
	return c.Unseen && !c.Reason && n.Asked.IsZero() && n.State == Pending
}

// urgency sorts notices: outcomes for whoever answered, then new questions, then dead buttons, then
// reminders, and last agents that ask nothing: a hundred that are done at once must not hold back a question.
func (n Notice) urgency() int {
	switch {
	case n.Kind == Reply:
		return 0
	case n.Kind == Send && n.isFirst() && n.Nudge().Asks():
		return 1
	case n.Kind == Send && n.isFirst():
		return 4
	case n.Kind == Clear: // another one has come in its place
		return 5
	case n.Kind == Close, n.Kind == Refresh:
		return 2
	}
	return 3
}

// isFirst reports whether the place has no earlier message about the same nudge.
func (n Notice) isFirst() bool {
	of, _ := n.Of.(OfNudge)
	return of.ReplyTo == 0
}

// SortNotices sorts notices into the order of sending.
func SortNotices(list []Notice) {
	slices.SortStableFunc(list, func(a, b Notice) int {
		return cmp.Or(cmp.Compare(a.urgency(), b.urgency()), a.Nudge().Detected.Compare(b.Nudge().Detected))
	})
}

// Received records that a notice was carried out. It returns the event to log, if there is one.
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
			Reason: r.Notice.Kind == Reason, Watched: r.Notice.Watch, Ticks: told.Prompt().Ticks(), Waited: r.waited(told.Raised),
		}
		n.Copies = append(n.Copies, sent)
		if !sent.Unseen {
			n.outgrew(told)
		}
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
		// An edit that began before the last change is out of date already.
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

// waited returns how long something had waited to be told, since that time, until nod learnt of the message.
func (r Receipt) waited(since time.Time) time.Duration {
	if since.IsZero() {
		return 0
	}
	return max(0, r.Recorded.Sub(since).Truncate(time.Second))
}

// ReceivedTogether records that n was sent in one message with others. It returns the event to log.
func (n *Nudge) ReceivedTogether(r Receipt, told Part) Event {
	sent := Copy{
		Ref: Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}, Sent: r.Sent.UTC(),
		Hidden:   told.Hidden || told.Nudge.Prompt().Subject != n.Prompt().Subject,
		Reminder: told.Nudge.Reminder, Round: told.Nudge.Round, Watched: r.Notice.Watch, Waited: r.waited(told.Nudge.Raised),
	}
	for _, p := range r.Parts {
		sent.Group = append(sent.Group, p.Nudge.ID)
	}
	n.Copies = append(n.Copies, sent)
	n.outgrew(&told.Nudge)
	return n.Event(NudgeSent, Event{SentTo: SentTo{Chat: sent.Place, Message: sent.Message, Reminder: sent.Reminder}})
}

// outgrew sends n again if its subject has become another one while a message with what was told was on its way.
func (n *Nudge) outgrew(told *Nudge) {
	if n.State == Pending && n.Prompt().Subject != told.Prompt().Subject && n.Prompt().Ticks() == "" {
		n.tellAgain(whyAgain(told.Prompt(), n.Prompt()))
	}
}

// GroupedIn reports whether the message shows n among others.
func (n *Nudge) GroupedIn(r Ref) bool {
	c := n.copyOf(r)
	return c != nil && len(c.Group) > 0
}

// ShownAlone reports whether a message in the place shows n, whole or in part, and no other nudge.
func (n *Nudge) ShownAlone(p Place) bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Place == p && !c.Unseen && len(c.Group) == 0 })
}

// adopt records a message of n that nod knows only from the answer to it, because its sending was cut off.
// The message will be closed like the others. Its button data says what it showed.
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

// askedWhy reports whether the answer replies to the question for the reason of n's denial. It uses nod's
// record of that message, or its buttons if the sending was cut off.
func (n *Nudge) askedWhy(a Answer) bool {
	if c := n.copyOf(a.under()); c != nil {
		return c.Reason
	}
	return slices.ContainsFunc(a.Shown, func(s Shown) bool { return s.Reason && s.Nudge == n.ID })
}

// SubjectHash identifies the currently known subject of n, for a message that shows all of it.
func (n *Nudge) SubjectHash() string { return hashOf(n.Prompt().Subject) }

func hashOf(subject string) string {
	sum := sha256.Sum256([]byte(subject))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}

// Shows reports whether nod has a record of a message that shows n. Only Place and Message of r count.
func (n *Nudge) Shows(r Ref) bool {
	c := n.copyOf(r)
	return c != nil && c.Offer == ""
}

// ListedIn reports whether n still has buttons in a list, the message of r.
func (n *Nudge) ListedIn(r Ref) bool {
	c := n.copyOf(r)
	return c != nil && c.Offer == OfferList && !c.Closed
}

// ShownIn reports whether a message in the place shows n, whole or in part.
func (n *Nudge) ShownIn(p Place) bool { return n.newestIn(p) != 0 }
