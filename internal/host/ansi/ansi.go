// Package ansi reads escape sequences: it cuts what a program wrote for a terminal, or what tmux's
// capture-pane -e printed, into text and what a terminal obeys instead of showing (ECMA-48, and the
// operating system commands of xterm).
package ansi

import (
	"iter"
	"unicode/utf8"
)

// Kind says what a token is to a terminal.
type Kind uint8

// The kinds of tokens.
const (
	Text       Kind = iota // valid UTF-8 without control characters, as much of it as stands together
	Invalid                // one byte that is no UTF-8
	Newline                // "\n"
	Tab                    // "\t"
	ShiftOut               // SO: letters that follow may be line drawing
	ShiftIn                // SI: letters are letters again
	Control                // another control character: C0, DEL or C1
	SGR                    // CSI … m, which colours what follows; Args are its parameters, as in 1;38;5;9
	OSC                    // an operating system command; Args is what it says, as in 8;;https://go.dev for a link
	Charset                // ESC ( 0 and the like; Args is what follows the escape: (0 draws lines, (B writes letters
	Escape                 // any other whole sequence; Args is what a string such as DCS says
	Unfinished             // a sequence that breaks off; Args is what of it a terminal that gave up would show
)

// Token is one piece of a text.
type Token struct {
	Kind Kind
	Raw  string // as it is in the text: all of them put together are the text
	Args string
}

// Tokens cuts text into its tokens, in order. No sequence reaches beyond its line, so that one which
// breaks off hides nothing below it.
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

// next is the token that text, which is not empty, begins with.
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

// shown is the length of the text at the beginning.
func shown(text string) int {
	n := 0
	for n < len(text) {
		switch c := text[n]; {
		case c >= 0x20 && c < 0x7f:
			n++
		case c < utf8.RuneSelf:
			return n
		case c >= 0xe1 && c <= 0xec && n+2 < len(text) && continues(text[n+1]) && continues(text[n+2]):
			n += 3 // what boxes are drawn with, in a third of the time that decoding takes
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

// escape is the sequence that text, whose first character is the escape, begins with.
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

// control reads a control sequence: parameters, intermediate bytes, and a last one that says what it is.
func control(text string) Token {
	params := span(text, 2, 0x30, 0x3f)
	n := span(text, params, 0x20, 0x2f)
	if n == len(text) || text[n] < 0x40 || text[n] > 0x7e {
		return Token{Kind: Unfinished, Raw: text[:n], Args: text[2:n]}
	}
	t := Token{Kind: Escape, Raw: text[:n+1]}
	// What begins with < = > or ? is somebody's own, such as the modes of keys that xterm sets with CSI > m.
	if text[n] == 'm' && n == params && (n == 2 || text[2] < '<') {
		t.Kind, t.Args = SGR, text[2:n]
	}
	return t
}

// command reads a string with its end, BEL or ST.
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

// span is where the bytes from low to high end that are at n.
func span(text string, n int, low, high byte) int {
	for n < len(text) && text[n] >= low && text[n] <= high {
		n++
	}
	return n
}
