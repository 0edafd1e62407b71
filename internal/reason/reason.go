// Package reason represents reasons as values: a kind, and the data for its sentence. Code that decides
// returns such values; only package words turns them into sentences for people.
package reason

import (
	"bytes"
	"encoding/json"
	"time"
)

// Kind names a reason. Records store it, so a released kind keeps its name.
type Kind string

// Why is one reason.
type Why struct {
	Kind Kind
	// The data for the sentence; each sentence uses some of it.
	Agent string `json:",omitempty"` // the makers' spelling, or the agent's name
	Pane  string `json:",omitempty"` // "%12"; a sentence names the pane so where it does not say Where
	Where string `json:",omitempty"` // "main:2.0", or the socket of a tmux server
	Nudge string `json:",omitempty"` // the id of a nudge, an instruction or a wish
	By    string `json:",omitempty"` // a person's name
	// Ago is the time since the event.
	Ago  time.Duration `json:",omitempty"`
	Key  string        `json:",omitempty"` // a tmux key; empty for pasted text
	What string        `json:",omitempty"` // anything else, ready for use in a sentence
	// Door says that an answer went through the agent's own hook or server and not by a key.
	Door bool `json:",omitempty"`
	// Because is the underlying reason.
	Because *Why `json:",omitempty"`
	// Said is a sentence that was stored before reasons had kinds. Only old records set it.
	Said string `json:",omitempty"`
}

// IsZero reports whether there is no reason.
func (w Why) IsZero() bool { return w == Why{} }

// UnmarshalJSON reads a reason, or the sentence that older records have in its place.
func (w *Why) UnmarshalJSON(data []byte) error {
	*w = Why{}
	if bytes.HasPrefix(data, []byte(`"`)) {
		return json.Unmarshal(data, &w.Said)
	}
	type plain Why
	return json.Unmarshal(data, (*plain)(w))
}
