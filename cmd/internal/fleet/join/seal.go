package join

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// Sealed frames. Others may read and write what is carried: NATS servers of somebody else let each of their
// clients publish. So each frame is signed, and names a session of the two ends:
//
//	edge ─ greet(E, 0) ─▶ hub      E is a number that the edge has just drawn
//	edge ◀─ meet(H, E) ── hub      H is a number that the hub has just drawn; E proves to the edge that this is new
//	edge ─ greet(E, H) ─▶ hub      H proves the same to the hub; from now on only frames of (E, H) with rising counts are valid
//
// An old frame has the numbers of an old session. A frame for another machine, or one that is sent back to its
// sender, was signed over other names. A hub without a session says knock, and the edge greets again.

type message byte

const (
	greet message = iota + 1
	meet
	knock
	frame
)

type number [16]byte

func draw() (n number) {
	rand.Read(n[:])
	return n
}

// A sealed frame is: version, message, the sender's number, the receiver's number, the count, the payload,
// and the signature.
const (
	sealVersion = 1
	headSize    = 2 + 16 + 16 + 8
	sealSize    = headSize + ed25519.SignatureSize
)

// ErrNoSession says that there is no session with the other end yet.
var ErrNoSession = errors.New("the other end has not answered yet")

// Seal is one end of a sealed conversation of two machines. It is not safe for concurrent use.
type Seal struct {
	key   ed25519.PrivateKey
	peer  ed25519.PublicKey
	greet bool   // this end begins: it is the edge
	names []byte // both names, first the hub's

	session, offered pair // offered is the hub's answer to a greeting that is not yet proven
	sent, heard      uint64
}

type pair struct{ mine, theirs number }

func (p pair) met() bool { return p.theirs != number{} }

// EdgeSeal returns the edge's end.
func EdgeSeal(edge Keys, hub ed25519.PublicKey) *Seal {
	return &Seal{key: edge.Signer(), peer: hub, greet: true, names: names(hub, edge.Public().Signer)}
}

// HubSeal returns the hub's end for one edge.
func HubSeal(hub Keys, edge ed25519.PublicKey) *Seal {
	return &Seal{key: hub.Signer(), peer: edge, names: names(hub.Public().Signer, edge)}
}

func names(hub, edge ed25519.PublicKey) []byte { return append(append([]byte{}, hub...), edge...) }

// Met reports whether there is a session, so that frames can be sealed.
func (s *Seal) Met() bool { return s.session.met() }

// Greet begins a new session at the edge's end. The previous one ends.
func (s *Seal) Greet() []byte {
	s.session, s.heard = pair{mine: draw()}, 0
	return s.pack(greet, s.session, nil)
}

// Frame seals a payload for the other end.
func (s *Seal) Frame(payload []byte) ([]byte, error) {
	if !s.Met() {
		return nil, ErrNoSession
	}
	return s.pack(frame, s.session, payload), nil
}

// Heard is the result of a sealed message.
type Heard struct {
	Frame []byte // the payload; nil: there was none
	Reply []byte // to send back; nil: nothing
	Met   bool   // a new session has begun; what was under way in the previous one is over
	// Knocked says that the hub has no session, so the edge must greet again.
	Knocked bool
}

// Open reads a message. One that is not from the other end, or not from this session, is an error and changes
// nothing.
func (s *Seal) Open(data []byte) (h Heard, err error) {
	if len(data) < sealSize || data[0] != sealVersion {
		return h, errors.New("this is no sealed frame")
	}
	body, sig := data[:len(data)-ed25519.SignatureSize], data[len(data)-ed25519.SignatureSize:]
	if !ed25519.Verify(s.peer, s.signs(body), sig) {
		return h, errors.New("a frame with a wrong signature")
	}
	kind, count, payload := message(body[1]), binary.BigEndian.Uint64(body[34:42]), body[headSize:]
	got := pair{mine: number(body[18:34]), theirs: number(body[2:18])}
	if s.greet {
		return s.atEdge(kind, got, count, payload)
	}
	return s.atHub(kind, got, count, payload)
}

func (s *Seal) atEdge(kind message, got pair, count uint64, payload []byte) (h Heard, err error) {
	switch {
	case got.mine != s.session.mine || s.session.mine == number{}:
		return h, errStale
	case kind == meet && !s.Met():
		s.session, s.heard = got, 0
		return Heard{Met: true, Reply: s.pack(greet, s.session, nil)}, nil
	case kind == knock:
		return Heard{Knocked: true}, nil
	case kind == frame && got == s.session:
		return s.take(count, payload)
	}
	return h, errStale
}

func (s *Seal) atHub(kind message, got pair, count uint64, payload []byte) (h Heard, err error) {
	switch {
	case kind == greet && got.mine == number{}:
		if s.offered.theirs != got.theirs {
			s.offered = pair{mine: draw(), theirs: got.theirs}
		}
		return Heard{Reply: s.pack(meet, s.offered, nil)}, nil
	case s.offered.met() && got == s.offered:
		s.session, s.offered, s.heard, h.Met = got, pair{}, 0, true
	case !s.Met() || got != s.session:
		return Heard{Reply: s.pack(knock, pair{theirs: got.theirs}, nil)}, errStale
	}
	if kind != frame {
		return h, nil
	}
	met := h.Met
	h, err = s.take(count, payload)
	h.Met = met
	return h, err
}

var errStale = errors.New("a frame of another session")

func (s *Seal) take(count uint64, payload []byte) (Heard, error) {
	if count <= s.heard {
		return Heard{}, fmt.Errorf("frame %d came after frame %d", count, s.heard)
	}
	s.heard = count
	return Heard{Frame: bytes.Clone(payload)}, nil
}

func (s *Seal) pack(kind message, p pair, payload []byte) []byte {
	s.sent++
	body := make([]byte, 0, sealSize+len(payload))
	body = append(body, sealVersion, byte(kind))
	body = append(append(body, p.mine[:]...), p.theirs[:]...)
	body = append(binary.BigEndian.AppendUint64(body, s.sent), payload...)
	return append(body, ed25519.Sign(s.key, s.signs(body))...)
}

// signs returns the bytes that are signed: the names of both ends and the whole message. The key shows which
// end sent it.
func (s *Seal) signs(body []byte) []byte {
	return append(append([]byte("nod frame 1\n"), s.names...), body...)
}
