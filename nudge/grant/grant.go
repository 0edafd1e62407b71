// Package grant is a human's permission to run one call that an agent's own guard denied, once.
//
// A grant is for one call, not for a kind of calls: the tool, the session, the sub-agent, the folder, the
// permission mode and the whole input must be the same. It goes to the first such call and is never given
// again.
package grant

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Lasts is how long after the tap a call may take the grant.
const Lasts = 10 * time.Minute

// Call is a call in comparable form: equal values are the same call.
type Call struct {
	Session string
	Part    string // the agent's id of the sub-agent that makes the call; empty: the session itself
	Folder  string
	Mode    string // the permission mode
	Tool    string
	Input   string // the result of Input, or a hash of it
}

// Sum identifies a call.
func (c Call) Sum() string {
	text, _ := json.Marshal(c) // strings can't fail
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ErrInput means that an input can't be compared, so no grant is made for it.
var ErrInput = errors.New("the call can't be compared byte by byte")

// Input returns a tool's input in comparable form: an object with sorted fields, without blanks, and without
// the fields named in remarks. Input that the decoder can't tell apart is refused: a repeated name, and half
// of a surrogate pair, because all halves decode to the same character.
func Input(input []byte, remarks ...string) (string, error) {
	if bytes.ContainsRune(input, '\uFFFD') || !json.Valid(input) {
		return "", ErrInput
	}
	d := json.NewDecoder(bytes.NewReader(input))
	d.UseNumber()
	value, err := read(d)
	fields, ok := value.(map[string]any)
	if _, end := d.Token(); err != nil || !ok || end != io.EOF {
		return "", ErrInput
	}
	for _, name := range remarks {
		delete(fields, name)
	}
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(fields); err != nil || strings.ContainsRune(out.String(), '\uFFFD') {
		return "", ErrInput
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

// read decodes one value and refuses an object with a repeated name.
func read(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		fields := map[string]any{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			text := name.(string) // JSON names are strings
			if _, twice := fields[text]; twice {
				return nil, fmt.Errorf("%w: it has a name twice", ErrInput)
			}
			if fields[text], err = read(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return fields, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := read(d)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err = d.Token()
		return list, err
	}
	return token, nil
}

// State is the state of a grant.
type State string

// The states of a grant. All but Open, Taken and Asked are ends.
const (
	Open    State = "open"
	Taken   State = "taken"   // a call has it, and its hook may have said so; it is never given again
	Used    State = "used"    // the call's hook has said so
	Asked   State = "asked"   // the hook told the agent to ask about the call in its own dialog; the grant answers that dialog
	Own     State = "own"     // that dialog, if there is one, is a question of its own
	Unknown State = "unknown" // it is not known whether the hook has said so
	Expired State = "expired"
	Void    State = "void" // somebody decided at the terminal, or the agent is gone
)

const (
	// handingOver is how long a hook may take to tell the agent the decision.
	handingOver = 5 * time.Second
	// asking is how long after a call took its grant the dialog about the call may appear.
	asking = 15 * time.Second
)

// Grant is a human's permission for one call. The zero Grant is none.
type Grant struct {
	State State     `json:",omitempty"`
	Until time.Time `json:",omitzero"`
	Taken time.Time `json:",omitzero"`
}

// New returns the grant made by a tap at now.
func New(now time.Time) Grant { return Grant{State: Open, Until: now.Add(Lasts)} }

// Take gives the grant to a call that is the same as the granted one, once. It reports whether it did.
func (g *Grant) Take(now time.Time) bool {
	if g.State != Open || !now.Before(g.Until) {
		return false
	}
	g.State, g.Taken = Taken, now
	return true
}

// Say records that the hook has told the agent the decision.
func (g *Grant) Say() bool {
	if g.State != Taken {
		return false
	}
	g.State = Used
	return true
}

// Ask records that the hook has told the agent to ask about the call.
func (g *Grant) Ask() bool {
	if g.State != Taken {
		return false
	}
	g.State = Asked
	return true
}

// Answer gives the grant to the dialog that asks about its call, once. It reports whether it did.
func (g *Grant) Answer(now time.Time) bool {
	if g.State != Asked || now.Sub(g.Taken) >= asking {
		return false
	}
	g.State = Used
	return true
}

// End ends a grant. An open one gets the state as. A taken one becomes Unknown, because its hook may have
// said so. One that waits for a dialog becomes Own: it answers none.
func (g *Grant) End(as State) bool {
	switch g.State {
	case Open:
		g.State = as
	case Taken:
		g.State = Unknown
	case Asked:
		g.State = Own
	default:
		return false
	}
	return true
}

// Pass applies the passing of time and reports whether the grant changed.
func (g *Grant) Pass(now time.Time) bool {
	late := g.State == Open && !now.Before(g.Until) || g.State == Taken && now.Sub(g.Taken) >= handingOver ||
		g.State == Asked && now.Sub(g.Taken) >= asking
	return late && g.End(Expired)
}

// Shift moves the times that g waits for by a step of the clock.
func (g *Grant) Shift(by time.Duration) {
	if g.State == Open {
		g.Until = g.Until.Add(by)
	}
	if g.State == Taken || g.State == Asked {
		g.Taken = g.Taken.Add(by)
	}
}
