package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"nod/cmd/internal/fleet/carrier"
	"nod/cmd/internal/fleet/join"
)

// decideWithin is how long the owner has to decide about a machine that wants to join.
const decideWithin = 10 * time.Minute

// consider handles a request under an invite and returns the reply. wants is a question for the owner, or
// nil. taken reports whether another machine has a name.
func (m *members) consider(i *invite, a join.Asked, taken func(string) bool, now time.Time) (r join.Reply, wants *carrier.Wants) {
	refuse := func(why string) (join.Reply, *carrier.Wants) {
		return join.Reply{Request: a.Sum(), Step: join.Refused, Why: why}, nil
	}
	if len(i.Taken) == 0 {
		if now.After(i.Expires) {
			return refuse("This code is too old. `nod hub invite` makes another one.")
		}
		if why := m.refuseName(a, taken); why != "" {
			return refuse(why)
		}
		i.take(a, now)
	}
	if !bytes.Equal(i.Taken, a.Sum()) {
		return refuse("This code has been used, and a code works once. `nod hub invite` makes another one. If it was not you who used it, refuse what asks to be let in.")
	}
	if i.Step == join.Waits && now.After(i.Until) {
		i.Step, i.Why = join.Refused, "Nobody let this machine in within ten minutes. `nod hub invite` makes another code."
	}
	if i.Step == join.Waits {
		wants = i.wants()
	}
	return i.reply(), wants
}

// take binds an invite to the first request that it accepts.
func (i *invite) take(a join.Asked, now time.Time) {
	i.Taken, i.Step, i.Name, i.Edge, i.Renews, i.Version = a.Sum(), join.Waits, a.Name, a.Edge, a.Renews, a.Version
	i.Until = now.Add(decideWithin)
	i.Nonce = make([]byte, 16)
	rand.Read(i.Nonce)
}

func (i *invite) reply() join.Reply {
	return join.Reply{Request: i.Taken, Step: i.Step, Why: i.Why, Name: i.Name, Nonce: i.Nonce}
}

func (i *invite) wants() *carrier.Wants {
	return &carrier.Wants{Invite: i.Public.ID(), Name: i.Name, Digits: join.Digits(i.Taken, i.Nonce), Renews: i.Renews != "", Version: i.Version, Until: i.Until}
}

// taken reports whether people would take a machine with that name for another one: the hub's own, one that it dials, or one that has joined.
func (h *hub) taken(name string) bool {
	same := func(other string) bool { return strings.EqualFold(other, name) }
	return slices.ContainsFunc(h.cfg.Taken, same) || slices.ContainsFunc(h.members.Machines, func(m member) bool { return same(m.Name) })
}

// refuseName says why a machine can't have the requested name; empty if it can.
func (m *members) refuseName(a join.Asked, taken func(string) bool) string {
	if flaw := join.NameFlaw(a.Name); flaw != "" {
		return flaw + " Choose one with `nod join CODE --name NAME`."
	}
	at := m.called(a.Name)
	switch {
	case at >= 0 && a.Renews != "" && a.RenewedBy(m.Machines[at].Public):
		return ""
	case at >= 0:
		return fmt.Sprintf("The hub has a machine called %s. Choose another name with `nod join CODE --name NAME`, or, if this is that machine and its keys are lost, run `nod machines forget %s` at the hub first.", a.Name, a.Name)
	case a.Renews != "":
		return "The hub does not know the keys that this machine has: it was forgotten there. Remove its join.json, and run the same command again."
	case taken(a.Name):
		return fmt.Sprintf("The hub, or a machine that it has in NOD_MACHINES or that has joined it, is called %s. Choose another name with `nod join CODE --name NAME`.", a.Name)
	}
	return ""
}

// decide carries out the owner's decision on the request under an invite. before is the machine that it
// replaces, or nil.
func (m *members) decide(i *invite, admit bool, now time.Time) (before *member, refused string) {
	switch at := m.called(i.Name); {
	case i.Step != join.Waits:
		return nil, "Nothing asks to be let in under that invite any more."
	case now.After(i.Until):
		i.Step, i.Why = join.Refused, "Nobody let this machine in within ten minutes. `nod hub invite` makes another code."
		return nil, "That was ten minutes ago: the machine has to ask again, with another code."
	case !admit:
		i.Step, i.Why = join.Refused, "The owner of the hub has refused."
		return nil, ""
	case at >= 0 && m.Machines[at].Public.ID() != i.Renews:
		i.Step, i.Why = join.Refused, "Another machine has been given this name meanwhile."
		return nil, "Another machine has been given that name meanwhile."
	case at < 0 && i.Renews != "":
		i.Step, i.Why = join.Refused, "The hub has forgotten this machine meanwhile."
		return nil, "That machine has been forgotten meanwhile."
	case at >= 0:
		old := m.Machines[at]
		m.Machines[at] = member{Name: i.Name, Public: i.Edge, Joined: now.UTC()}
		before = &old
	default:
		m.Machines = append(m.Machines, member{Name: i.Name, Public: i.Edge, Joined: now.UTC()})
	}
	i.Step = join.In
	return before, ""
}
