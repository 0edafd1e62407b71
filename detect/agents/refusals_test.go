package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestARuleThatNoCaptureNeeds changes a capture so that one rule of its agent alone decides how it is read.
func TestARuleThatNoCaptureNeeds(t *testing.T) {
	for _, tt := range []struct {
		what, agent, file string
		change            []string // what is there, and what is in its place
		state             screen.State
		shape             string
	}{
		{
			"text below the rule that closes Kimi's dialog", "kimi", "kimi/2.1.0-bash-80x24.txt",
			[]string{"────\n rig-model", "────\n It ran.\n It left nothing.\n Anything else?\n rig-model"}, screen.Silent, "",
		},
		{
			"a permission that a person's own command asks for", "claude", "claude/2.1.329-bash-80x24.txt",
			[]string{"❯ SCENARIO bash\n\n  Creating marker and removing build directory\n  ⎿  $ touch rig-bash-ran && rm -rf build\n", "❯ /deploy\n"},
			screen.Permission, "claude.tool_confirmation",
		},
		{
			"the mark on the row below the numbered ones", "claude", "claude/2.1.10-question-80x24.txt",
			[]string{"❯ 1. SQLite", "  1. SQLite", "  Chat about this", "❯ Chat about this"}, screen.Question, "claude.ask_user",
		},
		{
			"buttons of which no ground shows which is marked", "crush", "crush/main-37f36e93-bash-80x24.ansi",
			[]string{"\x1b[48;5;207m", "\x1b[48;5;237m"}, screen.Working, "",
		},
		{
			"bars of two colours beside a row of keys", "opencode", "opencode/1.0.152-parallel-100x40.ansi",
			[]string{"38;2;245;167;66m┃\x1b[38;2;255;255;255m\x1b[48;2;10", "38;2;20;20;20m┃\x1b[38;2;255;255;255m\x1b[48;2;10"}, screen.Working, "",
		},
		{
			"a shell's prompt below OpenCode's status row", "opencode", "opencode/1.0.152-parallel-100x40.txt",
			[]string{"1 MCP  /status", "1 MCP  /status\nuser@host:~$"}, screen.Idle, "",
		},
		{
			"a list of denied calls whose head is above the screen", "codex", "codex/0.169.0-denials-80x24.txt",
			[]string{"  Auto-review Denials", "", "  Action ", "  Awaits ", "\n↓\n", "\n\n"}, screen.Silent, "",
		},
		{
			"options whose letter is typed into a line", "cline", "cline/3.0.65-bash-80x24.txt",
			[]string{"[n] Deny", "[n] Deny:"}, screen.Silent, "",
		},
		{
			"a list without the bar of its panel", "opencode", "opencode/1.2.20-question-100x30.txt",
			[]string{"┃", " "}, screen.Question, "opencode.prompt",
		},
	} {
		text := capture(t, tt.file)
		for i := 0; i < len(tt.change); i += 2 {
			if !strings.Contains(text, tt.change[i]) {
				t.Errorf("%s: %s lacks %q", tt.what, tt.file, tt.change[i])
			}
		}
		r := Read(tt.agent, screen.Parse(strings.NewReplacer(tt.change...).Replace(text)))
		shape := ""
		if r.Prompt != nil {
			shape = r.Prompt.Shape
		}
		if r.State != tt.state || shape != tt.shape {
			t.Errorf("%s: it is %s %s, want %s %s", tt.what, r.State, shape, tt.state, tt.shape)
		}
	}
}
