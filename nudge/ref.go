package nudge

import (
	"encoding/json"
	"strconv"
)

// Place is where somebody is told and answers, such as a person's chat with the bot. Whoever tells there names it; the
// rules tell places apart and know nothing else of them, so that another way to be told needs only other names.
type Place string

// MarshalJSON writes a name that is a whole number as one: programs that read the audit trail know a chat by its number.
func (p Place) MarshalJSON() ([]byte, error) {
	if n, err := strconv.ParseInt(string(p), 10, 64); err == nil && strconv.FormatInt(n, 10) == string(p) {
		return []byte(p), nil
	}
	return json.Marshal(string(p))
}

// UnmarshalJSON reads what MarshalJSON writes.
func (p *Place) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err == nil {
		*p = Place(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(p))
}

// Ref refers to one message in a place. What is behind its numbers is the business of whoever tells there: to the
// rules it is a name that can be compared. The zero Ref is a message in no place, as of the command line.
type Ref struct {
	Place   Place `json:",omitempty"`
	Message int   `json:",omitempty"` // grows from message to message of a place
	Topic   int   `json:",omitempty"` // the part of the place that it stands in; 0: the place itself
	Update  int   `json:",omitempty"` // what brought it to nod; 0: nothing that could bring it twice
}

// same reports whether r and o are the same message, whatever brought it.
func (r Ref) same(o Ref) bool { return r.Place == o.Place && r.Message == o.Message }
