package main

import (
	"strings"
	"testing"
	"unicode"

	"nod/internal/redact"
)

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
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := harmless(c.in); got != c.plain {
				t.Errorf("plain: %q, want %q", got, c.plain)
			}
			if got := harmlessColours(c.in); got != c.colours {
				t.Errorf("colours: %q, want %q", got, c.colours)
			}
		})
	}
}

func FuzzHarmless(f *testing.F) {
	f.Add("a\x1b]0;x\x1b\\\x1b[1m\x1b\x1b[[m")
	f.Fuzz(func(t *testing.T, text string) {
		if plain := harmless(text); strings.ContainsFunc(plain, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
			t.Errorf("%q became %q", text, plain)
		}
		kept := harmlessColours(text)
		for {
			before, after, found := strings.Cut(kept, "\x1b")
			if !found {
				return
			}
			if !strings.HasPrefix(after, "[") || !sgr.MatchString("\x1b"+after[:strings.IndexByte(after, 'm')+1]) {
				t.Fatalf("%q became %q after %q", text, after, before)
			}
			kept = after
		}
	})
}

func TestMaskColouredFindsWhatColoursHide(t *testing.T) {
	got := maskColoured("\x1b[2mexport\x1b[0m GH=ghp_abcDEF0123456789\x1b[1mabcDEF0123456789abcd\x1b[0m ok\n")
	want := "\x1b[2mexport\x1b[0m GH=ghp_" + strings.Repeat("•", 16) + "\x1b[1m" + strings.Repeat("•", 20) + "\x1b[0m ok\n"
	if got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if harmless(got) != redact.Mask(harmless(got)) {
		t.Error("something is left to mask")
	}
}
