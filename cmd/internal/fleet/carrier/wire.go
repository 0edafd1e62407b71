// Package carrier is nod's end of nod-hub, the program that speaks NATS for it: what the two say to each other beside frames, and the
// process itself. nod's own binary carries nothing of NATS.
package carrier

import (
	"encoding/json"
	"time"

	"nod/cmd/internal/fleet/join"
)

// Control is one message between nod and nod-hub that is no frame. One field of the first group, to nod-hub, or of the second is set.
type Control struct {
	ID       int     `json:"id,omitempty"` // names what Done answers
	Serve    *Serve  `json:"serve,omitempty"`
	Dial     *Dial   `json:"dial,omitempty"`
	Ask      *Ask    `json:"ask,omitempty"`
	Invite   *Invite `json:"invite,omitempty"`
	Decide   *Decide `json:"decide,omitempty"`
	Forget   string  `json:"forget,omitempty"` // the name of a machine
	Machines bool    `json:"machines,omitempty"`
	Keep     *Kept   `json:"keep,omitempty"`

	Ready   *Ready          `json:"ready,omitempty"`
	Done    *Done           `json:"done,omitempty"`
	Wants   *Wants          `json:"wants,omitempty"`
	Link    *LinkState      `json:"link,omitempty"`
	Kept    *Kept           `json:"kept,omitempty"`
	Reply   json.RawMessage `json:"reply,omitempty"` // the hub's join.Reply, as it signed it
	Trouble *Trouble        `json:"trouble,omitempty"`
	Log     string          `json:"log,omitempty"`
}

// Serve begins nod-hub's work for a hub.
type Serve struct {
	Dir    string   `json:"dir"`    // the hub's folder: its key, who is joined, and the store
	Listen string   `json:"listen"` // where its own server listens
	NATS   string   `json:"nats"`   // the servers of somebody else's, in the place of its own
	Creds  string   `json:"creds"`
	Taken  []string `json:"taken"` // names of machines that are reached in another way
}

// Dial begins nod-hub's work for a joined edge.
type Dial struct{ Joined join.Joined }

// Ask begins nod-hub's work for a machine that wants to join: it brings the request to the hub again and again, and back what that says.
type Ask struct {
	Address string    `json:"address"`
	Pin     []byte    `json:"pin"`
	Invite  join.Keys `json:"invite"`
	Creds   string    `json:"creds"`
	Request []byte    `json:"request"`
}

// Invite asks for a code. Done.Code is it.
type Invite struct {
	Address string        `json:"address"` // empty: where the hub itself believes to be reached
	For     time.Duration `json:"for"`
}

// Wants says that a machine wants to join. It is said again for as long as that machine asks.
type Wants struct {
	Invite  string    `json:"invite"` // names the request
	Name    string    `json:"name"`
	Digits  string    `json:"digits"`
	Renews  bool      `json:"renews,omitempty"` // it is joined already, and has made new keys
	Version string    `json:"version"`
	Until   time.Time `json:"until"`
}

// Decide is the owner's word on it.
type Decide struct {
	Invite string `json:"invite"`
	Admit  bool   `json:"admit"`
}

// Ready says that the work has begun.
type Ready struct {
	Version string `json:"version"`
}

// Done is the answer to the control of that ID.
type Done struct {
	ID       int      `json:"id"`
	Refused  string   `json:"refused,omitempty"` // a sentence; empty: it was done
	Code     string   `json:"code,omitempty"`
	Address  string   `json:"address,omitempty"`  // that the code names
	New      bool     `json:"new,omitempty"`      // the hub had no key before, and has made one
	Machines []string `json:"machines,omitempty"` // the names of those that are joined
}

// LinkState says that a link has begun or ended. At its beginning what went on before is over.
type LinkState struct {
	Machine string `json:"machine,omitempty"`
	Up      bool   `json:"up"`
}

// Kept is what nod wants to know of a machine when it starts the next time, while that machine is away. It may be lost.
type Kept struct {
	Machine string          `json:"machine"`
	State   json.RawMessage `json:"state"`
}

// Trouble is something that is wrong, or that is right again.
type Trouble struct {
	Of   string `json:"of"`   // what it is about, so that a later one takes its place
	Says string `json:"says"` // a sentence; empty: it is over
}
