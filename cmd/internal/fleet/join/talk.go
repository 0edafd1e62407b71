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

// This file is what a machine and a hub say until the machine is joined. Each message is signed whole; the machine asks again,
// with the very same bytes, until it hears how it ended. So nothing is lost where one is, and nothing happens twice.

// Request is what the machine asks. The keys of its invite hang on the hub, so that it is nothing to another one.
type Request struct {
	Invite string `json:"invite"` // the invite's ID
	Name   string `json:"name"`
	Edge   Public `json:"edge"`
	// Renews is the ID of the keys that Edge takes the place of; empty: the machine joins for the first time.
	Renews  string `json:"renews,omitempty"`
	Version string `json:"version"`
	Nonce   []byte `json:"nonce"`
}

// signed is bytes with the signatures of those whose word they are.
type signed struct {
	Body   []byte `json:"body"`
	Invite []byte `json:"invite,omitempty"`
	Edge   []byte `json:"edge,omitempty"`
	Before []byte `json:"before,omitempty"` // by the keys that are renewed
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

// Ask makes the bytes of a machine's request. before are the keys that edge takes the place of; nil: none.
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

// maxTalk is more than any message of a join takes.
const maxTalk = 8 << 10

var errNotSigned = errors.New("its signature is not right")

// Asked is a request that a hub has read and whose signatures hold.
type Asked struct {
	Request
	sum    [32]byte
	before []byte
	body   []byte
}

// ReadRequest reads a request that came under the given invite.
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

// Sum names the request by its bytes.
func (a Asked) Sum() []byte { return a.sum[:] }

// RenewedBy reports whether whoever has the keys of before asks to have them replaced.
func (a Asked) RenewedBy(before Public) bool {
	return a.Renews == before.ID() && verify(before.Signer, requestMark, a.body, a.before)
}

// Step is how far a join has come.
type Step string

// The steps. Every one but Waits is an end.
const (
	Waits   Step = "waits" // for the owner
	In      Step = "in"
	Refused Step = "refused"
)

// Reply is what the hub answers.
type Reply struct {
	Request []byte            `json:"request"` // the sum of what it answers
	Hub     ed25519.PublicKey `json:"hub"`
	Step    Step              `json:"step"`
	Why     string            `json:"why,omitempty"` // of Refused, a sentence
	Name    string            `json:"name,omitempty"`
	// Nonce is the hub's part of the digits. The hub names it only when it holds the request, so that nobody can look for
	// keys that lead to the digits of another machine.
	Nonce []byte `json:"nonce,omitempty"`
}

// Answer makes the bytes of a hub's reply.
func Answer(r Reply, hub Keys) ([]byte, error) {
	r.Hub = hub.Public().Signer
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(signed{Body: body, Hub: sign(hub.Signer(), replyMark, body)})
}

// ReadReply reads the hub's reply to the request of these bytes.
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

// Digits are the six that both ends show: whoever sees the same ones at both knows that no other machine has asked.
func Digits(sum, nonce []byte) string {
	h := sha256.Sum256(append(append([]byte("nod digits 1"), sum...), nonce...))
	n := binary.BigEndian.Uint64(h[:8]) % 1_000_000
	return fmt.Sprintf("%02d %02d %02d", n/10000, n/100%100, n%100)
}

// SumOf is the sum of the request of these bytes.
func SumOf(request []byte) []byte {
	var s signed
	_ = json.Unmarshal(request, &s) // what is no request has the sum of nothing, which answers none
	sum := sha256.Sum256(s.Body)
	return sum[:]
}
