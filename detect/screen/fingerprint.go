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

// fingerprintVersion is part of every fingerprint: a release that reads screens differently changes it,
// so that no old answer meets a new reading.
const fingerprintVersion = "nod/2"

// fingerprint is SHA-256, in hex, over what the human decides on. Each part goes in with its length, so
// that no two lists of parts are written alike.
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

// Same reports whether p and q ask the same human the same thing: equal fingerprints, and equal calls where both
// know one. No prompt is the same as one that was not read.
func (p *Prompt) Same(q *Prompt) bool {
	return p != nil && q != nil && p.Fingerprint != "" && p.Fingerprint == q.Fingerprint &&
		(p.Call == "" || q.Call == "" || p.Call == q.Call)
}

// Draws reports whether p is drawn as a dialog was whose rows were told, drawn for that many columns: by the very same
// rows, in that order; for another width, by rows of the same text, for only where they are broken differs. It says what
// the fingerprint says, and knows nothing of how the rows were read. No rows are drawn by no prompt.
func (p *Prompt) Draws(rows []string, width int) bool {
	switch {
	case p == nil || len(rows) == 0:
		return false
	case p.Width == width:
		return slices.Equal(p.Rows, rows)
	}
	return visible.Unspaced(strings.Join(p.Rows, "")) == visible.Unspaced(strings.Join(rows, ""))
}
