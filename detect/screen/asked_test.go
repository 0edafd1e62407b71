package screen

import (
	"strings"
	"testing"
)

// offered is a dialog with a question and the labels of its options.
func offered(question string, labels ...string) *Dialog {
	d := &Dialog{Sentence: Sentence{Question: question}, Menu: Menu{Marked: -1}}
	for _, label := range labels {
		d.Entries = append(d.Entries, Entry{Option: Option{Label: label}})
	}
	return d
}

// TestAYesThatStopsIsNoYes: a yes to a question whose sense is turned, or not sure, stops what waits or answers something else; a no may let it
// run. So neither is given.
func TestAYesThatStopsIsNoYes(t *testing.T) {
	for question, turned := range map[string]bool{
		"Block this command?": true, "Block this command": true, "Exit anyway?": true, "Do you want to cancel it?": true, "Do you want Claude to keep it?": true,
		"Would you like Gemini to skip it?": true, "Is this a mistake?": true, "Is it?": true, "Do you want Claude to?": true, "Shouldn't it run?": true,
		"Run it never?": true, "Should I wait?": true, "Are you sure you want to quit?": true,
		"Run it?": false, "Should I delete it?": false, "Do you want Claude to run it?": false, "Would you like Gemini to run it?": false, "Do you want me to delete it?": false,
		"Is it ok to delete it?": false, "The command is not in the list": false, "May I proceed?": false, "Can you run it?": false, "": false, "?": false,
		"Delete the folder? It is not empty.": false,
	} {
		if got := offered(question, "Yes", "No").inverted(); got != turned {
			t.Errorf("%q is turned: %t", question, got)
		}
	}
	for label, says := range map[string]bool{"Yes": true, "OK, proceed": true, "Sure, go ahead": true, "Run": false, "Proceed": false, "Yes, run it": false, "Allow": false} {
		if got := offered("Is this a mistake?", label, "No").inverted(); got != says {
			t.Errorf("%q says no more than yes: %t", label, got)
		}
	}
	if offered("Is this a mistake?", "Yes", "OK", "No").inverted() {
		t.Error("two say yes, so that no key is given anyway")
	}
}

// TestAQuestionThatLastsMakesItsYesLast: "Yes" to it is no yes for once, unless the label says that it is.
func TestAQuestionThatLastsMakesItsYesLast(t *testing.T) {
	for question, lasts := range map[string]bool{
		"Allow rm for this session?": true, "Enable auto mode?": true, "Do you want to turn it on?": true, "Allow Claude to access the project?": true,
		"Always run it?": true, "Allow all of it?": true, "Run it from now on?": true, "Approve it to run in this session?": true,
		"Allow this command to run in the current folder?": false, "Run it in the project?": false, "Delete all files in this folder?": false, "Run it?": false, "?": false, "": false,
		"Allow rm for this session": false, "Do you want to?": false,
	} {
		for label, once := range map[string]bool{"Yes": false, "Yes, this once": true, "Yes, this time": true} {
			d := offered(question, label, "No")
			if got := d.asksForMore(&d.Entries[0]); got != (lasts && !once) {
				t.Errorf("%q to %q lasts: %t", label, question, got)
			}
		}
	}
}

// TestAListWithAnAnswerOfOnesOwnIsNoPermission: a model made it up, whatever its other answers say.
func TestAListWithAnAnswerOfOnesOwnIsNoPermission(t *testing.T) {
	for label, own := range map[string]bool{
		"Something else": true, "None of these": true, "My own answer": true, "Own answer": true, "Other": true, "Type an answer": true, "Custom": true, "Chat about this": true,
		"No, write it differently": false, "Write it differently": false, "Type what to do instead": false, "…": false, "Yes": false, "Nothing else": false,
	} {
		if got := offered("Which?", "Yes", label).ownAnswer(); got != own {
			t.Errorf("%q takes words of one's own: %t", label, got)
		}
	}
	d := offered("Which?", "Yes", "Type what is wrong")
	if d.Entries[1].Asks = true; d.ownAnswer() {
		t.Error("a refusal that asks for words is an answer of one's own")
	}
}

// TestAControlThatIsSetLeavesNoYes: a box, switch or heading beside the answers may make a yes last.
func TestAControlThatIsSetLeavesNoYes(t *testing.T) {
	side := func(row string) string { return "│ " + row + strings.Repeat(" ", 39-width(row)) + "│" }
	for control, sets := range map[string]bool{
		"[x] Remember this": true, "☑ Remember this": true, "[✓] Remember this": true, "[✔] Remember this": true, "◉ This session": true, "Scope: (•) once ( ) session": true, "Scope: ‹ session ›": true, "For this session:": true,
		"(•) session": true, "Scope: ( ) once (•) session": true, "Scope: ( ) once (x) session": true, "Scope (•) session": true, "once ○  session ●": true, "◉ once  ○ session": true,
		"☒ Don't ask again": true, "🔘 session ⚪ once": true, "[once] [session*]": true, "scope: once → session": true, "for: session (tab)": true, "this session ✓": true,
		"Once more": false, "This session has 12 turns": false, "Resumed once": false,
		"Remember this [x]": true, "Remember this ☑": true, "Remember: [✓]": true, "press (x) to stop": false, "[a] [x": false,
		"[ ] Remember this": false, "☐ Remember this": false, "the list a[x] is read": false, "a note": false, "For this file:": false,
		"Scope: session": true, "Scope: [Session]": true, "tab scope: session · enter select": true, "✓ Remember my choice": true, "✅ Always": true, "Scope: once": false, "tab: session": false,
		"Not in allowlist: rm": false, "○ Remember this": false, "- never again.txt": false,
	} {
		for name, rows := range map[string][]string{
			"above":       {"Run this command?", "  rm x", control, "❯ Yes", "  No"},
			"above a gap": {"Run this command?", "  rm x", control, "", "❯ Yes", "  No"},
			"in a frame":  {"╭" + strings.Repeat("─", 40) + "╮", side("Run this command?"), side(control), side("❯ Yes"), side("  No"), "╰" + strings.Repeat("─", 40) + "╯"},
		} {
			d := Lay(Parse(strings.Join(rows, "\n"))).AnyDialog()
			if d == nil {
				t.Errorf("%q %s: no dialog", control, name)
				continue
			}
			if p := d.Prompt(""); (len(p.Approve) == 0) != sets {
				t.Errorf("%q %s: y presses %q", control, name, p.Approve)
			}
		}
	}
}
