package join

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
)

// This file has the messages between a machine and a hub until the machine is joined. Each message is signed
// as a whole. The machine repeats its request, with the same bytes, until it hears the result. So a lost
// message does no harm, and a repeated one has no second effect.

// Request is the machine's request. The keys of its invite depend on the hub, so another hub can't use it.
type Request struct {
	Invite string `json:"invite"` // the ID of the invite
	Name   string `json:"name"`
	Edge   Public `json:"edge"`
	// Renews is the ID of the keys that Edge replaces; empty: the machine joins for the first time.
	Renews  string `json:"renews,omitempty"`
	Version string `json:"version"`
	Nonce   []byte `json:"nonce"`
}

// signed is bytes with the signatures of everybody who vouches for them.
type signed struct {
	Body   []byte `json:"body"`
	Invite []byte `json:"invite,omitempty"`
	Edge   []byte `json:"edge,omitempty"`
	Before []byte `json:"before,omitempty"` // by the keys that are replaced
	Hub    []byte `json:"hub,omitempty"`
}

const (
	requestMark = "nod join request 1\n"
	replyMark   = "nod join reply 1\n"
)

func sign(key ed25519.PrivateKey, mark string, body []byte) []byte {
	return ed25519.Sign(key, append([]byte(mark), body...))
}

func verify(key ed25519.PublicKey, mark string, body, sig []byte) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, append([]byte(mark), body...), sig)
}

// Ask returns the bytes of a machine's request. before are the keys that edge replaces; nil: none.
func Ask(r Request, invite, edge Keys, before *Keys) ([]byte, error) {
	r.Invite, r.Edge = invite.Public().ID(), edge.Public()
	r.Nonce = make([]byte, 16)
	rand.Read(r.Nonce)
	if before != nil {
		r.Renews = before.Public().ID()
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	s := signed{Body: body, Invite: sign(invite.Signer(), requestMark, body), Edge: sign(edge.Signer(), requestMark, body)}
	if before != nil {
		s.Before = sign(before.Signer(), requestMark, body)
	}
	return json.Marshal(s)
}

// maxTalk is larger than any message of a join.
const maxTalk = 8 << 10

var errNotSigned = errors.New("its signature is not right")

// Asked is a request with valid signatures.
type Asked struct {
	Request
	sum    [32]byte
	before []byte
	body   []byte
}

// ReadRequest reads a request under the given invite.
func ReadRequest(data []byte, invite Public) (Asked, error) {
	var s signed
	var a Asked
	if len(data) > maxTalk {
		return a, errors.New("it is too long")
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return a, err
	}
	if !verify(invite.Signer, requestMark, s.Body, s.Invite) {
		return a, errNotSigned
	}
	if err := json.Unmarshal(s.Body, &a.Request); err != nil {
		return a, err
	}
	if err := a.Edge.Sound(); err != nil {
		return a, err
	}
	if a.Invite != invite.ID() || !verify(a.Edge.Signer, requestMark, s.Body, s.Edge) {
		return a, errNotSigned
	}
	a.sum, a.before, a.body = sha256.Sum256(s.Body), s.Before, s.Body
	return a, nil
}

// Sum identifies the request by its bytes.
func (a Asked) Sum() []byte { return a.sum[:] }

// RenewedBy reports whether the owner of the keys before asks to replace them.
func (a Asked) RenewedBy(before Public) bool {
	return a.Renews == before.ID() && verify(before.Signer, requestMark, a.body, a.before)
}

// Step is the state of a join.
type Step string

// The states. Each except Waits is an end.
const (
	Waits   Step = "waits" // for the owner's decision
	In      Step = "in"
	Refused Step = "refused"
)

// Reply is the hub's answer.
type Reply struct {
	Request []byte            `json:"request"` // the Sum of the request
	Hub     ed25519.PublicKey `json:"hub"`
	Step    Step              `json:"step"`
	Why     string            `json:"why,omitempty"` // for Refused: a sentence
	Name    string            `json:"name,omitempty"`
	// Nonce is the hub's part of the digits. The hub sends it only after it has the request, so nobody can
	// search for keys that give the digits of another machine.
	Nonce []byte `json:"nonce,omitempty"`
}

// Answer returns the bytes of a hub's reply.
func Answer(r Reply, hub Keys) ([]byte, error) {
	r.Hub = hub.Public().Signer
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(signed{Body: body, Hub: sign(hub.Signer(), replyMark, body)})
}

// ReadReply reads the hub's reply to the request with these bytes.
func ReadReply(data, request, pin []byte) (Reply, error) {
	var s signed
	var r Reply
	if len(data) > maxTalk {
		return r, errors.New("it is too long")
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return r, err
	}
	if err := json.Unmarshal(s.Body, &r); err != nil {
		return r, err
	}
	if !bytes.Equal(Pin(r.Hub), pin) || !verify(r.Hub, replyMark, s.Body, s.Hub) || !bytes.Equal(r.Request, SumOf(request)) {
		return Reply{}, errNotSigned
	}
	return r, nil
}

// Digits returns the six digits that both ends show. If they are the same, the request at the hub is from
// this machine.
func Digits(sum, nonce []byte) string {
	h := sha256.Sum256(append(append([]byte("nod digits 1"), sum...), nonce...))
	n := binary.BigEndian.Uint64(h[:8]) % 1_000_000
	return fmt.Sprintf("%02d %02d %02d", n/10000, n/100%100, n%100)
}

// SumOf returns the Sum of the request with these bytes.
func SumOf(request []byte) []byte {
	var s signed
	_ = json.Unmarshal(request, &s) // invalid bytes get the sum of an empty request, which matches no reply
	sum := sha256.Sum256(s.Body)
	return sum[:]
}
