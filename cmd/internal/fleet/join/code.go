package join

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strings"
)

// Code is what a person carries from the hub to the machine that joins: the hub's address, the hash of its
// key, and a secret that works once.
type Code struct {
	Address string // HOST:PORT of a hub, or the URL of the NATS servers that it uses
	Hub     []byte // the hub's Pin
	secret  []byte
}

// codeMark begins every code. Its digit is the version of the format, and of the messages that are exchanged
// with it.
const codeMark = "nod1-"

const (
	secretSize = 16
	checkSize  = 2 // protects against a character that was lost on the way
	maxAddress = 255
)

// NewCode makes a code with a new secret.
func NewCode(address string, pin []byte) Code {
	secret := make([]byte, secretSize)
	rand.Read(secret)
	return Code{Address: address, Hub: pin, secret: secret}
}

// Keys returns the keys that are derived from the secret. They are good for one request to be let in.
func (c Code) Keys() Keys {
	seed, err := hkdf.Key(sha256.New, c.secret, c.Hub, "nod invite 1", 32)
	if err != nil {
		panic(err)
	}
	return Keys{Seed: seed}
}

// String is the code as it is printed and pasted.
func (c Code) String() string {
	body := append(append(append([]byte{}, c.Hub...), c.secret...), c.Address...)
	return codeMark + strings.ToLower(letters.EncodeToString(append(check(body), body...)))
}

// ErrNoCode says that a text is not a code.
var ErrNoCode = errors.New("this is no code of `nod hub invite`, or a part of it is missing: paste all of it, from nod1- on")

// ParseCode reads a code.
func ParseCode(text string) (Code, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	rest, ok := strings.CutPrefix(text, codeMark)
	if !ok {
		if strings.HasPrefix(text, "nod") && strings.Contains(text, "-") {
			return Code{}, errors.New("this code is of another release of nod: update nod on both machines, then make a new one with `nod hub invite`")
		}
		return Code{}, ErrNoCode
	}
	raw, err := letters.DecodeString(strings.ToUpper(rest))
	if err != nil || len(raw) <= checkSize+PinSize+secretSize || len(raw) > checkSize+PinSize+secretSize+maxAddress {
		return Code{}, ErrNoCode
	}
	sum, body := raw[:checkSize], raw[checkSize:]
	if !bytes.Equal(sum, check(body)) {
		return Code{}, ErrNoCode
	}
	return Code{Hub: body[:PinSize], secret: body[PinSize : PinSize+secretSize], Address: string(body[PinSize+secretSize:])}, nil
}

func check(body []byte) []byte {
	sum := sha256.Sum256(append([]byte("nod code 1"), body...))
	return sum[:checkSize]
}
