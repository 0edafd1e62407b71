package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestAColourMarksAnAnswer: a list without a cursor is answered with Enter where a ground of its own marks one
// row, and of two rows only where its colours are reversed.
func TestAColourMarksAnAnswer(t *testing.T) {
	const top = " Run this command?\n   rm -rf build\n\n"
	const end = "\n ↑/↓ select · enter confirm · esc cancel\n"
	for name, c := range map[string]struct {
		list          string
		approve, deny string
	}{
		"one ground of three":    {"   No\n   \x1b[44mYes\x1b[0m\n   Yes, always\n", "Down Up Enter", "Up Enter"},
		"two grounds":            {"   \x1b[44mNo\x1b[0m\n   \x1b[45mYes\x1b[0m\n   Yes, always\n", "", ""},
		"all the same":           {"   \x1b[44mNo\x1b[0m\n   \x1b[44mYes\x1b[0m\n   \x1b[44mYes, always\x1b[0m\n", "", ""},
		"two rows, one a ground": {"   \x1b[44mYes\x1b[0m\n   No\n", "", ""},
		"two rows, one reversed": {"   \x1b[7mYes\x1b[0m\n   No\n", "Down Up Enter", "Down Enter"},
		"colours of letters":     {"   \x1b[36mYes\x1b[0m\n   No\n", "", ""},
	} {
		r := Read("nobody", screen.Parse(top+c.list+end))
		if r.State != screen.Permission {
			t.Errorf("%s: %s %q", name, r.State, r.Why)
			continue
		}
		if a, d := strings.Join(r.Prompt.Approve, " "), strings.Join(r.Prompt.Deny, " "); a != c.approve || d != c.deny {
			t.Errorf("%s: approve %q, deny %q", name, a, d)
		}
	}
}
