// Package reason says why, as a value: which reason it is, and the data that its sentence names. What decides returns such values;
// package words alone turns them into sentences for people.
package reason

import (
	"bytes"
	"encoding/json"
	"time"
)

// Kind names a reason. Records keep it, so a kind that has been released keeps its name.
type Kind string

// Why is one reason.
type Why struct {
	Kind Kind
	// The data of its sentence; which of them it names, the sentence says.
	Agent string `json:",omitempty"` // as its makers write it, or the agent's name
	Pane  string `json:",omitempty"` // "%12"
	Where string `json:",omitempty"` // "main:2.0"
	Nudge string `json:",omitempty"` // the id of a nudge, an instruction or a wish
	By    string `json:",omitempty"` // a person's name
	// Ago is how long ago something was.
	Ago  time.Duration `json:",omitempty"`
	Key  string        `json:",omitempty"` // a key of tmux; empty: the text that was pasted
	What string        `json:",omitempty"` // anything else, as it may stand in a sentence
	// Door says that an answer went through the agent's own hook or server, and not by a key.
	Door bool `json:",omitempty"`
	// Because is the reason behind it.
	Because *Why `json:",omitempty"`
	// Said is a sentence as it was stored before reasons had kinds. Nothing but a stored record sets it.
	Said string `json:",omitempty"`
}

// IsZero reports whether there is no reason.
func (w Why) IsZero() bool { return w == Why{} }

// UnmarshalJSON reads a reason, and the sentence that was in its place in older records.
func (w *Why) UnmarshalJSON(data []byte) error {
	*w = Why{}
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &w.Said)
	}
	type plain Why
	return json.Unmarshal(data, (*plain)(w))
}
