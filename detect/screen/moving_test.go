package screen

import (
	"strings"
	"testing"
	"time"
)

// TestWhatMovesInADialogMakesNoOther: a spinner or a clock in the edge of its frame, or a bar that grows inside of it. A time is compared with how
// long it took, and a command is compared.
func TestWhatMovesInADialogMakesNoOther(t *testing.T) {
	asked := func(title, row string) *Prompt {
		shown := "╭─ " + title + " " + strings.Repeat("─", 37-width(title)) + "╮\n"
		for _, r := range []string{"Run this command?", "  rm -rf build", row, "", "❯ Yes", "  No"} {
			shown += "│ " + r + strings.Repeat(" ", 39-width(r)) + "│\n"
		}
		return Lay(Parse(shown + "╰" + strings.Repeat("─", 40) + "╯\n")).AnyDialog().Prompt("")
	}
	for _, tt := range []struct {
		before, now [2]string // title and row
		same, ticks bool
	}{
		{[2]string{"⠙ Approval", ""}, [2]string{"⠸ Approval", ""}, true, false},
		{[2]string{"Approval", "███░░░ 40%"}, [2]string{"Approval", "████░░ 60%"}, true, false},
		{[2]string{"Approval 12:59:59", ""}, [2]string{"Approval 13:00:01", ""}, false, true},
		{[2]string{"Approval 0:12", ""}, [2]string{"Approval 0:14", ""}, false, true},
		{[2]string{"Approval 12:59:59", ""}, [2]string{"Approval 13:59:59", ""}, false, false},
		{[2]string{"Approval", "make 1:2:03"}, [2]string{"Approval", "make 1:2:05"}, false, false}, // a place in a file
		{[2]string{"⠙ Approval", "make"}, [2]string{"⠸ Approval", "make all"}, false, false},
	} {
		was, is := asked(tt.before[0], tt.before[1]), asked(tt.now[0], tt.now[1])
		if same, ticks := was.Same(is), was.TicksTo(is, 2*time.Second); same != tt.same || ticks != tt.ticks {
			t.Errorf("%q, then %q: same %v, ticks %v", tt.before, tt.now, same, ticks)
		}
	}
}

// TestTicked: in a row that ticks digits, the sign of what goes on and colours may be others, as long as the rows below look as they did.
func TestTicked(t *testing.T) {
	for _, tt := range []struct {
		before, now string
		want        bool
	}{
		{"✻ Work… 1s", "✻ Work… 2s", true},
		{"✻ Work… 1s", "✽ Work… 1s", true},
		{"✻ Worked 1s", "✽ Worked 1s", false},
		{"✻ Work… 9s", "✻ Work… 10s", false},
		{"✻ Work… 1s", "✻ Rest… 1s", false},
		{"\x1b[31m✻\x1b[39m Work… 1s", "✻ \x1b[32mWo\x1b[33mrk…\x1b[39m 1s", true},
		{"\x1b[31m✻\x1b[39m Work… 1s", "\x1b[31m✻ Work… 1s", false}, // the row below is red now
		{"✻ Work… 1s", "\x1b[39m✻ Work… 1s", false},                 // where the row above is red, the one below was
		{"✻ Work… 1s", "✻ Work… 1s\x1b[22m", false},
		{"✻ Work… 1s", "✻ \x1b[7mWork…\x1b[27m 1s", false}, // chosen
		{"✻ Work… 1s", "✻ \x1b[41mWork…\x1b[49m 1s", false},
		{"✻ W╭──╮k… 1s", "* W╭──╮k… 1s", false}, // a box is over it
		{"✻ Work… 1s", "✻ Work…\n1s", false},
		{"✻ Work… 1s", "✻ Work… \x0e1s", false},
	} {
		if _, ok := Ticked("a\n"+tt.before+"\nb 1", "a\n"+tt.now+"\nb 1", []int{1}); ok != tt.want {
			t.Errorf("%q after %q: %v", tt.now, tt.before, ok)
		}
	}
	if _, ok := Ticked("✻ Work… 1s\nb 1", "✻ Work… 1s\nb 2", []int{0}); ok {
		t.Error("a row that does not tick was another one")
	}
	if rows, ok := Ticked("a\n\x1b[32m✻\x1b[39m Work… 1s", "a\n\x1b[31m✻\x1b[39m Work… 2s", []int{1}); !ok || len(rows) != 1 || rows[1] != "✻ Work… 2s" {
		t.Errorf("told %v", rows)
	}
}
