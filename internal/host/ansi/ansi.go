// Package ansi parses escape sequences. It splits output for a terminal, or of tmux's capture-pane -e, into
// text and control sequences (ECMA-48, and the operating system commands of xterm).
package ansi

import (
	"iter"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	Text       Kind = iota // valid UTF-8 without control characters, the longest possible run
	Invalid                // one byte that is not valid UTF-8
	Newline                // "\n"
	Tab                    // "\t"
	ShiftOut               // SO: the following letters may be line drawing
	ShiftIn                // SI: ends ShiftOut
	Control                // another control character: C0, DEL or C1
	SGR                    // CSI … m, which sets colours; Args has its parameters, as in 1;38;5;9
	OSC                    // an operating system command; Args has its text, as in 8;;https://go.dev for a link
	Charset                // ESC ( 0 and the like; Args has the part after the escape: (0 selects line drawing, (B letters
	Escape                 // any other complete sequence; Args has the text of a string such as DCS
	Unfinished             // an incomplete sequence; Args has the part that a terminal would show
)

// Token is one piece of a text.
type Token struct {
	Kind Kind
	Raw  string // as in the text: all Raw together are the text
	Args string
}

// Tokens splits text into its tokens, in order. A sequence never extends beyond its line, so an incomplete
// one hides nothing below it.
func Tokens(text string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		for rest := text; rest != ""; {
			t := next(rest)
			rest = rest[len(t.Raw):]
			if !yield(t) {
				return
			}
		}
	}
}

// next returns the first token of text, which must not be empty.
func next(text string) Token {
	if n := shown(text); n > 0 {
		return Token{Kind: Text, Raw: text[:n]}
	}
	switch text[0] {
	case '\n':
		return Token{Kind: Newline, Raw: text[:1]}
	case '\t':
		return Token{Kind: Tab, Raw: text[:1]}
	case 0x0e:
		return Token{Kind: ShiftOut, Raw: text[:1]}
	case 0x0f:
		return Token{Kind: ShiftIn, Raw: text[:1]}
	case 0x1b:
		return escape(text)
	}
	r, n := utf8.DecodeRuneInString(text)
	if r == utf8.RuneError && n == 1 {
		return Token{Kind: Invalid, Raw: text[:1]}
	}
	return Token{Kind: Control, Raw: text[:n]}
}

// shown returns the length of the leading text, in bytes.
func shown(text string) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case c >= 0x20 && c < 0x7f:
			n++
		case c < utf8.RuneSelf:
			return n
		case c >= 0xe1 && c <= 0xec && n+2 < len(text) && continues(text[n+1]) && continues(text[n+2]):
			n += 3 // box drawing characters, in a third of the time of decoding them
		default:
			r, size := utf8.DecodeRuneInString(text[n:])
			if r < 0xa0 || r == utf8.RuneError && size == 1 {
				return n
			}
			n += size
		}
	}
	return n
}

func continues(c byte) bool { return c&0xc0 == 0x80 }

// escape returns the sequence at the beginning of text, whose first character is the escape.
func escape(text string) Token {
	if len(text) == 1 {
		return Token{Kind: Unfinished, Raw: text}
	}
	switch text[1] {
	case '[':
		return control(text)
	case ']', 'P', 'X', '^', '_':
		return command(text)
	}
	n := span(text, 1, 0x20, 0x2f)
	if n == len(text) || text[n] < 0x30 || text[n] > 0x7e {
		return Token{Kind: Unfinished, Raw: text[:n]}
	}
	n++
	t := Token{Kind: Escape, Raw: text[:n]}
	if n == 3 && text[1] >= '(' && text[1] <= '+' {
		t.Kind, t.Args = Charset, text[1:n]
	}
	return t
}

// control parses a control sequence: parameters, intermediate bytes, and a final byte that identifies it.
func control(text string) Token {
	params := span(text, 2, 0x30, 0x3f)
	n := span(text, params, 0x20, 0x2f)
	if n == len(text) || text[n] < 0x40 || text[n] > 0x7e {
		return Token{Kind: Unfinished, Raw: text[:n], Args: text[2:n]}
	}
	t := Token{Kind: Escape, Raw: text[:n+1]}
	// A sequence with < = > or ? is private, such as the key modes that xterm sets with CSI > m.
	if text[n] == 'm' && n == params && (n == 2 || text[2] < '<') {
		t.Kind, t.Args = SGR, text[2:n]
	}
	return t
}

// command parses a string up to its end, BEL or ST.
func command(text string) Token {
	kind := Escape
	if text[1] == ']' {
		kind = OSC
	}
	for n := 2; n < len(text); n++ {
		switch {
		case text[n] == 0x07:
			return Token{Kind: kind, Raw: text[:n+1], Args: text[2:n]}
		case text[n] == 0x1b && n+1 < len(text) && text[n+1] == '\\':
			return Token{Kind: kind, Raw: text[:n+2], Args: text[2:n]}
		case text[n] == 0x1b || text[n] == '\n':
			return Token{Kind: Unfinished, Raw: text[:n], Args: text[2:n]}
		}
	}
	return Token{Kind: Unfinished, Raw: text, Args: text[2:]}
}

// span returns the end of the run of bytes between low and high that begins at n.
func span(text string, n int, low, high byte) int {
	for n < len(text) && text[n] >= low && text[n] <= high {
		n++
	}
	return n
}
