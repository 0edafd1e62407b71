package screen

import (
	"slices"
	"strings"
	"testing"

	"nod/internal/reason"
)

// TestARowThatTellsOfARestIsDoubted: such a row says, in whatever words, that not all is shown.
func TestARowThatTellsOfARestIsDoubted(t *testing.T) {
	for row, tells := range map[string]bool{
		"⋮": true, "rm -rf […]": true, "rm -rf (…)": true, "rm -rf ›": true, "rm -rf →": true, "(3 more)": true, "── more ──": true, "12 lines omitted": true, "show more": true, "view rest": true,
		"[truncated]": true, "+3 others": true, "▼": true, "Lines 1-10 of 24": true, "1–10 of 24": true, "(1/3)": true, "page 2/3": true, "42%": true, "7 below": true,
		"¬": false, "rm -rf build": false, "more": false, "10 of 10": false, "part of it": false, "a of 3": false, "3 of a": false, "a/3": false, "3/3": false, "see part 1/3": false, "x%": false, "saw 42%": false,
		"": false, "remove all of the 12 files below": false, "full": false,
	} {
		if got := tellsOfRest(row); got != tells {
			t.Errorf("%q says that there is more: %t", row, got)
		}
	}
}

// TestWhatAnAgentLeavesOutIsDoubted: rows and ends of rows by which agents say that they left something out.
func TestWhatAnAgentLeavesOutIsDoubted(t *testing.T) {
	for row, leaves := range map[string]bool{
		"… 12 rows": true, "... 12 rows": true, "… output clipped": true, "[... 3 rows]": true, "⎿ … +39 lines": true, "(39 rows)": true, "+39 lines": true, "rm -rf…": true,
		"3 lines hidden": true, "12 more lines": true, "7 hidden (ctrl+o)": true, "press v to view all": true, "show details": true, "9 lines omitted": true, "rm (truncated)": true, "2 lines truncated": true,
		"ctrl+o to expand": true,
		"... --force":      false, "…": true, "39 rows": false, "(39 of 41 in a list)": false, "(39)": false, "[1] x=$(y)": false, "(2 + 3)": false, "rm -rf build": false, "(a b)": false,
	} {
		if got := elided(row); got != leaves {
			t.Errorf("%q leaves something out: %t", row, got)
		}
	}
	for row, counts := range map[string]bool{
		"set -e (42 lines)": true, "set -e (2 rows)": true,
		"(42 lines)": false, "set -e (1 line)": false, "set -e (many lines)": false, "set -e (42 lines of it)": false, "set -e (42)": false, "f (2 x)": true, "set -e 42 lines": false, "set -e (2 $x)": false,
	} {
		if got := countedBehind(row); got != counts {
			t.Errorf("%q counts what it begins: %t", row, got)
		}
	}
}

// TestAKeyThatShowsMoreIsDoubted: where such a key is offered, something may not be shown.
func TestAKeyThatShowsMoreIsDoubted(t *testing.T) {
	for _, does := range []string{"scroll", "pgup", "pgdn", "next page", "fullscreen", "full screen", "expand", "maximize", "see more", "see all", "for details", "to view", "to preview", "to show", "in full",
		"a diff", "to inspect", "to zoom", "to wrap"} {
		if !showsMore("enter accept · ctrl+e " + does) {
			t.Errorf("%q shows nothing more", does)
		}
	}
	for _, does := range []string{"accept", "cancel", "allow", "reshow"} {
		if showsMore("enter accept · ctrl+e " + does) {
			t.Errorf("%q shows more", does)
		}
	}
}

// TestAScrollbarBesideADialogIsDoubted: two rows end in one column in a bar, one of them in its thumb. Text may end so too, in one row or
// in another column.
func TestAScrollbarBesideADialogIsDoubted(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		doubted       bool
	}{
		"thumb and track":     {"rm -rf build     █", "rm -rf dist      │", true},
		"thumb alone":         {"rm -rf build     █", "rm -rf dist      █", true},
		"track alone":         {"rm -rf build     │", "rm -rf dist      │", false},
		"in one row":          {"rm -rf build     █", "rm -rf dist", false},
		"in two columns":      {"rm -rf build    █", "rm -rf dist       █", false},
		"at the end of words": {"rm -rf build-----█", "rm -rf dist------█", false},
	} {
		rows := []string{"Run this command?", "  " + c.first, "  " + c.second, "", "❯ 1. Yes", "  2. No", "", "enter accept · esc cancel"}
		d := Lay(Parse(strings.Join(rows, "\n"))).AnyDialog()
		if d == nil {
			t.Errorf("%s: no dialog", name)
			continue
		}
		p := d.Prompt("")
		if got := slices.ContainsFunc(p.Doubts, func(why reason.Why) bool { return why.Kind == reason.RowsCutOff }); got != c.doubted {
			t.Errorf("%s: %v", name, p.Doubts)
		}
	}
}
