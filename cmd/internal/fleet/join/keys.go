// Package join makes two machines known to each other: the code that a person carries from one to the other, the keys that
// are pinned with it, what the two say until the owner has let the new one in, and the seal on every frame from then on.
//
// A hub is known by its key: the code holds that key's hash, so whoever is joined knows the hub before a word is said. The
// key signs the hub's frames and is the authority of its TLS certificate too. An edge is known by the key that it made when it
// joined, and an invite by the key that its secret leads to: a hub keeps the public halves, by which nobody can join.
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

// Keys are the secret half of a hub, an edge or an invite.
type Keys struct {
	Seed []byte `json:"seed"`
}

// NewKeys makes keys that nobody else has.
func NewKeys() Keys {
	seed := make([]byte, 32)
	rand.Read(seed) // it never fails
	return Keys{Seed: seed}
}

// Signer is the key that signs frames; a hub's signs its certificate too.
func (k Keys) Signer() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(k.derived("nod frames 1")) }

// Carrier is the seed of the key by which a NATS server knows this party. It is another one than Signer's: a server has
// it sign what the server chooses.
func (k Keys) Carrier() []byte { return k.derived("nod carrier 1") }

func (k Keys) derived(purpose string) []byte {
	seed, err := hkdf.Key(sha256.New, k.Seed, nil, purpose, ed25519.SeedSize)
	if err != nil {
		panic(err) // only of a length that nobody asks for
	}
	return seed
}

// Public is the half that others may know.
func (k Keys) Public() Public {
	return Public{Signer: k.Signer().Public().(ed25519.PublicKey), Carrier: ed25519.NewKeyFromSeed(k.Carrier()).Public().(ed25519.PublicKey)}
}

// Public is what others know of a hub, an edge or an invite.
type Public struct {
	Signer  ed25519.PublicKey `json:"signer"`
	Carrier ed25519.PublicKey `json:"carrier"`
}

// Sound says what keeps p from being anybody's.
func (p Public) Sound() error {
	if len(p.Signer) != ed25519.PublicKeySize || len(p.Carrier) != ed25519.PublicKeySize {
		return errors.New("a key is missing")
	}
	return nil
}

// ID names p in subjects, in files and to people.
func (p Public) ID() string { return named("nod party 1", p.Signer, p.Carrier) }

// PinSize is how much of a hub's hash a code holds.
const PinSize = 16

// Pin is the hash of a hub's key, by which it is known.
func Pin(signer ed25519.PublicKey) []byte {
	sum := sha256.Sum256(append([]byte("nod hub 1"), signer...))
	return sum[:PinSize]
}

// letters are easy to read out, and stand in names of every kind.
var letters = base32.StdEncoding.WithPadding(base32.NoPadding)

func named(purpose string, parts ...[]byte) string {
	h := sha256.New()
	h.Write([]byte(purpose))
	for _, part := range parts {
		h.Write(part)
	}
	return strings.ToLower(letters.EncodeToString(h.Sum(nil)[:10]))
}

// HubID names the hub of a pin in subjects.
func HubID(pin []byte) string { return strings.ToLower(letters.EncodeToString(pin)) }
