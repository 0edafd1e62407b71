// Package carrier is nod's side of nod-hub, the program that speaks NATS for it: the messages between the two
// besides frames, and the process itself. nod's own binary contains no NATS code.
package carrier

import (
	"encoding/json"
	"time"

	"nod/cmd/internal/fleet/join"
)

// Control is one message between nod and nod-hub, other than a frame. Exactly one field is set: of the first
// group to nod-hub, of the second one to nod.
type Control struct {
	ID       int     `json:"id,omitempty"` // the ID that Done repeats
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
	Reply   json.RawMessage `json:"reply,omitempty"` // the hub's join.Reply, as the hub signed it
	Trouble *Trouble        `json:"trouble,omitempty"`
	Log     string          `json:"log,omitempty"`
}

// Serve starts nod-hub's work for a hub.
type Serve struct {
	Dir    string   `json:"dir"`    // the hub's folder: its key, the joined machines, and the store
	Listen string   `json:"listen"` // the address where its own server listens
	NATS   string   `json:"nats"`   // the NATS servers of somebody else, used instead of its own
	Creds  string   `json:"creds"`
	Taken  []string `json:"taken"` // names of machines that are reached in another way, and of the hub itself
}

// Dial starts nod-hub's work for a joined edge.
type Dial struct{ Joined join.Joined }

// Ask starts nod-hub's work for a machine that wants to join: it repeats the request to the hub, and returns
// the hub's replies.
type Ask struct {
	Address string    `json:"address"`
	Pin     []byte    `json:"pin"`
	Invite  join.Keys `json:"invite"`
	Creds   string    `json:"creds"`
	Request []byte    `json:"request"`
}

// Invite requests a code, which is returned in Done.Code.
type Invite struct {
	Address string        `json:"address"` // empty: the address at which the hub itself believes to be reachable
	For     time.Duration `json:"for"`
}

// Wants says that a machine wants to join. It is repeated as long as that machine asks.
type Wants struct {
	Invite  string    `json:"invite"` // identifies the request
	Name    string    `json:"name"`
	Digits  string    `json:"digits"`
	Renews  bool      `json:"renews,omitempty"` // the machine has already joined, and has made new keys
	Version string    `json:"version"`
	Until   time.Time `json:"until"`
}

// Decide is the owner's decision about it.
type Decide struct {
	Invite string `json:"invite"`
	Admit  bool   `json:"admit"`
}

// Ready says that the work has begun.
type Ready struct {
	Version string `json:"version"`
}

// Done is the answer to the Control with the same ID.
type Done struct {
	ID       int      `json:"id"`
	Refused  string   `json:"refused,omitempty"` // a sentence; empty: it was done
	Code     string   `json:"code,omitempty"`
	Address  string   `json:"address,omitempty"`  // the address in the code
	New      bool     `json:"new,omitempty"`      // the hub had no key before, and has made one
	Machines []string `json:"machines,omitempty"` // the names of the joined machines
}

// LinkState says that a link has begun or ended. When one begins, the conversation before it is over.
type LinkState struct {
	Machine string `json:"machine,omitempty"`
	Up      bool   `json:"up"`
}

// Kept is what nod wants to know about a machine after its own next start while the machine is away. It may
// be lost.
type Kept struct {
	Machine string          `json:"machine"`
	State   json.RawMessage `json:"state"`
}

// Trouble is a problem that has begun or ended.
type Trouble struct {
	Of   string `json:"of"`   // its subject; a later Trouble with the same one replaces it
	Says string `json:"says"` // a sentence; empty: the problem has ended
}
