package detect

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseScreen(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []Row
	}{
		{"plain", "a b  \n\n c", []Row{{Text: "a b"}, {}, {Text: " c"}}},
		{"one row without an end", "x", []Row{{Text: "x"}}},
		{"nothing", "", nil},
		{"colours", "\x1b[38;5;215mA\x1b[1mB\x1b[0mC", []Row{{Text: "ABC", Runs: []Run{{0, 1, "/5;215/"}, {1, 2, "b/5;215/"}}}}},
		{"a look goes on in the next row, as tmux writes it", "\x1b[7ma\nb\x1b[m", []Row{{Text: "a", Runs: []Run{{0, 1, "r//"}}}, {Text: "b", Runs: []Run{{0, 1, "r//"}}}}},
		{"coloured blanks at the end keep their look", "a\x1b[48;5;1m  ", []Row{{Text: "a", Runs: []Run{{1, 3, "//5;1"}}}}},
		{"links", "\x1b]8;;http://x\x1b\\text\x1b]8;;\x07.", []Row{{Text: "text."}}},
		{"line drawing", "\x0elqk\x0fq\x1b(0x\x1b(Bx", []Row{{Text: "┌─┐q│x"}}},
		{"other sequences are dropped", "\x1b[2J\x1b[?25la\x1b[3;4Hb\x1bMc\x1b", []Row{{Text: "abc"}}},
		{"a sequence that is cut off ends with its row", "\x1b[38;5\nb", []Row{{}, {Text: "b"}}},
		{"no valid text", "\xff\xfea", []Row{{Text: "\ufffd\ufffda"}}},
		{"marks that turn the reading direction", "rm \u202etxt.\u202cx", []Row{{Text: "rm txt.x"}}},
		{"carriage returns and bells", "a\r\n\ab", []Row{{Text: "a"}, {Text: "b"}}},
	} {
		if diff := cmp.Diff(c.want, ParseScreen(c.in).Rows); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

func TestTail(t *testing.T) {
	s := ParseScreen("1\n2\n3\n\n\n")
	for n, want := range map[int][]string{0: {}, 1: {"3"}, 2: {"2", "3"}, 9: {"1", "2", "3"}, -1: {}} {
		if diff := cmp.Diff(want, s.Tail(n)); diff != "" {
			t.Errorf("Tail(%d): %s", n, diff)
		}
	}
}
