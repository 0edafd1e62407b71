package nudge

import (
	"slices"
	"time"
)

// Message is a message with buttons about a wish or about blocked calls, which no y answers.
type Message struct {
	Ref
	Sent   time.Time // by the date of its place; zero: nod knows the message only from a tap
	Asks   bool      `json:",omitempty"` // it asks for the second tap, and does not show how the wish or the calls end
	Closed bool      `json:",omitempty"`
	Drawn  int       `json:",omitempty"` // the Drawn of the record that it shows, if the record has one
	// Waited is as in Copy.
	Waited time.Duration `json:",omitempty"`
}

// Messages are the messages about one record.
type Messages []Message

// lack reports whether the place has no message yet.
func (m Messages) lack(place Place) bool {
	return !slices.ContainsFunc(m, func(c Message) bool { return c.Place == place && !c.Asks && !c.Closed })
}

// Adopt returns the message's record and makes it if needed, as for a message that nod knows only from a tap.
// nil: r is in no place.
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

// Show reports whether the message is one of m.
func (m Messages) Show(r Ref) bool {
	return slices.ContainsFunc(m, func(c Message) bool { return c.same(r) })
}

func (m Messages) open() bool {
	return slices.ContainsFunc(m, func(c Message) bool { return !c.Closed })
}

// told records that a notice was carried out, about a record made at that time. drawn is the state that it showed.
func (m *Messages) told(r Receipt, made time.Time, drawn int) {
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
		c.Sent, c.Asks, c.Drawn, c.Waited = r.Sent.UTC(), r.Notice.Kind == Consent, drawn, r.waited(made)
	}
}

// asking returns the messages that a fresh answer may have been meant for. One that may have come before it unnoticed counts as the last
// before it.
func (m Messages) asking(a Answer) (list []OtherMessage) {
	for _, c := range m {
		o := OtherMessage{Ref: c.Ref, Sent: c.Sent}
		if a.mayFollow(c.Ref, c.Sent, c.Waited) {
			o = a.JustBefore()
		}
		list = append(list, o)
	}
	return list
}
