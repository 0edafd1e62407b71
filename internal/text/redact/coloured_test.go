package redact

import (
	"strings"
	"testing"
	"unicode/utf8"

	"nod/internal/host/ansi"
)

func TestColouredFindsWhatColoursHide(t *testing.T) {
	got := Coloured("\x1b[2mexport\x1b[0m GH=ghp_abcDEF0123456789\x1b[1mabcDEF0123456789abcd\x1b[0m ok\n")
	want := "\x1b[2mexport\x1b[0m GH=ghp_" + strings.Repeat("•", 16) + "\x1b[1m" + strings.Repeat("•", 20) + "\x1b[0m ok\n"
	if got != want {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
	if ansi.Harmless(got) != Mask(ansi.Harmless(got)) {
		t.Error("something is left to mask")
	}
}

// FuzzColoured: for any capture, its colours and its layout stay.
func FuzzColoured(f *testing.F) {
	f.Add("\x1b[2mexport\x1b[0m GH=ghp_abcDEF0123456789\x1b[1mabcDEF0123456789abcd\x1b]8;;x\x1b\\\xff\u200e\n")
	f.Fuzz(func(t *testing.T, capture string) {
		got := Coloured(capture)
		if utf8.RuneCountInString(ansi.Harmless(got)) != utf8.RuneCountInString(ansi.Harmless(capture)) {
			t.Errorf("%q became %q", capture, got)
		}
		if again := Coloured(got); again != got {
			t.Errorf("%q became %q, then %q", capture, got, again)
		}
	})
}
