package visible

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "rm -rf build && echo 'a' > b", "rm -rf build && echo 'a' > b"},
		{"newline and tab", "a\n\tb", "a\n b"},
		{"carriage return", "ls\r\nrm", "ls<U+000D>\nrm"},
		{"controls", "\x00\x1b[31m\x7f\u0085", "<U+0000><U+001B>[31m<U+007F><U+0085>"},
		{"zero-width", "a\u200bb\u200c\u200d\ufeff\u2060", "a<U+200B>b<U+200C><U+200D><U+FEFF><U+2060>"},
		{"bidi", "\u200e\u202e\u2066\u061c", "<U+200E><U+202E><U+2066><U+061C>"},
		{"blanks that are none", "a\u00a0b\u3000c\u2003\u1680", "a<U+00A0>b<U+3000>c<U+2003><U+1680>"},
		{"line separators", "a\u2028b\u2029", "a<U+2028>b<U+2029>"},
		{"soft hyphen", "a\u00adb", "a<U+00AD>b"},
		{"variation selectors", "\u26a0\ufe0f a\U000e0100 \u180b", "\u26a0<U+FE0F> a<U+E0100> <U+180B>"},
		{"tags", "x\U000e0041\U000e007f", "x<U+E0041><U+E007F>"},
		{"fillers", "\u115f\u1160\u3164\uffa0\u2800\u17b4", "<U+115F><U+1160><U+3164><U+FFA0><U+2800><U+17B4>"},
		{"grapheme joiner", "e\u034fx", "e<U+034F>x"},
		{"reserved ignorables", "\u2065\ufff0\U000e0fff", "<U+2065><U+FFF0><U+E0FFF>"},
		{"a joined emoji", "👨\u200d💻", "👨<U+200D>💻"},
		{"combining marks show", "e\u0301 n\u0303", "e\u0301 n\u0303"},
		{"no UTF-8", "a\xffb\xc3", "a\ufffdb\ufffd"},
		{"its own form", "<U+200E>", "<U+200E>"},
		{"nothing", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("%q became %q, want %q", c.in, got, c.want)
			}
		})
	}
}

// TestJSONHidesNothing: every character comes back as it was, and none moves a terminal's cursor.
func TestJSONHidesNothing(t *testing.T) {
	var all strings.Builder
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf8.ValidRune(r) {
			all.WriteRune(r)
		}
	}
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(all.String()); err != nil {
		t.Fatal(err)
	}
	got, back := JSON(text.String()), ""
	if err := json.Unmarshal([]byte(got), &back); err != nil || back != all.String() {
		t.Errorf("it is another text, %v", err)
	}
	if i := strings.IndexFunc(got, Hidden); i >= 0 {
		t.Errorf("%q is left", got[i:i+8])
	}
}

// TestNothingHiddenIsLeft tests all of Unicode.
func TestNothingHiddenIsLeft(t *testing.T) {
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if got := Text(string(r)); strings.ContainsFunc(got, showsNothing) {
			t.Fatalf("%U became %q", r, got)
		}
	}
}

// showsNothing decides from Unicode's tables, independently of the code. A private or unassigned character
// shows a box.
func showsNothing(r rune) bool {
	switch {
	case r == '\n', r == ' ':
		return false
	case unicode.IsControl(r), unicode.IsSpace(r), r == 0x2800, r == 0x034f:
		return true
	}
	return unicode.In(r, unicode.Z, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a\u200eb", "\ufe0f\u3164", "\xff\x1b[0m\t\n", "<U+200E>", "\u202egnp.exe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Text(s)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, showsNothing) {
			t.Errorf("%q became %q, which holds what shows nothing", s, got)
		}
		if again := Text(got); again != got {
			t.Errorf("%q became %q, and that %q", s, got, again)
		}
		if strings.Count(got, "\n") != strings.Count(s, "\n") {
			t.Errorf("%q became %q: other lines", s, got)
		}
	})
}
