package nudge

import (
	"slices"
	"time"
)

// Message is a message with buttons about something that no y answers: a wish, or calls that were blocked.
type Message struct {
	Ref
	Sent   time.Time // by the date of its place; zero: nod learnt of it only by a tap
	Asks   bool      `json:",omitempty"` // it asks for the second tap, and shows no end
	Closed bool      `json:",omitempty"`
	Drawn  int       `json:",omitempty"` // which state of what it shows it was drawn from, where that changes
}

// Messages are those of one record.
type Messages []Message

// lack reports whether a place has no message yet.
func (m Messages) lack(place Place) bool {
	return !slices.ContainsFunc(m, func(c Message) bool { return c.Place == place && !c.Asks && !c.Closed })
}

// Adopt takes note of a message, which nod may learn of only by a tap there. nil: it is in no place.
func (m *Messages) Adopt(r Ref) *Message {
	if r.Message == 0 {
		return nil
	}
	i := slices.IndexFunc(*m, func(c Message) bool { return c.same(r) })
	if i < 0 {
		i = len(*m)
		*m = append(*m, Message{Ref: Ref{Place: r.Place, Message: r.Message, Topic: r.Topic}})
	}
	return &(*m)[i]
}

// Show reports whether a message is one of them.
func (m Messages) Show(r Ref) bool {
	return slices.ContainsFunc(m, func(c Message) bool { return c.same(r) })
}

func (m Messages) open() bool {
	return slices.ContainsFunc(m, func(c Message) bool { return !c.Closed })
}

// told takes down that a notice was carried out, of a state of what it shows.
func (m *Messages) told(r Receipt, drawn int) {
	switch r.Notice.Kind {
	case Close:
		for i, c := range *m {
			(*m)[i].Closed = c.Closed || c.same(r.Notice.Copy.Ref)
		}
		return
	case Refresh:
		if c := m.Adopt(r.Notice.Copy.Ref); c != nil {
			c.Drawn = drawn
		}
		return
	}
	if c := m.Adopt(Ref{Place: r.Notice.Place, Message: r.Message, Topic: r.Topic}); c != nil {
		c.Sent, c.Asks, c.Drawn = r.Sent.UTC(), r.Notice.Kind == Consent, drawn
	}
}

// asking gives those that a fresh answer may have been meant for.
func (m Messages) asking() (list []OtherMessage) {
	for _, c := range m {
		list = append(list, OtherMessage{Ref: c.Ref, Sent: c.Sent})
	}
	return list
}
