package detect

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
)

// fingerprintVersion is part of every fingerprint: a release that reads screens differently changes it,
// so that no old answer meets a new reading.
const fingerprintVersion = "nod/1"

// fingerprint is SHA-256, in hex, over what the human decides on. Each part goes in with its length, so
// that no two lists of parts are written alike.
func fingerprint(p *Prompt) string {
	h := sha256.New()
	for _, part := range []string{fingerprintVersion, p.Agent, p.Shape, p.Question, p.Subject} {
		write(h, part)
	}
	for _, o := range p.Options {
		write(h, o.Label)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func write(h hash.Hash, part string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	h.Write([]byte(part))
}

// Same reports whether p and q ask the same human the same thing: equal fingerprints. No prompt is
// the same as one that was not read.
func (p *Prompt) Same(q *Prompt) bool {
	return p != nil && q != nil && p.Fingerprint != "" && p.Fingerprint == q.Fingerprint
}
