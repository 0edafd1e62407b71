package nudge

import "slices"

// Offer is the kind of a message that has buttons about a nudge and is not one of its reminders. The buttons go when the
// nudge is over, as those of its reminders do.
type Offer string

// The messages of nod's own that have buttons.
const (
	OfferOne     Offer = "one"     // it is about this nudge alone
	OfferExpired Offer = "expired" // it asks this one again, which has expired
	OfferWords   Offer = "words"   // it gives once more the words that the agent was given last
	OfferWhich   Offer = "which"   // it asks which one of several is meant, and is over when one of them is
	OfferList    Offer = "list"    // it lists what waits
)

// newest reports whether no later message of its kind is in the place of c. Of lists only the newest keeps its buttons.
func (n *Nudge) newest(c Copy) bool {
	return !slices.ContainsFunc(n.Copies, func(o Copy) bool {
		return o.Place == c.Place && o.Offer == c.Offer && o.Message > c.Message
	})
}

// HasWords reports whether a message offers to give the words of n once more: until something newer is told of its pane.
func (n *Nudge) HasWords() bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Offer == OfferWords && !c.Closed })
}

// offers reports whether the buttons of a message of nod's own still do what they say.
func (n *Nudge) offers(c Copy) bool {
	switch c.Offer {
	case OfferOne:
		return !n.State.Over()
	case OfferExpired:
		return n.Standing
	case OfferWords:
		return n.Claim != nil && n.CanRepeat(n.Claim.Stamp()) && !n.Overtaken
	case OfferWhich:
		return !n.State.Over() && n.newest(c)
	}
	return (!n.State.Over() || n.Standing) && n.newest(c)
}

// ReceivedOffer takes down that a message of nod's own has buttons about n, among those of others or alone.
func (n *Nudge) ReceivedOffer(r Receipt) {
	sent := Copy{Ref: Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}, Sent: r.Sent.UTC(), Unseen: true, Offer: r.Offer, Watched: r.Notice.Watch}
	if r.Offer == OfferWhich || r.Offer == OfferList {
		for _, p := range r.Parts {
			sent.Group = append(sent.Group, p.Nudge.ID)
		}
	}
	if c := n.copyOf(sent.Ref); c != nil {
		c.Group = sent.Group
		return
	}
	n.Copies = append(n.Copies, sent)
}

// CloseOffer forgets a list that has no button about n any more: as many may be asked for as anybody likes. It reports
// whether there was one.
func (n *Nudge) CloseOffer(r Ref) bool {
	before := len(n.Copies)
	n.Copies = slices.DeleteFunc(n.Copies, func(c Copy) bool { return c.same(r) && (c.Offer == OfferWhich || c.Offer == OfferList) })
	return len(n.Copies) < before
}
