package nudge

import (
	"encoding/json"
	"strconv"
)

// Place is where somebody gets messages and answers, such as a person's chat with the bot. The sender chooses
// its name. The rules only compare places, so another kind of chat needs only other names.
type Place string

// MarshalJSON writes a name that is a whole number as a number, because programs that read the audit trail
// know a chat by its number.
func (p Place) MarshalJSON() ([]byte, error) {
	if n, _ := strconv.ParseInt(string(p), 10, 64); strconv.FormatInt(n, 10) == string(p) {
		return []byte(p), nil
	}
	return json.Marshal(string(p))
}

// UnmarshalJSON reads the output of MarshalJSON.
func (p *Place) UnmarshalJSON(data []byte) error {
	var number json.Number
	if err := json.Unmarshal(data, &number); err == nil {
		*p = Place(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(p))
}

// Ref refers to one message in a place. To the rules it is only a name to compare; the sender knows what its
// numbers mean. The zero Ref is a message in no place, such as the command line.
type Ref struct {
	Place   Place `json:",omitempty"`
	Message int   `json:",omitempty"` // increases with every message of a place
	Topic   int   `json:",omitempty"` // the topic of the message; 0: the place itself
	Update  int   `json:",omitempty"` // the update that delivered it; 0: it can't be delivered twice
}

// same reports whether r and o are the same message, whichever update delivered it.
func (r Ref) same(o Ref) bool { return r.Place == o.Place && r.Message == o.Message }
