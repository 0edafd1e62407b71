package nudge

// Pinning is the pin state of a message. It is stored before Telegram is asked, so that no restart leaves a
// pin behind.
type Pinning string

// The pin states; empty: not pinned.
const (
	PinAsked   Pinning = "asked" // it may be pinned
	Pinned     Pinning = "pinned"
	PinRefused Pinning = "refused" // it can't be pinned, and is not tried again
)

// held reports whether the message is pinned, or may be.
func (p Pinning) held() bool { return p == PinAsked || p == Pinned }

// Pins returns the notices that pin and unpin messages. A message about several nudges is pinned as long as
// one of them waits.
func Pins(live []*Nudge, r Rules, silent func(*Nudge) bool) (list []Notice) {
	wanted, known := map[Ref]bool{}, map[Ref]bool{} // known: pinned, or can't be pinned, by one of its nudges
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
			case !known[ref] && n.pins(c, r):
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

// pins reports whether c is the message of n to pin: the first one of the newest round.
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

// plain returns the message without its topic and update.
func (r Ref) plain() Ref { return Ref{Place: r.Place, Message: r.Message} }
