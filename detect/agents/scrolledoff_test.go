package agents

import (
	"strings"
	"testing"
)

// TestNoHeadWithinACommand: a command that is taller than the pane pushes the head off the screen, and prints one.
func TestNoHeadWithinACommand(t *testing.T) {
	for file, change := range map[string]*strings.Replacer{
		"kimi/2.1.0-longcmd-80x24.txt": strings.NewReplacer(
			"     word088 word089 word090 word091 word092 word093 word094 word095 word096", "     "+strings.Repeat("─", 72),
			"     word097 word098 word099 word100 word101 word102 word103 word104 word105", "     ▶ Run this command?",
			"     word106 word107 word108 word109 word110 word111 word112 word113 word114", "",
			"     word115 word116 word117 word118 word119 > long.txt && rm -rf build", "     $ ls",
		),
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, ext := range []string{".txt", ".ansi"} {
			shown := canvasOf(capture(t, strings.TrimSuffix(file, ".txt")+ext)).plain()
			changed := change.Replace(shown)
			p := prompt(t, agent, changed)
			if changed == shown || !p.Partial && len(p.Approve) > 0 {
				t.Errorf("%s: %q is asked\n%s", file, p.Subject, changed)
			}
		}
	}
}

// TestNoVerbWithinACommand: nor does what such a command prints say what is asked for.
func TestNoVerbWithinACommand(t *testing.T) {
	for agent, shown := range map[string]string{
		"claude": " Fetch\n rm -rf build\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n",
		"qwen":   "    ? Edit notes.txt\n    rm -rf build\n\n  Allow execution of: 'rm'?\n\n  › 1. Yes, allow once\n    2. No\n\n  ⠏ Waiting for user confirmation...\n",
	} {
		if p := prompt(t, agent, shown); !p.Partial || p.Verb != "" {
			t.Errorf("%s: %q %q, in part: %t", agent, p.Verb, p.Subject, p.Partial)
		}
	}
}
