package agents

import (
	"fmt"
	"strings"
	"testing"

	"nod/detect/screen"
)

// flow wraps s at width as terminals' layout engines do, rows after the first one indented.
func flow(s string, width, indent int) []string {
	var rows []string
	row := ""
	for _, w := range strings.Fields(s) {
		if row != "" && len([]rune(row))+1+len([]rune(w)) > width {
			rows = append(rows, row)
			row = strings.Repeat(" ", indent) + w
			continue
		}
		if row == "" {
			row = w
		} else {
			row += " " + w
		}
	}
	return append(rows, row)
}

// drawnClaude draws a dialog as Claude Code 2 does in a pane of that width.
func drawnClaude(width int, command string) string {
	var b strings.Builder
	put := func(indent int, rows ...string) {
		for _, r := range rows {
			b.WriteString(strings.Repeat(" ", indent) + r + "\n")
		}
	}
	put(0, strings.Repeat("─", width))
	put(1, "Bash command", "Remove the build")
	put(0, strings.Repeat("╌", width))
	put(1, command)
	put(0, strings.Repeat("╌", width))
	put(1, "Do you want to proceed?", "❯ 1. Yes")
	for i, label := range []string{
		"2. Yes, and don't ask again for rm and touch and some other commands in /home/somebody/src/project",
		"3. Yes, and switch to auto mode · auto mode handles these prompts for you", "4. No",
	} {
		_ = i
		put(3, flow(label, width-4, 3)...)
	}
	put(0, "")
	put(1, "Esc to cancel · Tab to amend")
	return b.String()
}

// drawnBox draws a dialog as agents with a frame do.
func drawnBox(width int, cursor, command string, labels ...string) string {
	inner := width - 4
	rows := []string{"? Shell  " + command, "", command, "", "Allow execution of [Shell]?", ""}
	for i, l := range labels {
		mark := "  "
		if i == 0 {
			mark = cursor + " "
		}
		for k, part := range flow(fmt.Sprintf("%d. %s", i+1, l), inner-4, 3) {
			if k > 0 {
				mark = "  "
			}
			rows = append(rows, mark+part)
		}
	}
	var b strings.Builder
	b.WriteString("╭" + strings.Repeat("─", width-2) + "╮\n")
	for _, r := range rows {
		b.WriteString("│ " + r + strings.Repeat(" ", max(inner-len([]rune(r)), 0)) + " │\n")
	}
	b.WriteString("╰" + strings.Repeat("─", width-2) + "╯\n")
	return b.String()
}

// drawnCodex draws a dialog as Codex does.
func drawnCodex(width int, command string) string {
	rows := []string{"• Running " + command, "", ""}
	for _, r := range flow("Would you like to run the following command?", width-2, 0) {
		rows = append(rows, "  "+r)
	}
	rows = append(rows, "", "  $ "+command, "")
	for i, l := range []string{"Yes, proceed (y)", "Yes, and don't ask again for commands that start with `rm -rf` (p)", "No, and tell Codex what to do differently (esc)"} {
		for k, part := range flow(fmt.Sprintf("%d. %s", i+1, l), width-2, 3) {
			mark := "  "
			if i == 0 && k == 0 {
				mark = "› "
			}
			rows = append(rows, mark+part)
		}
	}
	return strings.Join(append(rows, "", "  Press enter to confirm or esc to cancel"), "\n")
}

// TestWidths reads dialogs at every width from 50 to 200: the same question, answers and keys.
func TestWidths(t *testing.T) {
	const command = "touch made && rm -rf build"
	for name, c := range map[string]struct {
		agent, approve, deny string
		draw                 func(width int) string
	}{
		"claude": {"claude", "1", "4", func(w int) string { return drawnClaude(w, command) }},
		"codex":  {"codex", "y", "Escape", func(w int) string { return drawnCodex(w, command) }},
		"gemini": {"gemini", "1", "4", func(w int) string {
			return drawnBox(w, "●", command, "Allow once", "Allow for this session, that is until the program is left", "Modify with external editor", "No, suggest changes (esc)")
		}},
		"nobody": {"nobody", "Down Up Enter", "Down Down Down Enter", func(w int) string {
			return drawnBox(w, "❯", command, "Allow once", "Allow for this session, that is until the program is left for good", "Always allow commands that begin with touch and with rm", "No, suggest changes")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var first *screen.Prompt
			for width := 50; width <= 200; width++ {
				shown := c.draw(width)
				r := Read(c.agent, screen.Parse(shown))
				if r.State != screen.Permission {
					t.Fatalf("width %d: %s %q\n%s", width, r.State, r.Why, shown)
				}
				p := r.Prompt
				if a, d := strings.Join(p.Approve, " "), strings.Join(p.Deny, " "); a != c.approve || d != c.deny || !strings.Contains(p.Subject, command) {
					t.Fatalf("width %d: approve %q deny %q subject %q %+v\n%s", width, a, d, p.Subject, p.Options, shown)
				}
				if first == nil {
					first = p
				}
				if !p.Same(first) {
					t.Fatalf("width %d: another fingerprint: %q %q %+v, not %q %q %+v\n%s", width, p.Question, p.Subject, p.Options, first.Question, first.Subject, first.Options, shown)
				}
			}
		})
	}
}
