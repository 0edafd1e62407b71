package main

import (
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"nod/detect/screen"
)

// TestRolesBesideAPaneAsWideAsTheTerminal: a terminal that breaks the rows by itself tears the column of roles apart.
func TestRolesBesideAPaneAsWideAsTheTerminal(t *testing.T) {
	command := "echo " + strings.Repeat("0123456789", 6) + " 漢字漢字 && rm -rf build"
	rows := []screen.Drawn{
		{Role: screen.Border, Text: strings.Repeat("─", 80)},
		{Role: screen.Subject, Text: command},
		{Role: screen.Outside, Text: ""},
		{Role: screen.Choice, Text: "❯ 1. Yes"},
	}
	for _, columns := range []int{40, 80, 200} {
		out := &frame{columns: columns}
		printRows(out, rows)
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")[1:]
		shown := ""
		for _, line := range lines {
			if w := runewidth.StringWidth(line); w > columns {
				t.Errorf("a row of %d columns on a terminal of %d: %q", w, columns, line)
			}
			if role, text, _ := strings.Cut(line, " │ "); strings.HasPrefix(role, "subject") {
				shown = text
			} else if text, goesOn := strings.CutPrefix(line, strings.Repeat(" ", checkIndent-2)+"┆ "); goesOn {
				shown += text
			}
		}
		if shown != command {
			t.Errorf("on %d columns the subject is %q", columns, shown)
		}
		if rules := strings.Count(out.String(), "──"); columns == 80 && rules != (80-checkIndent)/2 {
			t.Errorf("the edge takes more than its row:\n%s", out)
		}
	}
}

// TestRolesAreColoured where colours are shown, and nowhere else.
func TestRolesAreColoured(t *testing.T) {
	for _, colours := range []bool{false, true} {
		out := &frame{columns: 80, colours: colours}
		printRows(out, []screen.Drawn{{Role: screen.Subject, Text: "make"}, {Role: screen.Outside, Text: "$"}})
		if got := strings.Contains(out.String(), "\x1b[33msubject"); got != colours || strings.Count(out.String(), "\x1b[0m") > 1 {
			t.Errorf("colours %t: %q", colours, out.String())
		}
	}
}
