package agents

import (
	"strings"
	"testing"

	"nod/detect/screen"
)

// TestButtonsAboveAnInputBoxAreToldAndNeverPressed: the box takes their keys as letters. Without grounds of
// their own, one has to say yes and one no: else they may be text.
func TestButtonsAboveAnInputBoxAreToldAndNeverPressed(t *testing.T) {
	const ground, plain = "\x1b[48;5;153m", "\x1b[0m"
	const box = "\n╭──────────────────────────────╮\n│ \x1b[7m \x1b[0m                            │\n╰──────────────────────────────╯\n / for commands\n"
	for name, c := range map[string]struct {
		row  string
		told bool
	}{
		"numbers":                   {ground + "  Run (1)  " + plain + " " + ground + "  Reject (2)  " + plain, true},
		"letters":                   {ground + " Go on (g) " + plain + "  " + ground + " Deny (d) " + plain, true},
		"no grounds":                {"   Run (1)      Reject (2)  ", true},
		"no grounds, no yes":        {"   Go on (g)    Deny (d)  ", false},
		"one ground for all":        {ground + "  Run (1)     Reject (2)  " + plain, true},
		"words beside them":         {"see " + ground + " Run (1) " + plain + " and " + ground + " Reject (2) " + plain, false},
		"the same key twice":        {ground + " Run (1) " + plain + " " + ground + " Reject (1) " + plain, false},
		"none of them says no":      {ground + " New task (1) " + plain + " " + ground + " Another one (2) " + plain, false},
		"keys of several letters":   {ground + " Run (enter) " + plain + " " + ground + " Reject (esc) " + plain, true},
		"one of them prints no key": {ground + " Run " + plain + " " + ground + " Reject (2) " + plain, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := Read("newagent", screen.Parse("● The agent wants to run: rm -rf build\n\n"+c.row+box))
			if r.State.Asks() != c.told {
				t.Fatalf("it is %s", r.State)
			}
			if !c.told {
				return
			}
			p := r.Prompt
			if r.State != screen.Question || !p.AtTerminal || len(p.Approve)+len(p.Deny) > 0 {
				t.Errorf("it can be answered: %s, %q, %q", r.State, p.Approve, p.Deny)
			}
			for i := range p.Options {
				if steps := p.Choose(i); len(steps) > 0 {
					t.Errorf("option %d has keys: %v", i, steps)
				}
			}
			if !strings.Contains(p.Question+p.Subject, "rm -rf build") {
				t.Errorf("what it asks is not told: %q, %q", p.Question, p.Subject)
			}
		})
	}
}

// TestKeysBelowAListWithACursorAreNoAnswer: what somebody else writes into the row below it may look like buttons, and their keys may mean
// anything to the list.
func TestKeysBelowAListWithACursorAreNoAnswer(t *testing.T) {
	const list = "────────────────────────────────────────\n Bash command\n\n   rm -rf build\n\n Do you want to proceed?\n ❯ 1. Yes\n   2. Yes, and always\n   3. No\n\n"
	for _, row := range []string{" Esc to cancel", "  [A]llow [D]eny", "  Allow (a)   Deny (d)", "  y allow   n deny"} {
		r := Read("newagent", screen.Parse(list+row+"\n"))
		if r.Prompt == nil {
			t.Errorf("%q: it is not told", row)
			continue
		}
		for _, s := range r.Prompt.Steps(screen.Approve) {
			if i, err := chosen(r.Prompt, r.Prompt.Steps(screen.Approve)); err != nil || r.Prompt.Options[i].Label != "Yes" {
				t.Errorf("%q: y is %v", row, s)
			}
		}
	}
}

// TestButtonsBelowAFrameThatSomebodyTyped: buttons right below a frame of another look are live; typed text has one look, its frames too.
func TestButtonsBelowAFrameThatSomebodyTyped(t *testing.T) {
	const above, below = "│ rm -rf build                     │\n│                                  │\n", "╰──────────────────────────────────╯\n"
	live := "\x1b[90m" + above + below + "\x1b[39m \x1b[97m[A]llow [D]eny\x1b[39m\n"
	if r := Read("nobody", screen.Parse(live)); r.State != screen.Permission {
		t.Errorf("live: %s %q", r.State, r.Why)
	}
	for _, typed := range []string{
		"\x1b[97m" + above + below + " [A]llow [D]eny\x1b[39m\n",
		"\x1b[97m" + above + "\x1b[90m" + below + "\x1b[97m \n [A]llow [D]eny\x1b[39m\n",
		"\x1b[90m● I ran it\n╭──────────────────────────────────╮\n\x1b[97m│ [A]llow [D]eny                   │\n\x1b[90m" + below,
	} {
		if r := Read("nobody", screen.Parse(typed)); r.State.Asks() {
			t.Errorf("%s %q in\n%s", r.State, r.Why, typed)
		}
	}
}
