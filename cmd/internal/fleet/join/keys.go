// Package join introduces two machines to each other: the code that a person carries from one to the other,
// the keys that are pinned with it, the messages until the owner has let the new machine in, and the seal on
// every later frame.
//
// A hub is known by its key. The code contains the hash of that key, so a machine that joins can recognise
// the hub from its first message. The key signs the hub's frames and is also the authority of its TLS
// certificate. An edge is known by a key that it made when it joined, and an invite by a key that is derived
// from its secret. A hub stores only the public halves, with which nobody can join.
package join

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"strings"
)

// Keys are the secret keys of a hub, an edge or an invite.
type Keys struct {
	Seed []byte `json:"seed"`
}

// NewKeys makes new random keys.
func NewKeys() Keys {
	seed := make([]byte, 32)
	rand.Read(seed) // it never fails
	return Keys{Seed: seed}
}

// Signer returns the key that signs frames. A hub's also signs its certificate.
func (k Keys) Signer() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(k.derived("nod frames 1")) }

// Carrier returns the seed of the key by which a NATS server knows this party. It differs from Signer's key
// because a server chooses what this one signs.
func (k Keys) Carrier() []byte { return k.derived("nod carrier 1") }

func (k Keys) derived(purpose string) []byte {
	seed, err := hkdf.Key(sha256.New, k.Seed, nil, purpose, ed25519.SeedSize)
	if err != nil {
		panic(err) // only for a length that is never used
	}
	return seed
}

// Public returns the public halves.
func (k Keys) Public() Public {
	return Public{Signer: k.Signer().Public().(ed25519.PublicKey), Carrier: ed25519.NewKeyFromSeed(k.Carrier()).Public().(ed25519.PublicKey)}
}

// Public are the public keys of a hub, an edge or an invite.
type Public struct {
	Signer  ed25519.PublicKey `json:"signer"`
	Carrier ed25519.PublicKey `json:"carrier"`
}

// Sound returns why p can't be a party's keys.
func (p Public) Sound() error {
	if len(p.Signer) != ed25519.PublicKeySize || len(p.Carrier) != ed25519.PublicKeySize {
		return errors.New("a key is missing")
	}
	return nil
}

// ID is the name of p in subjects, in files and for people.
func (p Public) ID() string { return named("nod party 1", p.Signer, p.Carrier) }

// PinSize is the number of bytes of a hub's hash that a code contains.
const PinSize = 16

// Pin is the hash of a hub's key, by which the hub is known.
func Pin(signer ed25519.PublicKey) []byte {
	sum := sha256.Sum256(append([]byte("nod hub 1"), signer...))
	return sum[:PinSize]
}

// letters are easy to read out, and allowed in names of every kind.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

func named(purpose string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(purpose))
	for _, part := range parts {
		h.Write(part)
	}
	return strings.ToLower(letters.EncodeToString(h.Sum(nil)[:10]))
}

// HubID is the name in subjects of a hub with this pin.
func HubID(pin []byte) string { return strings.ToLower(letters.EncodeToString(pin)) }
