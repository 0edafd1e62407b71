package screen

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"

	"nod/internal/text/visible"
)

// fingerprintVersion is part of every fingerprint. A release that reads screens differently changes it, so that no answer to an
// old reading fits a new one.
const fingerprintVersion = "nod/2"

// fingerprint is a SHA-256, in hex, of everything that the human decides on. Each part is preceded by its length, so that
// different lists of parts never give the same bytes.
func fingerprint(c *Content) string {
	h := sha256.New()
	for _, part := range []string{fingerprintVersion, c.Agent, c.Shape, c.Verb, c.Title, c.Question, c.Subject} {
		digest(h, part)
	}
	for _, o := range c.Options {
		digest(h, o.Label)
		if o.Tick != NoBox {
			digest(h, "\x00"+string(o.Tick))
		}
	}
	for _, note := range c.Notes {
		digest(h, note)
	}
	for _, doubt := range c.Doubts {
		for _, part := range []string{string(doubt.Kind), doubt.Agent, doubt.What, doubt.Said} {
			digest(h, part)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

func digest(h hash.Hash, part string) {
	var n [8]byte
	binary.BigEndian.PutUint64(n[:], uint64(len(part)))
	h.Write(n[:])
	h.Write([]byte(part))
}

// Same reports whether p and q ask the same thing: their fingerprints are equal, and their calls too if both are known. A prompt
// that was not read is the same as none.
func (p *Prompt) Same(q *Prompt) bool {
	return p != nil && q != nil && p.Fingerprint != "" && p.Fingerprint == q.Fingerprint &&
		(p.Call == "" || q.Call == "" || p.Call == q.Call)
}

// Draws reports whether p is drawn in the given rows, which were drawn for that many columns: exactly these rows, or, for another
// width, rows with the same text, broken elsewhere. It checks what the fingerprint says without the reading of the rows. No prompt
// draws no rows.
func (p *Prompt) Draws(rows []string, width int) bool {
	switch {
	case p == nil || len(rows) == 0:
		return false
	case p.Width == width:
		return slices.Equal(p.Rows, rows)
	}
	return visible.Unspaced(strings.Join(p.Rows, "")) == visible.Unspaced(strings.Join(rows, ""))
}
