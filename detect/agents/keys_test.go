package agents

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nod/detect/screen"
	"nod/internal/reason"
)

// TestStepsOnTheWay: on a menu that is answered with Enter, each key that moves the highlight leaves fewer
// steps, and Enter is the key only where the option meant is highlighted.
func TestStepsOnTheWay(t *testing.T) {
	at := func(marked int) string {
		rows := []string{"Yes, single permission", "Trust, always allow in this session", "No (Tab to edit)"}
		shown := strings.Repeat("─", 60) + "\n↓ Shell pwd\n\n shell requires approval\n"
		for i, r := range rows {
			mark := "   "
			if i == marked {
				mark = " ❯ "
			}
			shown += mark + r + "\n"
		}
		return shown + "ESC to close · Tab to edit\n"
	}
	for marked, want := range map[int]string{0: "Enter", 1: "Up Enter", 2: "Up Up Enter", 9: ""} {
		r := Read("kiro-cli", screen.Parse(at(marked)))
		if marked == 9 {
			if r.Prompt != nil && len(r.Prompt.Approve) > 0 {
				t.Errorf("approves with %q where no row is highlighted", r.Prompt.Approve)
			}
			continue
		}
		if got := strings.Join(r.Prompt.Approve, " "); got != want {
			t.Errorf("highlighted %d: %q, want %q", marked, got, want)
		}
	}
}

// TestKiloDeniesInTwoSteps: Escape opens a dialog of its own, and only in that one Enter denies.
func TestKiloDeniesInTwoSteps(t *testing.T) {
	p := prompt(t, "kilo", capture(t, "kilo/7.7.9-bash-80x24.ansi"))
	want := []screen.Step{{Key: "Escape", Opens: "kilo.reject", Ends: true}, {Key: "Enter", Last: true}}
	if got := p.Steps(screen.Deny); !slices.Equal(got, want) {
		t.Fatalf("deny %v, want %v", got, want)
	}
	r := Read("kilo", screen.Parse(capture(t, "kilo/7.7.9-bash+deny-80x24.ansi")))
	if r.State != screen.Overlay || r.Prompt == nil || r.Prompt.Shape != "kilo.reject" || len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
		t.Errorf("the dialog that Escape opens: %s %+v", r.State, r.Prompt)
	}
	if r := Read("kilo", screen.Parse(capture(t, "kilo/7.7.9-run+words-80x30.txt"))); r.Prompt == nil || r.Prompt.Shape == "kilo.reject" {
		t.Errorf("with words in its field: %+v", r.Prompt)
	}
}

// TestKilosRejectOpensADialog: Enter on the answer that says no is not the last key either.
func TestKilosRejectOpensADialog(t *testing.T) {
	p := prompt(t, "kilo", capture(t, "kilo/7.7.9-bash-80x24.ansi"))
	want := []screen.Step{{Key: "Right"}, {Key: "Right"}, {Key: "Enter", Opens: "kilo.reject"}, {Key: "Enter", Last: true}}
	if got := p.Choose(2); p.Options[2].Scope != screen.No || !slices.Equal(got, want) {
		t.Errorf("%+v is chosen with %+v", p.Options[2], got)
	}
}

// TestOpenCodeDeniesWithoutColours: Escape denies wherever the highlight stands.
func TestOpenCodeDeniesWithoutColours(t *testing.T) {
	for _, ext := range []string{".txt", ".ansi"} {
		if p := prompt(t, "opencode", capture(t, "opencode/1.18.33-bash-80x24"+ext)); !slices.Equal(p.Deny, []string{"Escape"}) {
			t.Errorf("%s: deny with %q", ext, p.Deny)
		}
	}
}

// TestColourAloneProvesTheHighlight: without colours OpenCode's and Kilo's Enter could take any button.
func TestColourAloneProvesTheHighlight(t *testing.T) {
	for _, agent := range []string{"opencode/1.18.33", "kilo/7.7.9"} {
		name, _, _ := strings.Cut(agent, "/")
		coloured := prompt(t, name, capture(t, agent+"-bash-80x24.ansi"))
		if coloured.Highlighted != 0 || !coloured.Colour || !slices.Equal(coloured.Approve, []string{"Enter"}) {
			t.Errorf("%s: highlighted %d, approve %q", agent, coloured.Highlighted, coloured.Approve)
		}
		plain := prompt(t, name, capture(t, agent+"-bash-80x24.txt"))
		if plain.Highlighted != -1 || len(plain.Approve) > 0 || plain.Why.IsZero() {
			t.Errorf("%s without colours: highlighted %d, approve %q", agent, plain.Highlighted, plain.Approve)
		}
		if !plain.Same(coloured) {
			t.Errorf("%s: colours change the fingerprint", agent)
		}
	}
}

// TestSecondDialogIsNeverEntered: "Allow always" opens one, so nothing chooses it.
func TestSecondDialogIsNeverEntered(t *testing.T) {
	for _, file := range []string{"opencode/1.18.33-bash-80x24.ansi", "kilo/7.7.9-bash-80x24.ansi"} {
		name, _, _ := strings.Cut(file, "/")
		p := prompt(t, name, capture(t, file))
		if got := p.Choose(1); got != nil {
			t.Errorf("%s: %v chooses %q", file, got, p.Options[1].Label)
		}
	}
	for _, file := range []string{"opencode/1.18.33-bash+always.always-confirm-80x24.ansi", "kilo/7.7.9-bash+always.always-confirm-80x24.ansi"} {
		name, _, _ := strings.Cut(file, "/")
		if r := Read(name, screen.Parse(capture(t, file))); r.State != screen.Overlay || r.Prompt != nil {
			t.Errorf("%s: %s %+v", file, r.State, r.Prompt)
		}
	}
}

// TestNoKeyIntoATextField: while words are in one of the options, a digit would be one of them.
func TestNoKeyIntoATextField(t *testing.T) {
	typing := strings.Replace(strings.Replace(capture(t, "claude/2.0.54-bash-80x24.txt"), "❯ 1.", "  1.", 1), "  3. Type here", "❯ 3. Type here", 1)
	p := prompt(t, "claude", typing)
	if len(p.Approve) > 0 || !p.TextField || p.Why.IsZero() {
		t.Errorf("approve %q with the cursor in a text field; %+v", p.Approve, p)
	}
}

// TestDenyIsNotTheLastNumber: today's Claude Code draws four answers, and the third one approves everything.
func TestDenyIsNotTheLastNumber(t *testing.T) {
	for file, want := range map[string]string{
		"claude/2.1.329-bash-80x24.txt":         "4",
		"claude/2.1.329-edit-80x24.txt":         "3",
		"claude/2.0.54-bash-80x24.txt":          "Escape",
		"claude/1.0.128-bash-tall-80x24.txt":    "2",
		"claude/2.1.329-bash-guarded-80x24.txt": "Escape",
		"codex/0.61.0-patch-80x24.txt":          "Escape",
		"copilot/1.0.102-bash-80x24.txt":        "Escape",
		"copilot/1.0.102-readoutside-80x24.txt": "Escape",
	} {
		name, _, _ := strings.Cut(file, "/")
		if p := prompt(t, name, capture(t, file)); strings.Join(p.Deny, " ") != want {
			t.Errorf("%s: deny %q, want %q", file, p.Deny, want)
		}
	}
}

// TestChooseNamedOption: every answer of a question that can be reached says how.
func TestChooseNamedOption(t *testing.T) {
	for file, want := range map[string][]string{
		"claude/2.1.329-question-80x24.txt":       {"1", "2", "3", "", "5"},
		"gemini/0.61.0-question-80x24.txt":        {"1", "2", ""},
		"copilot/1.0.102-question-80x24.txt":      {"Enter", "Down Enter", ""},
		"continue/1.5.47-question-80x24.txt":      {"Enter", "Down Enter", ""},
		"claude/2.1.329-trust-80x24.txt":          {"Enter", "Down Enter"},
		"codex/0.169.0-trust-80x24.txt":           {"Enter", "Down Enter"},
		"claude/2.1.329-question-multi-80x24.txt": {"", "", "", "", "5"},
	} {
		name, _, _ := strings.Cut(file, "/")
		p := prompt(t, name, capture(t, file))
		for i, w := range want {
			if got := strings.Join(keys(p.Choose(i)), " "); got != w {
				t.Errorf("%s: option %d by %q, want %q", file, i, got, w)
			}
		}
		if p.Choose(-1) != nil || p.Choose(len(p.Options)) != nil {
			t.Errorf("%s: an option that is not there can be chosen", file)
		}
	}
}

// TestNoNeverLetsAThingRun: where yes means to stop, no would let run what is asked about, so there is no key to
// either.
func TestNoNeverLetsAThingRun(t *testing.T) {
	for question, keys := range map[string]bool{
		"Run this command?":                            true,
		"Do you want to proceed?":                      true,
		"Do you want to create stop.py?":               true,
		"Block this command?":                          false,
		"Do you want to cancel the running command?":   false,
		"Work goes on in the background. Exit anyway?": false,
		"Are you sure you want to reject this?":        false,
		"Should I stop?":                               false,
		"Are you ready? Block it? (y/n)":               false,
		"Should this command be blocked?":              false,
		"Do you not want to run this?":                 false,
		"Don't run this command?":                      false,
		"Is this command a mistake?":                   false,
		"Any objections?":                              false,
		"Do you object?":                               false,
		"Keep asking?":                                 false,
		"Run it in the sandbox instead?":               false,
		"Do you want the agent to stop here?":          false,
		"Do you want the agent to run this?":           true,
		"Do you approve this command?":                 true,
		"Is this OK?":                                  true,
		"Is it OK to run this?":                        true,
		"Run without the sandbox?":                     true,
	} {
		for _, agent := range []string{"claude", "nobody"} {
			shown := strings.Repeat("─", 80) + "\n Bash command\n\n   rm -rf build\n\n " + question + "\n ❯ 1. Yes\n   2. No\n\n Esc to cancel\n"
			r := Read(agent, screen.Parse(shown))
			if r.Prompt == nil || (r.State == screen.Permission) != keys || (len(r.Prompt.Approve) > 0) != keys || (len(r.Prompt.Deny) > 0) != keys {
				t.Errorf("%s, %q: %s %+v", agent, question, r.State, r.Prompt)
			}
		}
	}
}

// TestAYesToALastingQuestionIsNoApproval: a bare yes means what the question asks. Where that lasts, or changes a mode, there is no key to y.
func TestAYesToALastingQuestionIsNoApproval(t *testing.T) {
	for question, once := range map[string]bool{
		"Allow rm?":                                      true,
		"Delete all files in this folder?":               true,
		"Save settings.json?":                            true,
		"Allow this command to run in this folder?":      true,
		"Do you want to allow this edit to all of it?":   true,
		"Do you want to allow rm for this session?":      false,
		"Allow all commands?":                            false,
		"Allow rm in this workspace?":                    false,
		"Always run rm?":                                 false,
		"Run rm without asking?":                         false,
		"Add rm to the allowlist?":                       false,
		"Switch to auto mode?":                           false,
		"Disable the sandbox?":                           false,
		"Is it OK to run all of these for this session?": false,
	} {
		for _, yes := range []string{"Yes", "Approve", "Allow once"} {
			shown := "● I will do it now.\n\n Bash command\n\n   rm -rf build\n\n " + question + "\n ❯ " + yes + "\n   No\n\n ↑/↓ select · enter confirm\n"
			r := Read("nobody", screen.Parse(shown))
			if r.State != screen.Permission || (len(r.Prompt.Approve) > 0) != (once || yes == "Allow once") || len(r.Prompt.Deny) == 0 {
				t.Errorf("%q, %s: %s %+v", question, yes, r.State, r.Prompt)
			}
		}
	}
}

// TestAnotherControlOfTheDialogLeavesNoKey: what is ticked or set beside the answers may make them last.
func TestAnotherControlOfTheDialogLeavesNoKey(t *testing.T) {
	keyed := func(above, between, below, list string) bool {
		shown := "● I will do it now.\n\n " + above + "\n\n   rm -rf build\n\n Run it?\n " + between + "\n" + list + below + "\n\n ↑/↓ select · enter confirm\n"
		r := Read("nobody", screen.Parse(shown))
		if !r.State.Asks() {
			t.Fatalf("%s\n%s", r.State, shown)
		}
		return len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0
	}
	for _, list := range []string{"\n ❯ Yes\n   No\n", "\n [y] Yes\n [n] No\n"} {
		for _, set := range []string{"[x] Remember this", "[✓] Apply to all", "☑ Remember this", "(●) This session  (○) Once", "◉ All files", "Scope: ‹ session ›"} {
			if keyed(set, "", "", list) || keyed("Tool call", set, "", list) {
				t.Errorf("%q: a key", set)
			}
		}
		for _, plain := range []string{"[ ] Remember this", "☐ Remember this", "[!] Look at it", "Scope: once", "- [x] done"} {
			if !keyed(plain, "", "", list) || !keyed("Tool call", plain, "", list) {
				t.Errorf("%q: no key", plain)
			}
		}
		if keyed("Tool call", "For this session:", "", list) || !keyed("Tool call", "Answers:", "", list) {
			t.Errorf("a heading above%s", list)
		}
	}
	for below, want := range map[string]bool{"\n [x] Remember this": false, "\n [ ] Remember this": true} {
		if keyed("Tool call", "", below, "\n ❯ Yes\n   No\n") != want {
			t.Errorf("%q: %v", below, !want)
		}
	}
	for row, want := range map[string]bool{" ❯ Yes      No      [x] Remember": false, " ❯ Yes      No": true, " Always:   ❯ Yes      No": false} {
		if keyed("Tool call", "", "", "\n"+row+"\n") != want {
			t.Errorf("%q: %v", row, !want)
		}
	}
}

// TestGrokIsNeverAnsweredWithEnter: the row that is marked at first allows everything from then on.
func TestGrokIsNeverAnsweredWithEnter(t *testing.T) {
	seen := 0
	for _, l := range labels(t) {
		if l.Agent != "grok" || l.State != screen.Permission {
			continue
		}
		p := prompt(t, "grok", capture(t, l.coloured()))
		for i := range p.Options {
			if steps := p.Choose(i); slices.Contains(keys(steps), "Enter") {
				t.Errorf("%s: %q is chosen with %v", l.File, p.Options[i].Label, steps)
			}
		}
		seen++
	}
	if seen < 15 {
		t.Errorf("only %d permissions of Grok's", seen)
	}
}

// TestNoKeyWhileGroksFocusIsElsewhere: what the digits do then was not proven.
func TestNoKeyWhileGroksFocusIsElsewhere(t *testing.T) {
	p := prompt(t, "grok", capture(t, "grok/1.0.41-bash+esc.parked-80x24.ansi"))
	if len(p.Approve)+len(p.Deny) > 0 || p.Choose(1) != nil || p.Why.Kind != reason.FocusElsewhere {
		t.Errorf("approve %q, deny %q: %+v", p.Approve, p.Deny, p.Why)
	}
}

// TestCrushPrintsItsKeysByUnderlining: the letter is told by its look, so that a capture without looks has no key but Escape.
func TestCrushPrintsItsKeysByUnderlining(t *testing.T) {
	shown := capture(t, "crush/main-37f36e93-bash-80x24.ansi")
	if p := prompt(t, "crush", shown); !slices.Equal(p.Approve, []string{"a"}) || !slices.Equal(p.Deny, []string{"d"}) {
		t.Errorf("approve %q, deny %q", p.Approve, p.Deny)
	}
	plain := prompt(t, "crush", capture(t, "crush/main-37f36e93-bash-80x24.txt"))
	if len(plain.Approve) > 0 || !slices.Equal(plain.Deny, []string{"Escape"}) {
		t.Errorf("without looks: approve %q, deny %q", plain.Approve, plain.Deny)
	}
	// Another letter underlined is another key.
	if r := Read("crush", screen.Parse(strings.Replace(shown, "\x1b[4m\x1b[38;5;231mA\x1b[0m", "\x1b[38;5;231mA\x1b[0m", 1))); r.Prompt != nil && len(r.Prompt.Approve) > 0 {
		t.Errorf("with nothing underlined: approve %q", r.Prompt.Approve)
	}
}

// TestWhatStandsBesideAPopUpIsNotAsked: the conversation goes on there, and is no part of the question.
func TestWhatStandsBesideAPopUpIsNotAsked(t *testing.T) {
	shown := capture(t, "crush/main-37f36e93-bash-80x24.ansi")
	p := prompt(t, "crush", shown)
	moved := prompt(t, "crush", strings.Replace(shown, "Requesting pe", "Answering xx ", 1))
	if strings.Contains(p.Subject, "Requesting") || !p.Same(moved) {
		t.Errorf("subject %q, and with other text beside it %q", p.Subject, moved.Subject)
	}
}

// TestAuggiesOtherBoxesHaveNoKeys: a box of Auggie's with other letters asks for no call, and its D moves down.
func TestAuggiesOtherBoxesHaveNoKeys(t *testing.T) {
	for _, file := range []string{"auggie/0.36.0-bash-80x24.txt", "auggie/0.36.0-mlcmd-80x24.txt"} { // the title of the latter has left the pane
		for _, letters := range []string{" [E]dit [D]elete", " [U]p [D]own", " [A]llow [D]own", " [A]dd [D]eny"} {
			r := Read("auggie", screen.Parse(strings.Replace(capture(t, file), " [A]llow [D]eny", letters, 1)))
			if r.Prompt != nil && len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
				t.Errorf("%s, %s: approve %q, deny %q", file, letters, r.Prompt.Approve, r.Prompt.Deny)
			}
		}
	}
}

// TestCrushInASmallPane: below 60 columns its box takes the place of everything, and below 46 the buttons stand below each other.
func TestCrushInASmallPane(t *testing.T) {
	button := func(label string, at, ground int) string {
		runes := []rune(label)
		return fmt.Sprintf("\x1b[48;5;%dm  %s\x1b[4m%c\x1b[24m%s  \x1b[49m", ground, string(runes[:at]), runes[at], string(runes[at+1:]))
	}
	allow, session, deny := button("Allow", 0, 207), button("Allow for Session", 10, 237), button("Deny", 0, 237)
	for name, c := range map[string]struct {
		width   int
		buttons []string
	}{
		"side by side": {56, []string{strings.Repeat(" ", 11) + allow + "  " + session + "  " + deny + " "}},
		"stacked":      {40, []string{strings.Repeat(" ", 14) + allow + strings.Repeat(" ", 15), strings.Repeat(" ", 8) + session + strings.Repeat(" ", 9), strings.Repeat(" ", 15) + deny + strings.Repeat(" ", 15)}},
	} {
		inside := c.width - 2
		rows := []string{" Permission Required ╱╱╱╱", "", " Tool bash", " Path /tmp/ws", " Desc Remove it", "", "   rm -rf build", "", ""}
		shown := "╭" + strings.Repeat("─", inside) + "╮\n"
		for _, row := range rows {
			shown += "│" + row + strings.Repeat(" ", inside-len([]rune(row))) + "│\n"
		}
		for _, row := range c.buttons {
			shown += "│" + row + "│\n"
		}
		footer := " ←/→ choose • enter confirm • esc exit"
		shown += "│" + strings.Repeat(" ", inside) + "│\n│" + footer + strings.Repeat(" ", inside-len([]rune(footer))) + "│\n╰" + strings.Repeat("─", inside) + "╯\n"
		r := Read("crush", screen.Parse(shown))
		if r.Prompt == nil {
			t.Errorf("%s: %s %q\n%s", name, r.State, r.Why, shown)
			continue
		}
		if p := r.Prompt; p.Leading() != "rm -rf build" || !slices.Equal(p.Approve, []string{"a"}) || !slices.Equal(p.Deny, []string{"d"}) || p.Highlighted != 0 {
			t.Errorf("%s: subject %q, approve %q, deny %q, highlighted %d", name, p.Leading(), p.Approve, p.Deny, p.Highlighted)
		}
	}
}
