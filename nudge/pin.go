package nudge

// Pinning is whether a message is pinned. It is noted before Telegram is asked, so that no restart leaves a pin behind.
type Pinning string

// What becomes of a message that is to be pinned; empty: it is not.
const (
	PinAsked   Pinning = "asked" // it may be pinned
	Pinned     Pinning = "pinned"
	PinRefused Pinning = "refused" // it can't be, and is not tried again
)

// held reports whether the message is pinned, or may be.
func (p Pinning) held() bool { return p == PinAsked || p == Pinned }

// Pins are the messages that are to be pinned and are not yet, and those that are pinned and are not to be any more.
// One that shows several is pinned as long as one of them waits.
func Pins(live []*Nudge, r Rules, silent func(*Nudge) bool) (list []Notice) {
	wanted, known := map[Ref]bool{}, map[Ref]bool{} // known: it is or can't be pinned, by one of those that it shows
	for _, n := range live {
		for _, c := range n.Copies {
			ref := c.plain()
			wanted[ref] = wanted[ref] || n.pins(c, r)
			known[ref] = known[ref] || c.Pin == Pinned || c.Pin == PinRefused
		}
	}
	for _, n := range live {
		for _, c := range n.Copies {
			switch ref := c.plain(); {
			case wanted[ref] && !known[ref] && n.pins(c, r):
				known[ref] = true
				list = append(list, Notice{Kind: Pin, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c, Silent: silent(n)})
			case !wanted[ref] && c.Pin.held():
				wanted[ref] = true
				list = append(list, Notice{Kind: Unpin, Place: c.Place, Of: OfNudge{Nudge: *n}, Copy: c})
			}
		}
	}
	return list
}

// pins reports whether c is the message of n that is to be pinned: the first that shows it as it is asked now.
func (n *Nudge) pins(c Copy, r Rules) bool {
	if !r.Pin || n.State.Over() || !n.Asks() || !r.Reaches(c.Place) {
		return false
	}
	var first *Copy
	for i := range n.Copies {
		if o := &n.Copies[i]; o.Place == c.Place && !o.Unseen && !o.Closed && (first == nil || o.Round > first.Round) {
			first = o
		}
	}
	return first != nil && first.same(c.Ref)
}

// plain is the message alone.
func (r Ref) plain() Ref { return Ref{Place: r.Place, Message: r.Message} }
