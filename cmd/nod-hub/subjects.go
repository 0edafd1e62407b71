package main

import (
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"nod/cmd/internal/fleet/join"
)

// subjects are those of one hub. All begin alike, so that the owner of a cluster can give them away in one line:
//
//	nod.HUB.up.EDGE        an edge's frames
//	nod.HUB.down.EDGE      the hub's, to it
//	nod.HUB.join.INVITE    whoever wants to join
//	nod.HUB.joined.INVITE  what the hub says to that
//	nod.HUB.inbox.>        the hub's own, for what it asks the store
type subjects string

func subjectsOf(pin []byte) subjects { return subjects("nod." + join.HubID(pin) + ".") }

func (s subjects) hub() string                 { return last(strings.TrimSuffix(string(s), ".")) }
func (s subjects) up(edge string) string       { return string(s) + "up." + edge }
func (s subjects) down(edge string) string     { return string(s) + "down." + edge }
func (s subjects) join(invite string) string   { return string(s) + "join." + invite }
func (s subjects) joined(invite string) string { return string(s) + "joined." + invite }
func (s subjects) inbox() string               { return strings.TrimSuffix(string(s), ".") + ".inbox" }

// last is the end of a subject: whose it is.
func last(subject string) string { return subject[strings.LastIndexByte(subject, '.')+1:] }

// nkey has a connection prove that it has these keys.
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
