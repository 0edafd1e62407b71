package ansi

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Token
	}{
		{"nothing", "", nil},
		{"text", "rm x │ 漢\u00a0", []Token{{Text, "rm x │ 漢\u00a0", ""}}},
		{"lines", "a\tb\n", []Token{{Text, "a", ""}, {Tab, "\t", ""}, {Text, "b", ""}, {Newline, "\n", ""}}},
		{"colours", "\x1b[1;38:5:9mA\x1b[m", []Token{{SGR, "\x1b[1;38:5:9m", "1;38:5:9"}, {Text, "A", ""}, {SGR, "\x1b[m", ""}}},
		{"what ends in m and colours nothing", "\x1b[>4;1m\x1b[1 m", []Token{{Escape, "\x1b[>4;1m", ""}, {Escape, "\x1b[1 m", ""}}},
		{"cursor and modes", "\x1b[2J\x1b[?25l\x1bM\x1b7\x1b#8", []Token{
			{Escape, "\x1b[2J", ""}, {Escape, "\x1b[?25l", ""}, {Escape, "\x1bM", ""}, {Escape, "\x1b7", ""}, {Escape, "\x1b#8", ""},
		}},
		{"link", "\x1b]8;id=1;http://x\x1b\\y\x1b]8;;\a", []Token{
			{OSC, "\x1b]8;id=1;http://x\x1b\\", "8;id=1;http://x"}, {Text, "y", ""}, {OSC, "\x1b]8;;\a", "8;;"},
		}},
		{"device control", "\x1bP1$r\x1b\\b", []Token{{Escape, "\x1bP1$r\x1b\\", "1$r"}, {Text, "b", ""}}},
		{"line drawing", "\x0eq\x0f\x1b(0x\x1b)B", []Token{
			{ShiftOut, "\x0e", ""}, {Text, "q", ""}, {ShiftIn, "\x0f", ""}, {Charset, "\x1b(0", "(0"}, {Text, "x", ""}, {Charset, "\x1b)B", ")B"},
		}},
		{"control characters", "a\r\x7f\u009b1m", []Token{{Text, "a", ""}, {Control, "\r", ""}, {Control, "\x7f", ""}, {Control, "\u009b", ""}, {Text, "1m", ""}}},
		{"no UTF-8", "a\xff\xc3b", []Token{{Text, "a", ""}, {Invalid, "\xff", ""}, {Invalid, "\xc3", ""}, {Text, "b", ""}}},
		{"the replacement character is text", "\ufffd", []Token{{Text, "\ufffd", ""}}},
		{"broken off at the end", "\x1b[38;5", []Token{{Unfinished, "\x1b[38;5", "38;5"}}},
		{"broken off by the line's end", "\x1b[38;5\nb\x1b]0;t\nc\x1b(\nd", []Token{
			{Unfinished, "\x1b[38;5", "38;5"}, {Newline, "\n", ""}, {Text, "b", ""},
			{Unfinished, "\x1b]0;t", "0;t"}, {Newline, "\n", ""}, {Text, "c", ""},
			{Unfinished, "\x1b(", ""}, {Newline, "\n", ""}, {Text, "d", ""},
		}},
		{"broken off by another", "\x1b[1\x1b[m\x1b]8;;\x1b[m\x1b\x1b[m", []Token{
			{Unfinished, "\x1b[1", "1"}, {SGR, "\x1b[m", ""}, {Unfinished, "\x1b]8;;", "8;;"}, {SGR, "\x1b[m", ""}, {Unfinished, "\x1b", ""}, {SGR, "\x1b[m", ""},
		}},
		{"broken off by text", "\x1bé\x1b[1é", []Token{{Unfinished, "\x1b", ""}, {Text, "é", ""}, {Unfinished, "\x1b[1", "1"}, {Text, "é", ""}}},
	} {
		if diff := cmp.Diff(c.want, slices.Collect(Tokens(c.in))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestHarmless(t *testing.T) {
	for _, c := range []struct{ name, in, plain, colours string }{
		{"colour", "\x1b[1;31mred\x1b[0m", "red", "\x1b[1;31mred\x1b[0m"},
		{"cursor", "a\x1b[2J\x1b[Hb", "ab", "ab"},
		{"title", "a\x1b]0;evil\x07b", "ab", "ab"},
		{"clipboard", "a\x1b]52;c;ZXZpbA==\x1b\\b", "ab", "ab"},
		{"link", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x1b\\", "text", "text"},
		{"device control", "a\x1bP1$r\x1b\\b", "ab", "ab"},
		{"open string", "a\x1b]0;never ends", "a0;never ends", "a0;never ends"},
		{"lone escape", "a\x1b", "a", "a"},
		{"reset", "a\x1bcb", "ab", "ab"},
		{"C1 and control", "a\u009b31mb\x07\x08\r\x7fc", "a31mbc", "a31mbc"},
		{"direction", "rm \u202efr-\u202c x", "rm fr- x", "rm fr- x"},
		{"lines", "a\tb\nc │ 漢", "a\tb\nc │ 漢", "a\tb\nc │ 漢"},
		{"no UTF-8", "a\xffb", "a\ufffdb", "a\ufffdb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Harmless(c.in); got != c.plain {
				t.Errorf("plain: %q, want %q", got, c.plain)
			}
			if got := HarmlessColours(c.in); got != c.colours {
				t.Errorf("colours: %q, want %q", got, c.colours)
			}
		})
	}
}

// captures are screens of real agents, as printed by tmux.
func captures(tb testing.TB) map[string]string {
	tb.Helper()
	files, err := filepath.Glob("../../../detect/agents/testdata/*/*.ansi")
	if err != nil || len(files) == 0 {
		tb.Fatal("no captures", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

// TestCapturesHoldNothingUnknown: tmux prints only text, colours and links, and all sequences are complete.
func TestCapturesHoldNothingUnknown(t *testing.T) {
	for name, text := range captures(t) {
		for token := range Tokens(text) {
			switch token.Kind {
			case Invalid, Control, Escape, Unfinished:
				t.Errorf("%s: kind %d: %q", name, token.Kind, token.Raw)
			}
		}
	}
}

// FuzzTokens: no token is empty, no text is lost, and each token has the right kind.
func FuzzTokens(f *testing.F) {
	f.Add("a\x1b]0;x\x1b\\\x1b[1m\x1b\x1b[[m\xff\u009b\x1b(0\x0e\r\n")
	f.Add("\x1b[38;5\nb\x1b]8;;\x1b")
	f.Fuzz(func(t *testing.T, text string) {
		var all strings.Builder
		for token := range Tokens(text) {
			all.WriteString(token.Raw)
			shows := func(r rune) bool { return !unicode.IsControl(r) }
			switch {
			case token.Raw == "":
				t.Fatal("an empty token")
			case token.Kind == Text && (!utf8.ValidString(token.Raw) || strings.IndexFunc(token.Raw, unicode.IsControl) >= 0):
				t.Errorf("text %q", token.Raw)
			case token.Kind == Invalid && (len(token.Raw) != 1 || utf8.ValidString(token.Raw)):
				t.Errorf("invalid %q", token.Raw)
			case token.Kind == Control && strings.IndexFunc(token.Raw, shows) >= 0:
				t.Errorf("control %q", token.Raw)
			case token.Kind == SGR && token.Raw != "\x1b["+token.Args+"m":
				t.Errorf("colours %q of %q", token.Args, token.Raw)
			case token.Kind != Newline && strings.Contains(token.Raw, "\n"):
				t.Errorf("%q goes over the end of its line", token.Raw)
			}
		}
		if all.String() != text {
			t.Errorf("%q became %q", text, all.String())
		}
	})
}

func FuzzHarmless(f *testing.F) {
	f.Add("a\x1b]0;x\x1b\\\x1b[1m\x1b\x1b[[m")
	f.Fuzz(func(t *testing.T, text string) {
		obeyed := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
		if plain := Harmless(text); strings.ContainsFunc(plain, obeyed) {
			t.Errorf("%q became %q", text, plain)
		}
		for token := range Tokens(HarmlessColours(text)) {
			if token.Kind != SGR && strings.ContainsFunc(token.Raw, obeyed) {
				t.Errorf("%q keeps %q", text, token.Raw)
			}
		}
	})
}

func BenchmarkTokens(b *testing.B) {
	screen := captures(b)["2.1.329-bash-200x50.ansi"]
	b.SetBytes(int64(len(screen)))
	for b.Loop() {
		for range Tokens(screen) {
		}
	}
}
