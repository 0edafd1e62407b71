package screen

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"slices"
	"strings"
	"time"

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

// TicksTo reports whether q may be p after some time: of the words that the human decides on only lengths of time have changed, one at least,
// each by about that time, all up or all down. Two commands with other times in them seldom do.
func (p *Prompt) TicksTo(q *Prompt, elapsed time.Duration) bool {
	if p == nil || q == nil || !slices.Equal(p.Doubts, q.Doubts) {
		return false
	}
	was, is := p.timed(), q.timed()
	if len(was) != len(is) {
		return false
	}
	var up, down bool
	for i := range was {
		if was[i] == is[i] {
			continue
		}
		from, ok := lengthOf(was[i])
		to, too := lengthOf(is[i])
		if !ok || !too || (max(from, to)-min(from, to)-elapsed).Abs() > roundedBy {
			return false
		}
		up, down = up || from < to, down || from > to
	}
	return up != down
}

// roundedBy is how much a time on the screen may be off: it is in whole seconds, and is drawn some time before a look.
const roundedBy = 2 * time.Second

// timed is the words of everything that the human decides on, and where its rows end. The unit of a length of time is with its number: "24
// seconds" is "24s".
func (c *Content) timed() []string {
	texts := append([]string{c.Shape, c.Verb, c.Title, c.Question, c.Subject}, c.Notes...)
	for _, o := range c.Options {
		texts = append(texts, "\x00", o.Label, string(o.Tick))
	}
	words := strings.Fields(strings.ReplaceAll(strings.Join(texts, " \x00 "), "\n", " \x00 "))
	for i := range words {
		if words[i] = strings.TrimRight(words[i], ".…!?"); i+1 < len(words) && isTime(words[i]+words[i+1][:1]) {
			words[i] += words[i+1][:1]
		}
	}
	return words
}

// lengthOf reads a length of time; ok is false if the word is none, as isTime has it.
func lengthOf(word string) (length time.Duration, ok bool) {
	if !isTime(word) {
		return 0, false
	}
	word = strings.Trim(word, "()[]·,")
	if clock := strings.Split("0:"+word, ":"); len(clock) > 2 {
		n := len(clock)
		word = clock[n-3] + "h" + clock[n-2] + "m" + clock[n-1] + "s"
	}
	length, err := time.ParseDuration(word)
	return length, err == nil
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
