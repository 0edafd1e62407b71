package nudge

import "slices"

// Offer is the kind of a bot message that carries buttons for a nudge but is not one of its reminders. The
// buttons are removed when the nudge is over, like those of its reminders.
type Offer string

// The kinds.
const (
	OfferOne     Offer = "one"     // about this nudge alone
	OfferExpired Offer = "expired" // asks this expired nudge again
	OfferWords   Offer = "words"   // repeats the last words for the agent
	OfferWhich   Offer = "which"   // asks which of several nudges is meant; over when one of them is over
	OfferList    Offer = "list"    // lists what waits
)

// newest reports whether the place of c has no later message of its kind. Only the newest list keeps its
// buttons.
func (n *Nudge) newest(c Copy) bool {
	return !slices.ContainsFunc(n.Copies, func(o Copy) bool {
		return o.Place == c.Place && o.Offer == c.Offer && o.Message > c.Message
	})
}

// HasWords reports whether an open message offers to give the words of n once more. The offer ends when its
// pane has a newer nudge.
func (n *Nudge) HasWords() bool {
	return slices.ContainsFunc(n.Copies, func(c Copy) bool { return c.Offer == OfferWords && !c.Closed })
}

// offers reports whether the buttons of the bot message c still work.
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

// ReceivedOffer records that a bot message has buttons about n, alone or among others.
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

// CloseOffer forgets a list without buttons about n, because people may ask for any number of lists. It
// reports whether there was one.
func (n *Nudge) CloseOffer(r Ref) bool {
	before := len(n.Copies)
	n.Copies = slices.DeleteFunc(n.Copies, func(c Copy) bool { return c.same(r) && (c.Offer == OfferWhich || c.Offer == OfferList) })
	return len(n.Copies) < before
}
