package agents

import (
	"strings"
	"testing"
	"unicode/utf8"

	"nod/detect/screen"
)

// TestVolatile: what turns and counts while an agent works is no change; what it writes is one. An agent
// without a list of such lines keeps every row.
func TestVolatile(t *testing.T) {
	for _, c := range []struct{ file, old, new string }{
		{"codex/0.61.0-working-80x24.txt", "• Working (2s", "◦ Working (37s"},
		{"copilot/1.0.102-streaming-80x24.txt", "● Working · 49 B", "◎ Working · 1.2 KB"},
		{"opencode/1.18.33-thinking-80x24.txt", "⬝⬝⬝⬝⬝⬝⬝⬝", "■■⬝⬝⬝⬝⬝⬝"},
		{"qwen/0.24.4-tool-running-80x24.txt", "⠦ Looking for a misplaced semicolon... (1s · ↑ 24", "⠧ Counting electrons... (9s · ↑ 99"},
		{"gemini/0.61.0-thinking-80x24.txt", "⠼ Executing", "⠸ Executing"},
	} {
		agent, _, _ := strings.Cut(c.file, "/")
		was := capture(t, c.file)
		now := strings.Replace(was, c.old, c.new, 1)
		if now == was {
			t.Fatalf("%s lacks %q", c.file, c.old)
		}
		a, b := Read(agent, screen.Parse(was)), Read(agent, screen.Parse(now))
		if a.Text != b.Text || a.State != screen.Working || b.State != screen.Working {
			t.Errorf("%s: %s %s\n%s\n%s", c.file, a.State, b.State, a.Text, b.Text)
		}
		if x, y := Read("nobody", screen.Parse(was)), Read("nobody", screen.Parse(now)); x.Text == y.Text {
			t.Errorf("%s: a row of an agent that nobody knows is stripped", c.file)
		}
	}
}

// TestTextIsTheBottom: fifteen rows above the trailing blank ones, and no more.
func TestTextIsTheBottom(t *testing.T) {
	r := Read("nobody", screen.Parse(strings.Repeat("above\n", 30)+strings.Repeat("row\n", 15)+"\n\n\n"))
	if r.Text != strings.Repeat("row\n", 15) {
		t.Errorf("%q", r.Text)
	}
}

// TestAnInputBoxInShellModeIsTold: the mark of an input box turns into "!" where its next line goes to a shell. An empty one
// looks like any other that is empty but for that.
func TestAnInputBoxInShellModeIsTold(t *testing.T) {
	boxes := map[string]int{}
	for _, l := range labels(t) {
		text, r := capture(t, l.File), asRead(t, l.Agent, l.File)
		if r.State != screen.Idle || r.Composer == nil || r.Composer.Draft != "" || strings.HasSuffix(l.File, ".ansi") {
			continue
		}
		rows := strings.Split(text, "\n")
		mark, _ := utf8.DecodeRuneInString(strings.TrimLeft(rows[r.Composer.Row], " │"))
		if !strings.ContainsRune(">❯›*", mark) {
			continue
		}
		rows[r.Composer.Row] = strings.Replace(rows[r.Composer.Row], string(mark), "!", 1)
		now := Read(l.Agent, screen.Parse(strings.Join(rows, "\n")))
		if now.State == screen.Idle && now.Composer != nil && !now.Composer.Shell && now.Composer.Draft == "" {
			t.Errorf("%s: the box in shell mode counts as empty:\n%s", l.File, rows[r.Composer.Row])
		}
		if now.Composer != nil && now.Composer.Shell {
			boxes[l.Agent]++
		}
	}
	for _, agent := range []string{"claude", "gemini", "qwen", "kimi"} {
		if boxes[agent] == 0 {
			t.Errorf("no input box of %s is told to be in shell mode", agent)
		}
	}
}

// TestComposer: what is in an input box, and not the hint that an empty one shows.
func TestComposer(t *testing.T) {
	for file, want := range map[string]string{
		"claude/2.1.329-idle-80x24.txt":        "",
		"claude/2.1.329-idle-draft-80x24.ansi": "draft",
		"codex/0.169.0-idle-80x24.txt":         "",
		"codex/0.169.0-idle-80x24.ansi":        "",
		"codex/0.61.0-idle-80x24.ansi":         "",
		"codex/0.169.0-idle-draft-80x24.ansi":  "draft",
		"gemini/0.61.0-idle-80x24.txt":         "",
		"qwen/0.24.4-idle-80x24.txt":           "",
		"qwen/0.24.4-write+approve-80x24.ansi": "", // a suggestion
		"qwen/0.24.4-mcp+approve-80x24.ansi":   "",
		"qwen/0.24.4-write+approve-80x24.txt":  "draft", // no colour tells that it is one
		"copilot/1.0.102-idle-80x24.txt":       "",
		"opencode/1.18.33-idle-80x24.txt":      "",
		"kilo/7.7.9-idle-80x24.txt":            "",
		"continue/1.5.47-idle-80x24.txt":       "",
		"pi/0.73.1-idle-80x24.txt":             "",
	} {
		agent, _, _ := strings.Cut(file, "/")
		r := Read(agent, screen.Parse(capture(t, file)))
		switch {
		case r.Composer == nil:
			t.Errorf("%s: no input box; %s", file, r.State)
		case want == "" && r.Composer.Draft != "", want != "" && r.Composer.Draft == "":
			t.Errorf("%s: draft %q", file, r.Composer.Draft)
		}
	}
}

// TestAHintUnderTheCursorIsNoDraft: all but its first character is dim (claude 2.1.330, after an error). A person's words are not, wherever the
// cursor is.
func TestAHintUnderTheCursorIsNoDraft(t *testing.T) {
	rule := strings.Repeat("─", 60)
	for box, draft := range map[string]string{
		"\x1b[7mO\x1b[0;2mnce fixed, resend\x1b[0m": "",
		"\x1b[7mO\x1b[0mnce fixed, resend":          "Once fixed, resend",
		"O\x1b[2mnce fixed, resend\x1b[0m":          "Once fixed, resend",
		"\x1b[7mO\x1b[0;2mnce fixed\x1b[0m, resend": "Once fixed, resend",
		"\x1b[7mO\x1b[0m":                           "O",
	} {
		r := Read("claude", screen.Parse("● Done.\n\n"+rule+"\n❯\u00a0"+box+"\n"+rule+"\n  ⏸ manual mode on · ? for shortcuts\n"))
		if r.Composer == nil || r.Composer.Draft != draft {
			t.Errorf("%q: %+v, want %q", box, r.Composer, draft)
		}
	}
}

// TestADraftIsNoSuggestion: of words, in its first row or below, and with the cursor at the beginning or elsewhere.
func TestADraftIsNoSuggestion(t *testing.T) {
	const ghost = "R\x1b[38;5;103m\x1b[49mIGDONE 1 results"
	suggestion := capture(t, "qwen/0.24.4-write+approve-80x24.ansi")
	for name, c := range map[string]struct{ was, is string }{
		"words":                       {ghost, "R\x1b[39m\x1b[49mIGDONE 1 results"},
		"a first word":                {ghost, "R\x1b[39m\x1b[49mIGDONE\x1b[38;5;103m 1 results"},
		"the cursor stands elsewhere": {"\x1b[48;5;252mR\x1b[38;5;103m\x1b[49m", "R\x1b[38;5;103m"},
		"all of it in that colour":    {"\x1b[39m\x1b[48;5;252mR\x1b[38;5;103m", "\x1b[38;5;103m\x1b[48;5;252mR"},
		"a row below":                 {"\x1b[38;5;103m/tmp/rig-oc/run/\n\x1b[38;5;153m─", "\x1b[39m/tmp/rig-oc/run/\n\x1b[38;5;153m─"},
	} {
		if strings.Count(suggestion, c.was) != 1 {
			t.Fatalf("%s: the capture has no %q", name, c.was)
		}
		if r := Read("qwen", screen.Parse(strings.Replace(suggestion, c.was, c.is, 1))); r.Composer == nil || r.Composer.Draft == "" {
			t.Errorf("%s: it reads %+v", name, r.Composer)
		}
	}
}

// TestGoosesEmptyLineHoldsNoDraft: its sign has several characters, none of which is of a draft; what is behind it is.
func TestGoosesEmptyLineHoldsNoDraft(t *testing.T) {
	const above = "\n⏱️  Elapsed time: 8.63s\nContext: ○○○○○○○○○○ 0% (3682/1000000 tokens)\n"
	for line, draft := range map[string]string{
		"( O)>": "", "( O)> ": "", "\x1b[36;1m( O)>\x1b[0m ": "", "\x1b[36;1m( O)>\x1b[0m \x1b[2mPress Enter to send, Ctrl-J for new line\x1b[0m": "",
		"( O)> Press Enter to send, Ctrl-J for new line": "", "( O)> ( O)>": "( O)>", "( O)> fix the test": "fix the test", "\x1b[36;1m( O)>\x1b[0m f": "f",
		"( O)> 1. fix the test": "1. fix the test",
	} {
		r := Read("goose", screen.Parse(above+line))
		if r.State != screen.Idle || r.Composer == nil || r.Composer.Draft != draft {
			t.Errorf("%q: %s, %+v; want %q", line, r.State, r.Composer, draft)
		}
	}
}
