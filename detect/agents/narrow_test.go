package agents

import (
	"fmt"
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestLabelsBrokenByTheirPane: an answer that its pane breaks is read whole, wherever its second row begins.
func TestLabelsBrokenByTheirPane(t *testing.T) {
	for file, want := range map[string]string{
		"claude/2.0.54-bash-50x30":   "Yes|Yes, and don't ask again for rm -rf build commands in /tmp/nodrig3925971667/project|Type here to tell Claude what to do differently",
		"continue/1.5.47-bash-50x30": "Continue|Continue + don't ask again|No, and tell Continue what to do differently",
	} {
		agent, _, _ := strings.Cut(file, "/")
		for _, kind := range []string{".txt", ".ansi"} {
			var got []string
			for _, o := range prompt(t, agent, capture(t, file+kind)).Options {
				got = append(got, o.Label)
			}
			if strings.Join(got, "|") != want {
				t.Errorf("%s: options %q", file+kind, got)
			}
		}
	}
}

// TestAFieldBrokenAtABlank: the blank that is where a text field is broken is part of its label.
func TestAFieldBrokenAtABlank(t *testing.T) {
	shown := capture(t, "claude/2.0.54-bash-50x30.txt")
	const row = "  3. Type here to tell Claude what to do different\nly\n"
	for broken, want := range map[string]string{
		"  3. Type here to tell Claude Code what to do now \nand differently\n":  "Type here to tell Claude Code what to do now and differently",
		"  3. Type here to tell Claude Code what to do next\n and differently\n": "Type here to tell Claude Code what to do next and differently",
	} {
		p := prompt(t, "claude", strings.Replace(shown, row, broken, 1))
		if got := p.Options[2]; got.Label != want || got.Scope != screen.Text {
			t.Errorf("%q is read as %+v", broken, got)
		}
	}
}

// TestARowBelowAnAnswerIsNotItsRest: only a row that did not fit beside the key hint goes on with an answer, and
// only one below a full text field.
func TestARowBelowAnAnswerIsNotItsRest(t *testing.T) {
	for name, c := range map[string]struct{ file, row, other string }{
		"it would have fitted":      {"continue/1.5.47-bash-50x30.txt", "No, and tell Continue what to do  (esc)", "No, and tell                      (esc)"},
		"the hint ends the label":   {"continue/1.5.47-bash-50x30.txt", "what to do  (esc)     │", "what to do (esc)      │"},
		"the field is not full":     {"claude/2.0.54-bash-50x30.txt", "what to do different\n", "what to do\n"},
		"the row is no text field":  {"claude/2.0.54-bash-50x30.txt", "3. Type here to tell Claude what to do different\n", "3. Open another dialog and tell it what to do it\n"},
		"no line tells the width":   {"claude/2.0.54-bash-50x30.txt", strings.Repeat("─", 50), ""},
		"the second row is no text": {"claude/2.0.54-bash-50x30.txt", "\nly\n", "\nI ran the command, it printed nothing.\nly\n"},
	} {
		shown := capture(t, c.file)
		changed := strings.Replace(shown, c.row, c.other, 1)
		if changed == shown {
			t.Fatalf("%s: nothing to replace", name)
		}
		if name == "no line tells the width" {
			_, changed, _ = strings.Cut(changed, "\n> SCENARIO")
		}
		agent, _, _ := strings.Cut(c.file, "/")
		if r := Read(agent, screen.Parse(changed)); r.Prompt != nil && len(r.Prompt.Approve) > 0 {
			t.Errorf("%s: %+v", name, r.Prompt)
		}
	}
}

// TestTheTitlesRestIsNoCommand: what is left on the screen of a Qwen title does not begin the subject, and no
// scrollbar is in it. Where the end of the command is hidden, the title's rest tells it.
func TestTheTitlesRestIsNoCommand(t *testing.T) {
	var steps []string
	for _, row := range strings.Split(capture(t, "qwen/0.24.4-tall-100x40.txt"), "\n")[4:28] {
		steps = append(steps, strings.TrimRight(strings.TrimPrefix(row, "     "), " │█"))
	}
	command := strings.Join(steps, "\n") + "\n... last 36 lines hidden ...\n"
	for _, kind := range []string{".txt", ".ansi"} {
		p := prompt(t, "qwen", capture(t, "qwen/0.24.4-tall-100x40"+kind))
		rest, ok := strings.CutPrefix(p.Subject, command)
		if !ok || !strings.HasSuffix(rest, "rm -rf build\necho ran >> tall.ran (Scripted step tall)\nAllow execution of: 'rm, echo'?") || !p.Partial || strings.ContainsAny(p.Subject, "│█") {
			t.Errorf("subject %q, partial %v", p.Subject, p.Partial)
		}
	}
	shown := strings.Replace(capture(t, "qwen/0.24.4-tall-100x40.txt"), "... last 36 lines hidden ...", "echo step 25                ", 1)
	if p := prompt(t, "qwen", shown); !strings.HasPrefix(p.Subject, strings.Join(steps, "\n")+"\necho step 25\n") {
		t.Errorf("the command is not the beginning of the subject: %q", p.Subject)
	}
}

// TestRowsUnderTheScrollbarArePartial: Qwen cuts rows at its scrollbar without a word.
func TestRowsUnderTheScrollbarArePartial(t *testing.T) {
	const file = "qwen/0.24.4-multi-80x24.txt"
	whole := capture(t, file)
	if p := prompt(t, "qwen", whole); p.Partial {
		t.Fatalf("%s is partial: %+v", file, p.Doubts)
	}
	const row = "     touch one.txt                                                             █"
	cut := strings.Replace(whole, row, "     touch one.txt "+strings.Repeat("x", len([]rune(row))-22)+"  █", 1)
	if p := prompt(t, "qwen", cut); cut == whole || !p.Partial {
		t.Errorf("subject %q is not partial", p.Subject)
	}
}

// TestCountedArgumentsAreNotSeen: Continue says of a tool that it does not know how many arguments a call has, also where what it is called with ends as a title does, with blank rows behind it.
func TestCountedArgumentsAreNotSeen(t *testing.T) {
	const preview = "│  ⎿ Will call"
	shown := capture(t, "continue/1.5.47-mcp-100x40.txt")
	blank := "│" + strings.Repeat(" ", 98) + "│\n"
	for _, between := range []string{"", blank, blank + "│  b)" + strings.Repeat(" ", 94) + "│\n"} {
		at := strings.LastIndex(shown, preview)
		p := Read("continue", screen.Parse(shown[:at]+between+shown[at:])).Prompt
		if p == nil || !p.Partial || !strings.Contains(p.Subject, "Will call append_line with 1 argument") {
			t.Errorf("%q between the title and the preview: %+v", between, p)
		}
	}
}

// TestNoKeyWhereTwoMarksDisagree: a list with a cursor and a ring beside it has no proven highlight.
func TestNoKeyWhereTwoMarksDisagree(t *testing.T) {
	const shown = "◆  Goose would like to call the above tool, do you allow?\n│❯ %s Allow\n│  %s Always Allow\n│  ○ Deny\n│  ○ Cancel\n└  Allow the tool call once\n"
	for _, marks := range [][]any{{"●", "○"}, {"○", "●"}} {
		if r := Read("goose", screen.Parse(fmt.Sprintf(shown, marks...))); r.Prompt != nil && len(r.Prompt.Approve) > 0 {
			t.Errorf("%q: approve with %q of %+v", marks, r.Prompt.Approve, r.Prompt.Options)
		}
	}
}
