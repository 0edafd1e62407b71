package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"nod/cmd/internal/fleet/join"
	"nod/internal/host/replace"
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
	text, err := os.ReadFile(m.path)
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(m.path)
	if err != nil {
		return nil, err
	}
	if info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("%s holds the hub's key and others may read it: run `chmod 600 %s`, and if they may have, remove it and join every machine again", m.path, m.path)
	}
	damaged := func() (*members, error) {
		return nil, fmt.Errorf("%s is damaged, so nobody is let in: bring it back from a backup, or remove it and join every machine again", m.path)
	}
	if err := json.Unmarshal(text, m); err != nil || len(m.Keys.Seed) != 32 {
		return damaged()
	}
	for _, machine := range m.Machines {
		if join.NameFlaw(machine.Name) != "" || machine.Public.Sound() != nil {
			return damaged()
		}
	}
	if slices.ContainsFunc(m.Invites, func(i *invite) bool { return i == nil || i.Public.Sound() != nil }) {
		return damaged()
	}
	return m, nil
}

// hasKey reports whether the hub has an identity.
func (m *members) hasKey() bool { return len(m.Keys.Seed) > 0 }

// write stores m. If it fails, the change must not take effect.
func (m *members) write() error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(m.path), 0o700); err != nil {
		return err
	}
	return replace.Text(m.path, 0o600, append(text, '\n'))
}

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
