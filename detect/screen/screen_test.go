package screen

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// looks is a row as the table below writes it.
type looks struct {
	text string
	runs []stretch
}

func TestParseScreen(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []looks
	}{
		{"plain", "a b  \n\n c", []looks{{text: "a b"}, {}, {text: " c"}}},
		{"one row without an end", "x", []looks{{text: "x"}}},
		{"nothing", "", nil},
		{"colours", "\x1b[38;5;215mA\x1b[1mB\x1b[0mC", []looks{{text: "ABC", runs: []stretch{{0, 1, Style{Fg: "5;215"}}, {1, 2, Style{Fg: "5;215", Bold: true}}}}}},
		{"a look goes on in the next row, as tmux writes it", "\x1b[7ma\nb\x1b[m", []looks{{text: "a", runs: []stretch{{0, 1, Style{Reverse: true}}}}, {text: "b", runs: []stretch{{0, 1, Style{Reverse: true}}}}}},
		{"coloured blanks at the end keep their look", "a\x1b[48;5;1m  ", []looks{{text: "a", runs: []stretch{{1, 3, Style{Bg: "5;1"}}}}}},
		{"links", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x07.", []looks{{text: "text."}}},
		{"line drawing", "\x0elqk\x0fq\x1b(0x\x1b(Bx", []looks{{text: "┌─┐q│x"}}},
		{"other sequences are dropped", "\x1b[2J\x1b[?25la\x1b[3;4Hb\x1bMc\x1b", []looks{{text: "abc"}}},
		{"a line under the text has a colour", "\x1b[4:3;58;5;7mA\x1b[58:2::41:0:7mB", []looks{{text: "AB", runs: []stretch{{0, 2, Style{Underline: true}}}}}},
		{"a sequence that is cut off ends with its row", "\x1b[38;5\nb", []looks{{}, {text: "b"}}},
		{"no valid text", "\xff\xfea", []looks{{text: "\ufffd\ufffda"}}},
		{"marks that turn the reading direction stay", "rm \u202etxt.\u202cx", []looks{{text: "rm \u202etxt.\u202cx"}}},
		{"carriage returns and bells", "a\r\n\ab", []looks{{text: "a"}, {text: "b"}}},
	} {
		var got []looks
		for _, r := range Parse(c.in).Rows {
			got = append(got, looks{r.Text, r.runs})
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(looks{}, stretch{})); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestTail(t *testing.T) {
	s := Parse("1\n2\n3\n\n\n")
	for n, want := range map[int][]string{0: {}, 1: {"3"}, 2: {"2", "3"}, 9: {"1", "2", "3"}, -1: {}} {
		if diff := cmp.Diff(want, s.Tail(n)); diff != "" {
			t.Errorf("Tail(%d): %s", n, diff)
		}
	}
}

func TestSamePrompt(t *testing.T) {
	p := func(fingerprint, call string) *Prompt { return &Prompt{Fingerprint: fingerprint, Call: call} }
	for _, tt := range []struct {
		p, q *Prompt
		want bool
	}{
		{p("f", ""), p("f", ""), true},
		{p("f", "c"), p("f", "c"), true},
		{p("f", "c"), p("f", ""), true},
		{p("f", "c"), p("f", "d"), false},
		{p("f", "c"), p("g", "c"), false},
		{p("", ""), p("", ""), false},
		{p("f", ""), nil, false},
		{nil, nil, false},
	} {
		if tt.p.Same(tt.q) != tt.want || tt.q.Same(tt.p) != tt.want {
			t.Errorf("%+v and %+v are the same: %v", tt.p, tt.q, !tt.want)
		}
	}
}
