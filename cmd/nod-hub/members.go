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

// members are what a hub keeps: its key, who is joined, and the invites that may still be used or were a short while ago.
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

// invite is what the hub knows of a code: by none of it can anybody join.
type invite struct {
	Public  join.Public `json:"public"`
	Expires time.Time   `json:"expires"`

	// Of the one request that it let through:
	Taken   []byte      `json:"taken,omitempty"` // its sum; empty: the code was not used yet
	Step    join.Step   `json:"step,omitempty"`
	Why     string      `json:"why,omitempty"`
	Nonce   []byte      `json:"nonce,omitempty"`
	Name    string      `json:"name,omitempty"`
	Edge    join.Public `json:"edge,omitzero"`
	Renews  string      `json:"renews,omitempty"` // the ID of the keys that Edge takes the place of
	Version string      `json:"version,omitempty"`
	Until   time.Time   `json:"until,omitzero"` // the owner decides before that
}

// remembered is how long an invite is known after it is over, to say so to who uses it late.
const remembered = time.Hour

// readMembers reads what the hub in dir keeps. A hub that was never used has no key yet, and gets one with its first invite: never by itself.
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

// write keeps m. What can't be kept has not happened.
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

// called finds the machine of that name; -1: there is none.
func (m *members) called(name string) int {
	return slices.IndexFunc(m.Machines, func(o member) bool { return o.Name == name })
}

// invited finds the invite of that ID; nil: there is none.
func (m *members) invited(id string) *invite {
	for _, i := range m.Invites {
		if i.Public.ID() == id {
			return i
		}
	}
	return nil
}

// prune takes away the invites that were over long ago, and gives them.
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
