package nudge

import (
	"slices"
	"time"
)

// Waits reports whether a supervisor may still decide about a call of d.
func (d *Denials) Waits() bool {
	return d.Ended.IsZero() && slices.ContainsFunc(d.Calls, func(c Denial) bool { return c.open() })
}

// Lacks reports whether d still has to be sent to the place.
func (d *Denials) Lacks(place Place) bool { return d.Ended.IsZero() && d.Copies.lack(place) }

// Asking returns the messages of d that a fresh answer may have been meant for. No fresh answer makes a
// grant.
func (d *Denials) Asking(a Answer) []OtherMessage {
	if !d.Waits() {
		return nil
	}
	return d.Copies.asking(a)
}

// Notices returns the changes that the places still need for d. A new message makes a sound only while a hook
// waits.
func (d *Denials) Notices(r Rules, silent bool, now time.Time) (list []Notice) {
	for _, c := range d.Copies {
		switch {
		case c.Closed:
		case !d.Ended.IsZero() || !r.Reaches(c.Place):
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}, Newest: !d.Ended.IsZero() && !c.Asks})
		case c.Asks && !d.Waits():
			list = append(list, Notice{Kind: Close, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}})
		case !c.Asks && c.Drawn < d.Drawn:
			list = append(list, Notice{Kind: Refresh, Place: c.Place, Of: d, Copy: Copy{Ref: c.Ref}})
		}
	}
	for _, place := range r.Places() {
		if d.Lacks(place) {
			list = append(list, Notice{Kind: Wanted, Place: place, Of: d, Silent: silent || !d.Rings(now)})
		}
	}
	return list
}

// Informed records that a notice about d was carried out. drawn is the value of Drawn that the notice showed.
func (d *Denials) Informed(r Receipt, drawn int) { d.Copies.told(r, d.Made, drawn) }

// Event fills in the fields that all events about a call of d have.
func (d *Denials) Event(kind string, call int, e Event) Event {
	e.Kind, e.Instruction, e.Pane, e.Server, e.Agent, e.Subject = kind, d.ID, d.Pane.ID, d.Pane.Server.Socket, d.Agent, d.Calls[call].Text
	return e
}
