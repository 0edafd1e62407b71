package message

import (
	"slices"
	"strings"
	"testing"

	"nod/internal/text/visible"
)

func TestScreenOnAPhone(t *testing.T) {
	long := func(s string) string { return strings.Repeat(s, 100) }
	for _, c := range []struct {
		name     string
		in, want []string
	}{
		{"rules", []string{long("─"), " " + long("╌"), long("═"), long("▔"), long("▁"), long("-"), long("=")},
			[]string{strings.Repeat("─", 24), " " + strings.Repeat("╌", 23), strings.Repeat("═", 24), strings.Repeat("▔", 24),
				strings.Repeat("▁", 24), strings.Repeat("-", 24), strings.Repeat("=", 24)}},
		{"a rule that fits", []string{"────────"}, []string{"────────"}},
		{"a frame", []string{"╭" + long("─") + "╮", "│ ls" + strings.Repeat(" ", 90) + "│", "├" + long("─") + "┤", "╰" + long("─") + "╯"},
			[]string{"╭" + strings.Repeat("─", 23), "│ ls", "├" + strings.Repeat("─", 23), "╰" + strings.Repeat("─", 23)}},
		{"a title in a rule", []string{"╭─ Edit file " + long("─") + "╮", "── a title that is longer than that " + long("─")},
			[]string{"╭─ Edit file ───────────", "── a title that is longer than that ──"}},
		{"a full row loses its edge like the others", []string{"│ full│", "│ a           │"}, []string{"│ full", "│ a"}},
		{"a table", []string{"│ a │ b   │ c     │"}, []string{"│ a │ b   │ c"}},
		{"no box", []string{"ls | wc", "a             b", "cat x |", "| a | b |", "yes │", "│ half open"},
			[]string{"ls | wc", "a             b", "cat x |", "| a | b |", "yes │", "│ half open"}},
		{"blank rows", []string{"a", "", "", "   ", "b", "", "c"}, []string{"a", "", "b", "", "c"}},
		{"blank rows of a box", []string{"│ a    │", "│      │", "│      │", "│ b    │"}, []string{"│ a", "│", "│ b"}},
		{"words with rule characters", []string{"rm " + long("-"), long("-") + " x", long("-=")}, []string{"rm " + long("-"), long("-") + " x", long("-=")}},
		{"a margin", []string{"   a", "", " ", "  b", "    c"}, []string{" a", "", "b", "  c"}},
		{"no margin", []string{"a", "  b"}, []string{"a", "  b"}},
		{"nothing", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := forPhone(c.in)
			if !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
			if again := forPhone(got); !slices.Equal(again, got) {
				t.Errorf("a second time it is\n%s", strings.Join(again, "\n"))
			}
		})
	}
}

func TestScreenShowsWhatItHolds(t *testing.T) {
	rows := []string{"❯\u00a0rm a\u00a0b", "  ⎿\u00a0 \u00a0$ l\u200bs", "\u00a0 4 \u00a0-x"}
	want := []string{"❯ rm a<U+00A0>b", "  ⎿   $ l<U+200B>s", "  4 <U+00A0>-x"}
	if got := ScreenLines(rows, goldenStyle()); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// FuzzScreenOnAPhone: whatever a screen shows, its words stay, in their order.
func FuzzScreenOnAPhone(f *testing.F) {
	f.Add("│ rm -rf build      │\n╭──────────────────────────────╮\n\n\n  y")
	words := func(rows []string) string {
		return strings.Map(func(r rune) rune {
			if r == ' ' || edge(r) || drawn(r) || strings.ContainsRune("-=_~*·", r) {
				return -1
			}
			return r
		}, strings.Join(rows, ""))
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows := strings.Split(visible.Text(text), "\n")
		if got, want := words(forPhone(rows)), words(rows); got != want {
			t.Errorf("%q became %q", want, got)
		}
	})
}
