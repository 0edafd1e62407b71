package nudge

import (
	"encoding/json"
	"fmt"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
)

// record is the stored form of a nudge: flat, with the fields of all kinds of subjects.
type record struct {
	*flat
	Kind    screen.State
	Words   string         `json:",omitempty"`
	Blocked reason.Why     `json:",omitzero"`
	Exited  bool           `json:",omitempty"`
	Edits   []detect.Edit  `json:",omitempty"`
	Did     *Did           `json:",omitempty"`
	Resend  string         `json:",omitempty"`
	Since   time.Time      `json:",omitzero"`
	Prompt  *screen.Prompt `json:",omitempty"`
	Program *Program       `json:",omitempty"`
}

// flat is a Nudge without the methods for JSON.
type flat Nudge

// MarshalJSON writes the record of n.
func (n Nudge) MarshalJSON() ([]byte, error) {
	r := record{flat: (*flat)(&n), Kind: n.Kind()}
	if n.About != nil {
		r.Prompt = n.About.prompt()
		n.About.store(&r)
		if r.Program != nil && r.Prompt != nil && r.State.Over() { // nobody is shown the file any more that it was about
			short := *r.Prompt
			short.Subject, r.Prompt = short.Leading(), &short
		}
	}
	return json.Marshal(r)
}

// UnmarshalJSON reads a record.
func (n *Nudge) UnmarshalJSON(data []byte) (err error) {
	r := record{flat: (*flat)(n), Prompt: new(screen.Prompt)}
	if err := json.Unmarshal(data, &r); err != nil {
		return err
	}
	n.About, err = r.about()
	return err
}

func (r *record) about() (a About, err error) {
	switch r.Kind {
	case screen.Permission:
		a = Permission{r.Prompt}
	case screen.Question:
		a = Question{r.Prompt}
	case screen.Idle:
		a = TurnEnded{Words: r.Words, Edits: r.Edits, Blocked: r.Blocked, Did: r.Did, Since: r.Since, Resend: r.Resend}
	case screen.Silent:
		a = Silence{Blocked: r.Blocked, Exited: r.Exited, Since: r.Since}
	}
	if a == nil || r.Program != nil && !r.Kind.Asks() {
		return nil, fmt.Errorf("nudge %s is of no known kind: %q", r.ID, r.Kind)
	}
	if r.Program != nil {
		r.Program.About = a
		a = *r.Program
	}
	return a, nil
}

func (Permission) store(*record)  {}
func (Question) store(*record)    {}
func (p Program) store(r *record) { r.Program = &p }
func (t TurnEnded) store(r *record) {
	r.Words, r.Blocked, r.Did, r.Since, r.Resend = t.Words, t.Blocked, t.Did, t.Since, t.Resend
	if !r.State.Over() { // the message no longer has a button for them
		r.Edits = t.Edits
	}
}
func (s Silence) store(r *record) { r.Blocked, r.Exited, r.Since = s.Blocked, s.Exited, s.Since }
