package actor

import (
	"strings"
	"time"
	"unicode/utf8"
)

// key is one key press or one pasted text.
type key struct {
	name string // "Enter", "Escape", "Up", "Down", "Left", "Right", "Tab", "BTab", "BSpace", "C-c", "paste", or the character
	text string // the pasted text
	at   time.Time
}

var sequences = map[string]string{
	"\x1b[A": "Up", "\x1b[B": "Down", "\x1b[C": "Right", "\x1b[D": "Left", "\x1b[Z": "BTab",
	"\x1bOA": "Up", "\x1bOB": "Down", "\x1bOC": "Right", "\x1bOD": "Left",
}

var controls = map[byte]string{'\r': "Enter", '\n': "C-j", '\t': "Tab", 0x7f: "BSpace", 0x08: "BSpace", 0x03: "C-c", 0x15: "C-u", 0x1b: "Escape"}

const pasteBegin, pasteEnd = "\x1b[200~", "\x1b[201~"

// keyReader splits the bytes of a raw terminal into keys.
type keyReader struct{ rest string }

// read returns the keys in the result of one read from the terminal. An escape character begins a sequence
// only if the rest came in the same read; alone it is the Escape key.
func (r *keyReader) read(in string, now time.Time) []key {
	r.rest += in
	var out []key
	for r.rest != "" {
		k, n := r.next()
		if n == 0 {
			break
		}
		k.at = now
		if k.name != "" {
			out = append(out, k)
		}
		r.rest = r.rest[n:]
	}
	return out
}

// next returns the first key and its length in bytes; 0 if more input is needed.
func (r *keyReader) next() (key, int) {
	s := r.rest
	if body, ok := strings.CutPrefix(s, pasteBegin); ok {
		text, _, closed := strings.Cut(body, pasteEnd)
		if !closed {
			return key{}, 0
		}
		return key{name: "paste", text: strings.ReplaceAll(text, "\r", "\n")}, len(pasteBegin) + len(text) + len(pasteEnd)
	}
	for seq, name := range sequences {
		if strings.HasPrefix(s, seq) {
			return key{name: name}, len(seq)
		}
	}
	if strings.HasPrefix(s, "\x1b[") { // an unknown sequence is dropped whole
		for i := 2; i < len(s); i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return key{}, i + 1
			}
		}
	}
	if name, ok := controls[s[0]]; ok {
		return key{name: name}, 1
	}
	if !utf8.FullRuneInString(s) {
		return key{}, 0
	}
	c, n := utf8.DecodeRuneInString(s)
	if c < 0x20 {
		return key{}, n
	}
	return key{name: string(c)}, n
}
