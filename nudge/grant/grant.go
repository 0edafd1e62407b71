// Package grant is a human's word that one call, which an agent's own guard denied, may run once.
//
// A grant is for a call and not for a kind of calls: the tool, the session and the part of it that works on its own, the folder,
// the permission mode and all of the input have to be the same. It is given to the first such call and never again.
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

// Lasts is how long after the tap a call may take a grant.
const Lasts = 10 * time.Minute

// Call is a call as it is compared. Two are the same where they are equal.
type Call struct {
	Session string
	Part    string // the agent's id of the sub-agent that makes it; empty: the session itself
	Folder  string
	Mode    string // the permission mode
	Tool    string
	Input   string // as Input gives it; or a hash of it
}

// Sum names a call.
func (c Call) Sum() string {
	text, _ := json.Marshal(c) // strings can't fail
	sum := sha256.Sum256(text)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// ErrInput says that an input can't be compared, so that no grant is made for it.
var ErrInput = errors.New("the call can't be compared byte by byte")

// Input is a tool's input in the form in which two of them are compared: an object with its fields in order, without the blanks
// between them, and without the fields named remarks. What the decoder can't keep apart is refused: a name that stands twice, and
// half of a surrogate pair, for all of which the same sign is read.
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

// read decodes one value and refuses an object that has a name twice.
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
			text := name.(string) // the text is valid, and so is each name of it
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

// State is where a grant stands.
type State string

// The states of a grant. All but Open, Taken and Asked are ends.
const (
	Open    State = "open"
	Taken   State = "taken"   // a call has it, and its hook may have said so: it is never given again
	Used    State = "used"    // its hook has said so
	Asked   State = "asked"   // its hook has said that the agent is to ask about the call in a dialog of its own: the word is for that
	Own     State = "own"     // that dialog, if there is one, is a question of its own
	Unknown State = "unknown" // nobody knows whether its hook has said so
	Expired State = "expired"
	Void    State = "void" // whoever is at the terminal has decided, or the agent has gone
)

const (
	// handingOver is how long a hook may take to say what it was given.
	handingOver = 5 * time.Second
	// asking is how long after a call took its grant the dialog may come that asks about it.
	asking = 15 * time.Second
)

// Grant is the word of a human about one call. The zero one is none.
type Grant struct {
	State State     `json:",omitempty"`
	Until time.Time `json:",omitzero"`
	Taken time.Time `json:",omitzero"`
}

// New makes a grant by a tap at a time.
func New(now time.Time) Grant { return Grant{State: Open, Until: now.Add(Lasts)} }

// Take gives a grant to a call that makes the very call it is for, once.
func (g *Grant) Take(now time.Time) bool {
	if g.State != Open || !now.Before(g.Until) {
		return false
	}
	g.State, g.Taken = Taken, now
	return true
}

// Say notes that the hook has said what it was given.
func (g *Grant) Say() bool {
	if g.State != Taken {
		return false
	}
	g.State = Used
	return true
}

// Ask notes that the hook has said that the agent is to ask about the call.
func (g *Grant) Ask() bool {
	if g.State != Taken {
		return false
	}
	g.State = Asked
	return true
}

// Answer gives a grant to the dialog that asks about its call, once.
func (g *Grant) Answer(now time.Time) bool {
	if g.State != Asked || now.Sub(g.Taken) >= asking {
		return false
	}
	g.State = Used
	return true
}

// End ends a grant that nobody has taken, one that is on its way to a hook as one of which that is not known, and one that waits for a
// dialog as one that answers none.
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

// Pass does what time alone does to a grant, and reports whether it did.
func (g *Grant) Pass(now time.Time) bool {
	late := g.State == Open && !now.Before(g.Until) || g.State == Taken && now.Sub(g.Taken) >= handingOver ||
		g.State == Asked && now.Sub(g.Taken) >= asking
	return late && g.End(Expired)
}

// Shift moves what g waits for by as much as the clock was set.
func (g *Grant) Shift(by time.Duration) {
	if g.State == Open {
		g.Until = g.Until.Add(by)
	}
	if g.State == Taken || g.State == Asked {
		g.Taken = g.Taken.Add(by)
	}
}
