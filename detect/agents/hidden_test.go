package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestNoCommandHidesItsPrompt: what a command says is no view that lies over the prompt about it, which nobody would be told of.
func TestNoCommandHidesItsPrompt(t *testing.T) {
	for _, tt := range []struct{ file, row, says string }{
		{"claude/2.1.329-bash-80x24", " touch rig-bash-ran && rm -rf build", " " + strings.Repeat("▔", 78)},
		{"codex/0.169.0-escalate-80x24", "  $ touch", "  $ echo 'Keyboard shortcuts for shell commands, to paste images'"},
		{"gemini/0.61.0-bash-80x24", "│ Allow execution of", "│ Allow execution of [Tab to change focus, Esc to close]?"},
		{"qwen/0.24.4-bash-80x24", "     2. Always allow", "     2. Always allow run 'Esc to close *' commands, run 'rm *' commands in"},
	} {
		for _, ext := range []string{".txt", ".ansi"} {
			c := canvasOf(capture(t, tt.file+ext))
			changed := 0
			for i := range c {
				if strings.HasPrefix(rowText(c[i]), tt.row) {
					c.write(i, 0, tt.says)
					changed++
				}
			}
			agent, _, _ := strings.Cut(tt.file, "/")
			if r := Read(agent, screen.Parse(c.String())); r.State != screen.Permission || changed == 0 {
				t.Errorf("%s, %d rows changed: %s, %q\n%s", tt.file, changed, r.State, r.Why, c.plain())
			}
		}
	}
}
