package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

func prompt(t *testing.T, agent, shown string) *screen.Prompt {
	t.Helper()
	r := Read(agent, screen.Parse(shown))
	if r.Prompt == nil {
		t.Fatalf("no prompt: %q\n%s", r.Why, shown)
	}
	return r.Prompt
}

// TestFingerprintOfAnotherCommand: whatever of the question changes, the fingerprint does, blanks included.
func TestFingerprintOfAnotherCommand(t *testing.T) {
	for agent, c := range map[string]struct{ dialog, command string }{
		"claude":   {claudeDialogText, "rm -rf build"},
		"codex":    {codexDialogText, "rm -rf build"},
		"gemini":   {geminiDialogText, "rm -rf build"},
		"opencode": {panelDialogText, "rm -rf build"},
		"cursor":   {cursorDialogText, "rm -rf build"},
	} {
		was := prompt(t, agent, c.dialog)
		for _, other := range []string{"rm -rf buil", "rm -rf  build", "rm -rf Build", "rm -rf build ;", "rm -rf bu ld"} {
			got := prompt(t, agent, strings.ReplaceAll(c.dialog, c.command, other))
			if got.Same(was) {
				t.Errorf("%s: %q and %q have one fingerprint", agent, c.command, other)
			}
		}
	}
}

// TestFingerprintKeepsRows: a command of two rows is another one than the same words in one row.
func TestFingerprintKeepsRows(t *testing.T) {
	one := prompt(t, "codex", codexDialogText)
	two := prompt(t, "codex", strings.Replace(codexDialogText, "$ rm -rf build", "$ rm -rf\n  build", 1))
	indented := prompt(t, "codex", strings.Replace(codexDialogText, "$ rm -rf build", "$ rm -rf\n    build", 1))
	if one.Same(two) || two.Same(indented) {
		t.Errorf("%q, %q and %q are not told apart", one.Subject, two.Subject, indented.Subject)
	}
}

// TestFingerprintOfLooks: the highlight, a spinner above and blank rows below are no part of the question.
func TestFingerprintOfLooks(t *testing.T) {
	was := prompt(t, "claude", claudeDialogText)
	moved := strings.Replace(strings.Replace(claudeDialogText, "❯ 1.", "  1.", 1), "   3.", " ❯ 3.", 1)
	for name, shown := range map[string]string{
		"another highlight": moved,
		"blank rows below":  claudeDialogText + "\n\n\n",
		"rows above":        "● Bash(rm)\n  ⎿  Running… (3s)\n\n" + claudeDialogText,
		"colours":           strings.ReplaceAll(claudeDialogText, "Yes", "\x1b[38;5;153mYes\x1b[39m"),
	} {
		if got := prompt(t, "claude", shown); !got.Same(was) {
			t.Errorf("%s changes the fingerprint: %q %q %+v", name, got.Question, got.Subject, got.Options)
		}
	}
	if got := prompt(t, "claude", moved); got.Highlighted != 2 {
		t.Errorf("highlighted %d, want 2", got.Highlighted)
	}
}

// TestFingerprintOfNothing: no prompt is the same as none.
func TestFingerprintOfNothing(t *testing.T) {
	var none *screen.Prompt
	if p := prompt(t, "claude", claudeDialogText); p.Same(none) || none.Same(p) || none.Same(none) || (&screen.Prompt{}).Same(&screen.Prompt{}) {
		t.Error("a prompt that was not read is the same as another")
	}
}

// TestFingerprintAcrossWidths: a question that fits is the same one in a window of another size.
func TestFingerprintAcrossWidths(t *testing.T) {
	for _, pair := range [][2]string{
		{"claude/2.1.329-bash-simple-80x24.txt", "claude/2.1.329-bash-simple-120x40.txt"},
		{"claude/2.1.329-edit-80x24.txt", "claude/2.1.329-edit-120x40.txt"},
		{"codex/0.169.0-escalate-80x24.txt", "codex/0.169.0-escalate-200x50.txt"},
		{"codex/0.169.0-escalate-50x30.txt", "codex/0.169.0-escalate-200x50.txt"},
	} {
		agent, _, _ := strings.Cut(pair[0], "/")
		// The sessions ran in folders of their own, which an option names.
		folder := strings.NewReplacer("/c1/", "/cc/", "/c2/", "/cc/", "/s1/", "/cc/", "/s2/", "/cc/")
		a, b := prompt(t, agent, folder.Replace(capture(t, pair[0]))), prompt(t, agent, folder.Replace(capture(t, pair[1])))
		if !a.Same(b) {
			t.Errorf("%v:\n%q %q %+v\n%q %q %+v", pair, a.Question, a.Subject, a.Options, b.Question, b.Subject, b.Options)
		}
	}
}
