package agents

import (
	"regexp"
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
		"two rows, one a ground": {"   \x1b[44mYes\x1b[0m\n   No\n", "Down Up Enter", "Down Enter"},
		"two grounds of two":     {"   \x1b[44mYes\x1b[0m\n   \x1b[7mNo\x1b[0m\n", "", ""},
		"a line under one":       {"   \x1b[4mYes\x1b[0m\n   No\n", "", ""},
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

// TestAQuestionOfOneLookIsTold: the line of a program that asks for a letter has one look, as what somebody types has. It is told if it
// is in a paragraph without the glyph of an input box and nothing is drawn around it.
func TestAQuestionOfOneLookIsTold(t *testing.T) {
	const top = "\x1b[1m[tool]\x1b[0m rm -rf build (\x1b[33mpending\x1b[39m)\n  input: rm -rf build\n\n"
	const line = "────────────────────────────────────────\n"
	for shown, want := range map[string]screen.State{
		top + "[permission] Allow rm -rf build [execute]? (y/N) \n": screen.Permission,
		top + "Run it? (y/N) \n":                                    screen.Permission,
		top + "Run it?\n1. Yes\n2. No\n\nChoice [1-2]: \n":          screen.Permission,
		top + "Run it?\n1. Yes\n2. No\n\nWhich one do you want?\n":  screen.Silent,
		top + "> Run it?\n1. Yes\n2. No\nChoice [1-2]: \n":          screen.Silent,
		top + "> Run it? (y/N) \n":                                  screen.Silent,
		top + "> remove the build\nRun it? (y/N) \n":                screen.Silent,
		top + line + "Run it? (y/N) \n" + line:                      screen.Silent,
		top + "┃\n┃ Run it? (y/N) \n┃\n":                            screen.Silent,
		top + "╭────────────────╮\n│ Run it? (y/N)  │\n╰────────────────╯\n": screen.Silent,
	} {
		if r := Read("nobody", screen.Parse(shown)); r.State != want {
			t.Errorf("%s %q, want %s, in\n%s", r.State, r.Why, want, shown)
		} else if r.Prompt != nil && len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
			t.Errorf("keys for\n%s", shown)
		}
	}
}

// TestACutLabelIsNoSilence: in a narrow pane Qwen (0.24.4, 30x16) cuts the question and the answer that says no, and wraps the row that
// says what it waits for. A marked answer that says yes is told, whatever turns below it.
func TestACutLabelIsNoSilence(t *testing.T) {
	const shown = "\x1b[38;5;153mrm -rf build && echo\x1b[39m\n\n   Allow execution of: '…\n\n" +
		"   \x1b[38;5;151m›\x1b[39m \x1b[38;5;151m1.\x1b[39m \x1b[38;5;151mYes, allow once\x1b[39m\n     2. Always allow run…\n     3. Always allow run…\n" +
		"     4. No, suggest chan…\n\n\n  ⠏ \x1b[38;5;183mWaiting for user confirmat\ni…\x1b[39m\n"
	for _, agent := range []string{"qwen", "nobody"} {
		if r := Read(agent, screen.Parse(shown)); r.State != screen.Question || len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
			t.Errorf("%s: %s %q", agent, r.State, r.Why)
		}
	}
}

// TestADialogOfOneLookIsAnsweredNowhere: keys of another look below it do not prove that nobody pasted it. Nobody's is told.
func TestADialogOfOneLookIsAnsweredNowhere(t *testing.T) {
	const shown = "\x1b[32m●\x1b[0m Bash(rm -rf build)\n\n" + "────────────────────────────────────────\n" +
		" Bash command\n\n   rm -rf build\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. No\n\n\x1b[90m Esc to clear · ? for shortcuts\x1b[0m\n"
	for _, agent := range append(Names(), "", "nobody") {
		r := Read(agent, screen.Parse(shown))
		if r.Prompt != nil && len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
			t.Errorf("%s: %q and %q", agent, r.Prompt.Approve, r.Prompt.Deny)
		}
	}
	if r := Read("nobody", screen.Parse(shown)); !r.State.Asks() {
		t.Errorf("%s %q", r.State, r.Why)
	}
}

// TestAnAgentWithoutColoursBelowAColouredShellIsTold: NO_COLOR is the agent's alone. What it asks gets no key, since pasted text looks so in
// colours, but for agents whose dialogs have another proof that they are live.
func TestAnAgentWithoutColoursBelowAColouredShellIsTold(t *testing.T) {
	t.Parallel()
	const shell = "\x1b[32mann@home\x1b[0m:\x1b[34m~/shop\x1b[0m$ agent\n\n"
	colours := regexp.MustCompile(`\x1b\[[0-9;:]*m`)
	told := 0
	for _, l := range labels(t) {
		plain := colours.ReplaceAllString(capture(t, l.coloured()), "")
		for _, agent := range []string{l.Agent, "nobody"} {
			alone := Read(agent, screen.Parse(plain))
			r := Read(agent, screen.Parse(shell+plain))
			switch {
			case alone.Prompt == nil && r.Prompt != nil && alone.State != screen.Overlay:
				t.Errorf("%s as %q: a prompt is there only below a coloured shell", l.File, agent)
			case alone.Prompt == nil || byName(agent).byStructure || alone.Prompt.First <= 0: // what fills the screen has no shell above it
			case r.Prompt == nil:
				t.Errorf("%s as %q: %s %q, and without the shell %s", l.File, agent, r.State, r.Why, alone.State)
			case alone.State.Asks():
				told++
			}
		}
	}
	if told < 600 {
		t.Errorf("%d prompts were read", told)
	}
}

// TestWithoutColoursBelowACommand: only the prompt of a shell, with the command that began an agent, is above the plain rows of one that nobody
// has catalogued. Below what else has colours they are what a command printed, or pasted text.
func TestWithoutColoursBelowACommand(t *testing.T) {
	t.Parallel()
	for above, want := range map[string]screen.State{
		"\x1b[32mann@home\x1b[0m:\x1b[34m~/shop\x1b[0m$ agent": screen.Question,
		"\x1b[36m~/shop\x1b[0m \x1b[32m❯\x1b[0m agent --fast":  screen.Question,
		"\x1b[32m➜\x1b[0m  \x1b[36mshop\x1b[0m agent":          screen.Question,
		"\x1b[32m$ cat notes\x1b[0m":                           screen.Silent,
		"\x1b[32m❯ what does it ask?\x1b[0m":                   screen.Silent,
		"\x1b[32m●\x1b[0m Bash(cat notes)":                     screen.Silent,
		"\x1b[32mann@home\x1b[0m:\x1b[34m~/shop\x1b[0m$":       screen.Silent,
	} {
		for _, agent := range []string{"nobody", "goose"} {
			r := Read(agent, screen.Parse(above+"\n\n Run this command?\n rm -rf build\n\n > Yes\n   No\n"))
			if r.State != want {
				t.Errorf("%q of %s: %s %q", above, agent, r.State, r.Why)
			} else if r.Prompt != nil && len(r.Prompt.Approve)+len(r.Prompt.Deny) > 0 {
				t.Errorf("%q of %s has keys", above, agent)
			}
		}
	}
}
