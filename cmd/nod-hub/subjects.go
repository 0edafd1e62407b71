package main

import (
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"nod/cmd/internal/fleet/join"
)

// subjects are the subjects of one hub. They have a common prefix, so that the owner of a cluster can permit
// them in one line:
//
//	nod.HUB.up.EDGE        frames from an edge
//	nod.HUB.down.EDGE      frames to that edge
//	nod.HUB.join.INVITE    requests to join
//	nod.HUB.joined.INVITE  the hub's replies to them
//	nod.HUB.inbox.>        the store's replies to the hub
type subjects string

func subjectsOf(pin []byte) subjects { return subjects("nod." + join.HubID(pin) + ".") }

func (s subjects) hub() string                 { return last(strings.TrimSuffix(string(s), ".")) }
func (s subjects) up(edge string) string       { return string(s) + "up." + edge }
func (s subjects) down(edge string) string     { return string(s) + "down." + edge }
func (s subjects) join(invite string) string   { return string(s) + "join." + invite }
func (s subjects) joined(invite string) string { return string(s) + "joined." + invite }
func (s subjects) inbox() string               { return strings.TrimSuffix(string(s), ".") + ".inbox" }

// last returns the last part of a subject, which identifies the edge or invite.
func last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// nkey makes a connection prove that it has these keys.
func nkey(k join.Keys) (nats.Option, error) {
	key, err := nkeys.FromRawSeed(nkeys.PrefixByteUser, k.Carrier())
	if err != nil {
		return nil, err
	}
	public, err := key.PublicKey()
	if err != nil {
		return nil, err
	}
	return nats.Nkey(public, key.Sign), nil
}
