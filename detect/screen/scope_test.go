package screen

import (
	"math/rand/v2"
	"strings"
	"testing"

	"nod/internal/testrun"
)

func TestScopeOf(t *testing.T) {
	for scope, labels := range map[Scope][]string{
		Once: {
			"Yes", "yes", "Yes, proceed", "Allow once", "Yes, allow once", "Allow", "Approve", "Yes, just this once", "Run (once)", "Run", "Allow this time",
			"Yes, single permission", "Yes, but ask again next time", "Yes, run command", "Approve once", "Continue", "Accept", "Yes, allow this command",
			"Yes, execute this tool", "Execute", "Yes, write this file", "Allow execution", "Yes, apply the patch", "Run this tool",
			"Just this once", "Only this time", "Once",
		},
		Session: {
			"Allow for this session", "For this session", "Yes, allow reading from etc/ during this session", "Yes, and allow this host for this conversation",
			"Yes, grant these permissions for this turn", "Trust, always allow in this session", "Yes, allow all edits during this session", "Allow all server tools for this session",
			"Yes, and approve touch for the rest of the running session",
		},
		Always: {
			"Yes, and don't ask again for touch commands in /tmp", "Yes, and don’t ask again for: curl *", "Always allow", "Yes, allow always", "Allow always",
			"Yes, and always allow access to /tmp from this project", "Yes, I trust this folder", "Trust", "Continue + don't ask again",
			"Yes, and allow access to /tmp and touch commands", "Yes, and allow this host in the future", "Yes, and remember this folder", "Yes, and keep allowing any reads outside",
			"Yes, and never ask again", "Always", "Add to the allowlist", "Always allow run 'touch *' commands, run 'rm *' comm…",
		},
		Mode: {
			"Yes, and switch to auto mode · auto mode handles these prompts for you", "Yes, and auto-accept edits", "Yes, manually approve edits",
			"Yes, and switch to accept edits (auto-approve file edits) for this session", "Yes, and bypass permissions", "Yes, enable full access", "No (auto mode)",
		},
		No: {
			"No", "No, and tell Claude what to do differently", "Reject", "Deny", "Cancel", "No, suggest changes", "No, keep planning", "No, and ask again next time",
			"Skip", "Don't allow", "Do not run", "Not now", "⏭ Skip", "Decline", "No, exit", "No, continue without running it", "No, continue without permissions", "Continue without running it", "Deny permission", "Block and ask again",
			"No, cancel execution", "No, and keep going", "No, and stop for now", "Cancel this execution", "✗ No, cancel execution",
			"Deny for now", "Cancel this time", "Deny just this once", "Skip this", "No, and tell the GitHub agent what to do differently",
		},
		NoAlways: {"No, and block this host in the future", "Never", "No, and don't ask again", "No, and block reads from now on", "Always deny", "Deny always", "Never allow it"},
		Text:     {"Type something.", "Tell Claude what to change", "Type here to tell Claude what to do differently", "Enter a custom value", "Other (type your answer)", "(or start typing for custom answer)", "Yes, and tell Claude what to do next"},
		Other: {
			"", "SQLite", "Modify with external editor", "Yes, and", "Yes, whatever it takes", "Allow this tool", "Yes…", "Ja", "Confirmed", "Yes, deploy", "Approve plan",
			"Yes, and run", "Allow host", "Confirm",
			"Allow this file", "No, and allow it", "Yes, delete files", "No, keep going with everything", "Submit answers", "Maybe", "Yes yes",
			"Run it?", "Allow this command?", "Yes?", "Never ask again", "Never ask", "Stop and ask", "No ask", "Skip permission", "Proceed without permission",
			"Skip permissions", "Proceed without permissions", "Deny and", "Deny always and run", "Skip. Keep going", "No, and ask Bob", "No, and tell Claude what", "No (thanks) delete it",
			"No (for this session)", "No (blocklist)", "Continue without now", "No later)", "No (allow it)", "Add a test", "Yes ↵", "Just run", "Only the tests", "Do",
		},
	} {
		for _, label := range labels {
			r := Entry{Option: Option{Label: label}}
			r.finish()
			if got := r.labelScope(); got != scope {
				t.Errorf("%q is %s, want %s", label, got, scope)
			}
		}
	}
}

// TestALabelThatIsCutOff: what was cut off may widen a yes, or turn a no. Of a no that tells the agent what to do only the end is missing.
func TestALabelThatIsCutOff(t *testing.T) {
	for label, want := range map[string]Scope{
		"No, and tell Claude what to d": No, "No, but tell the GitHub agent what to do ins": No, "No, and tell Claude w": No, "No, and tell Claude what to do diff": No,
		"No, and tell Claude": Other, "No, and tell the old GitHub agent what": Other, "No, and tell Claude whatever": Other, "Claude what to do": Other,
		"No": Other, "Yes": Other, "Yes, and always": Always,
	} {
		if got := scopeOf(label, "", true); got != want {
			t.Errorf("%q, cut off, is %s, want %s", label, got, want)
		}
	}
}

// TestNoteWidens: words beside a label count as much as the label.
func TestNoteWidens(t *testing.T) {
	for note, want := range map[string]Scope{
		"Run the tool and continue":               Once,
		"Run the tool and remember this choice":   Other,
		"and every other command of this session": Other,
		"Don't ask again":                         Other,
		"Remembers the choice":                    Other,
		"Adds a rule":                             Other,
		"It won't ask again":                      Other,
		"for good":                                Other,
		"Saves it":                                Other,
		"Allow the tool call once":                Once,
	} {
		if got := scopeOf("Allow", note, false); got != want {
			t.Errorf("Allow with %q is %s, want %s", note, got, want)
		}
	}
	for note, want := range map[string]Scope{"": No, "Tell the agent": No, "for the whole session": NoAlways} {
		if got := scopeOf("No", note, false); got != want {
			t.Errorf("No with %q is %s, want %s", note, got, want)
		}
	}
}

func TestHints(t *testing.T) {
	for in, want := range map[string]struct{ label, keys string }{
		"Yes, proceed (y)":                 {"Yes, proceed", "y"},
		"Run (once) (y)":                   {"Run (once)", "y"},
		"Run (y) (enter)":                  {"Run", "y Enter"},
		"Skip (esc or n)":                  {"Skip", "n Escape"},
		"Reject (esc or n or p)":           {"Reject", "n p Escape"},
		"No, tell (esc)":                   {"No, tell", "Escape"},
		"No, tell ( e s c )":               {"No, tell", "Escape"},
		"Yes, all (shift+tab)":             {"Yes, all", "BTab"},
		"No, and tell (Esc to stop)":       {"No, and tell", "Escape"},
		"No (Tab to edit)":                 {"No", ""},
		"Yes, in repo (/tmp/x)":            {"Yes, in repo (/tmp/x)", ""},
		"(or start typing for an answer)":  {"(or start typing for an answer)", ""},
		"Agent (full access)":              {"Agent (full access)", ""},
		"Yes, again for `x (y)` later (p)": {"Yes, again for `x (y)` later", "p"},
	} {
		label, keys := splitHints(in)
		joined := ""
		for i, k := range keys {
			if i > 0 {
				joined += " "
			}
			joined += k
		}
		if label != want.label || joined != want.keys {
			t.Errorf("%q: label %q keys %q, want %+v", in, label, joined, want)
		}
	}
}

// TestTheRestOfALabelBeginsAsNoSentence, and a key or a box in brackets is no rest.
func TestTheRestOfALabelBeginsAsNoSentence(t *testing.T) {
	for s, want := range map[string]bool{"from now on": true, "(sticky)": true, "(it)": true, "From now on": false, "(x) Yes": false, "(y)": false, "": false, "2 files": false} {
		if inSentence(s) != want {
			t.Errorf("%q is the rest of a label: %t", s, !want)
		}
	}
}

// TestALabelThatGoesOnIsNoYes: the rest of a label in the row below, or a note there, may make the yes last, whatever each of them looks like.
func TestALabelThatGoesOnIsNoYes(t *testing.T) {
	heads := []string{"Yes", "Allow", "Approve", "Yes, allow", "Run it"}
	rests := []string{"for this session", "and all others", "every time", "and remember it", "in this folder always", "all edits in this session", "and do not ask again", "(for good)"}
	looks := []string{"", "\x1b[36m", "\x1b[1m", "\x1b[2m", "\x1b[36;1m", "\x1b[7m"}
	rng := rand.New(rand.NewPCG(1, 2))
	pick := func(of []string) string { return of[rng.IntN(len(of))] }
	for range testrun.Rounds(2000, 20000) {
		const plain = "\x1b[0m"
		look, rest := pick(looks), pick(rests)
		refusal := strings.Repeat(" ", 2) + pick([]string{look, "", "\x1b[2m"}) + "No" + plain
		rows := []string{"Run it?", "", "  rm -rf build", "", pick([]string{look, "\x1b[36m"}) + "❯ " + pick([]string{"", plain, look}) + pick(heads) + plain,
			strings.Repeat(" ", 2+rng.IntN(5)) + pick(looks) + rest + plain, refusal, "", "Enter to select · Esc to cancel"}
		if d := Lay(Parse(strings.Join(rows, "\n"))).AnyDialog(); d != nil {
			if p := d.Prompt(""); len(p.Approve) > 0 {
				t.Fatalf("y presses %q on\n%q", p.Approve, rows)
			}
		}
	}
}
