package screen

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestRegions finds what a program draws apart: frames, boxes, bars, and the column of a side panel.
func TestRegions(t *testing.T) {
	panel := strings.Repeat("text"+strings.Repeat(" ", 26)+"│ Todo\n", 4)
	for _, c := range []struct{ screen, want string }{
		{"Run?\n❯ Yes\n  No", ""},
		{"╭──────╮\n│ Run? │\n╰──────╯", "frame 0-2, box 0-2"},
		{"│ Run? │\n╰──────╯", "frame -1-1 open"},
		{"some ╭──────╮ text\nmore │ Run? │ text\nand  ╰──────╯ text", "box 0-2"},
		{"some ┌ Ask ─┐ text\nmore │ Run? │ text\nand  └ esc ─┘ text", "box 0-2"},
		{"some ┌──┐ Ask ┐ text\nmore │ Run?   │ text\nand  └────────┘ text", ""},
		{"┃ Run?\n┃ rm a\n┃ Yes\nsaid\n▌ No", "bar 0-2, bar 4-4"},
		{"│ Run?\n ▌ Yes", "bar 0-0, bar 1-1"},
		{panel, "rule 30"},
		{"text      \x1b[44m Todo \x1b[0m\nmore      \x1b[44m      \x1b[0m", "ground 10"},
		{"text      \x1b[44m Todo \x1b[0m\nmore", ""},
	} {
		l := Lay(Parse(c.screen))
		var found []string
		for _, f := range l.frames {
			found = append(found, fmt.Sprintf("frame %d-%d%s", f.Top, f.Bottom, map[bool]string{true: " open"}[f.Open]))
		}
		for _, f := range l.boxes {
			found = append(found, fmt.Sprintf("box %d-%d", f.Top, f.Bottom))
		}
		for _, b := range l.bars {
			found = append(found, fmt.Sprintf("bar %d-%d", b.Top, b.Bottom))
		}
		if l.rule > 0 {
			found = append(found, fmt.Sprintf("rule %d", l.rule))
		}
		if l.ground > 0 {
			found = append(found, fmt.Sprintf("ground %d", l.ground))
		}
		if got := strings.Join(found, ", "); got != c.want {
			t.Errorf("%q: %q, want %q", c.screen, got, c.want)
		}
	}
}

// TestRuled finds what is between lines drawn across, from the bottom.
func TestRuled(t *testing.T) {
	for _, c := range []struct {
		screen string
		ruled  []Region
	}{
		{"────────\n> hello\n────────", []Region{{Top: 0, Bottom: 2}}},
		{"────────\n a\n────────\n b\n────────", []Region{{Top: 2, Bottom: 4}, {Top: 0, Bottom: 2}}},
		{"────────\n a\n╌╌╌╌╌╌╌╌\n b\n────────", []Region{{Top: 0, Bottom: 4, Open: true}}},
		{"  ────────\n  > hello\n  ────────", []Region{{Top: 0, Bottom: 2, Left: 2}}},
		{"╭──────╮\n│ > hi │\n╰──────╯", nil},
		{"hello\n────────", nil},
	} {
		if got := Lay(Parse(c.screen)).ruled; !slices.Equal(got, c.ruled) {
			t.Errorf("%q has %+v, want %+v", c.screen, got, c.ruled)
		}
	}
}

// TestAParagraphThatEndsAboveItsBeginning has no words: a dialog may begin below the row above its options.
func TestAParagraphThatEndsAboveItsBeginning(t *testing.T) {
	l := Lay(Parse("a\nb\nc\n"))
	if got := l.Paragraph(2, 0); got != "" {
		t.Errorf("it is %q", got)
	}
	if got := l.Paragraph(1, 2); got != "b c" {
		t.Errorf("that of two rows is %q", got)
	}
}
