package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"nod/cmd/internal/fleet/join"
)

// members is a hub's stored state: its key, the joined machines, and the invites that are valid or were
// recently.
type members struct {
	path     string
	Keys     join.Keys `json:"keys"`
	Machines []member  `json:"machines"`
	Invites  []*invite `json:"invites"`
}

type member struct {
	Name   string      `json:"name"`
	Public join.Public `json:"public"`
	Joined time.Time   `json:"joined"`
}

// invite is the hub's record of a code. It does not contain enough to join.
type invite struct {
	Public  join.Public `json:"public"`
	Expires time.Time   `json:"expires"`

	// The one request that it accepted:
	Taken   []byte      `json:"taken,omitempty"` // its sum; empty if the code is unused
	Step    join.Step   `json:"step,omitempty"`
	Why     string      `json:"why,omitempty"`
	Nonce   []byte      `json:"nonce,omitempty"`
	Name    string      `json:"name,omitempty"`
	Edge    join.Public `json:"edge,omitzero"`
	Renews  string      `json:"renews,omitempty"` // the ID of the keys that Edge replaces
	Version string      `json:"version,omitempty"`
	Until   time.Time   `json:"until,omitzero"` // deadline for the owner's decision
}

// remembered is how long an invite is kept after it expired, to explain that to a late user.
const remembered = time.Hour

// readMembers reads the hub's state in dir. A hub that was never used has no key; it gets one with its first
// invite and not before.
func readMembers(dir string) (*members, error) {
	m := &members{path: filepath.Join(dir, "hub.json")}
	err := join.Kept(m.path, m, "the hub's", "remove it and join every machine again", func() bool {
		return len(m.Keys.Seed) == 32 &&
			!slices.ContainsFunc(m.Machines, func(o member) bool { return join.NameFlaw(o.Name) != "" || o.Public.Sound() != nil }) &&
			!slices.ContainsFunc(m.Invites, func(i *invite) bool { return i == nil || i.Public.Sound() != nil })
	})
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	return m, err
}

// hasKey reports whether the hub has an identity.
func (m *members) hasKey() bool { return len(m.Keys.Seed) > 0 }

// write stores m. If it fails, the change must not take effect.
func (m *members) write() error { return join.Keep(m.path, m) }

// called returns the index of the machine with that name, or -1.
func (m *members) called(name string) int {
	return slices.IndexFunc(m.Machines, func(o member) bool { return o.Name == name })
}

// invited returns the invite with that ID, or nil.
func (m *members) invited(id string) *invite {
	for _, i := range m.Invites {
		if i.Public.ID() == id {
			return i
		}
	}
	return nil
}

// prune removes the invites that expired long ago, and returns them.
func (m *members) prune(now time.Time) (gone []*invite) {
	m.Invites = slices.DeleteFunc(m.Invites, func(i *invite) bool {
		old := now.After(i.Expires.Add(remembered)) && now.After(i.Until.Add(remembered))
		if old {
			gone = append(gone, i)
		}
		return old
	})
	return gone
}
