package screen

import (
	"strings"
	"testing"

	"nod/internal/reason"
)

// TestADigitChoosesTheRowThatBearsIt, whatever is in the label of another.
func TestADigitChoosesTheRowThatBearsIt(t *testing.T) {
	for hint, want := range map[string]string{"1": "1", "2": "", "y": "y", "Escape": "Escape"} {
		e := Entry{Option: Option{Label: "Yes"}, Number: 1, Hints: []string{hint}}
		if got := (Keys{Letters: true}).keyOf(&e); got != want {
			t.Errorf("Yes (%s) in row 1 takes %q, want %q", hint, got, want)
		}
	}
}

// TestANumberIsAKeyFromOneToNine: of a greater one the first digit would choose another row.
func TestANumberIsAKeyFromOneToNine(t *testing.T) {
	for number, want := range map[int]string{0: "", 1: "1", 9: "9", 10: "", 12: ""} {
		menu := Menu{Marked: -1, Entries: []Entry{{Option: Option{Label: "Yes", Scope: Text}, Number: number}}}
		if got := (Keys{Digits: true}).keyOf(&Entry{Number: number}); got != want {
			t.Errorf("row %d is chosen with %q, want %q", number, got, want)
		}
		told := keysOf((Keys{Tells: []Step{{Key: "#"}}}).tell(&menu))
		if got := strings.Join(told, " "); got != want {
			t.Errorf("words go to row %d with %q, want %q", number, got, want)
		}
	}
}

// TestTheMarkProvesItselfBeforeEnter: it moves away and back, never on an option that opens a field, and never where no other is.
func TestTheMarkProvesItselfBeforeEnter(t *testing.T) {
	for labels, want := range map[string]string{
		"Yes":     "",
		"*Yes":    "",
		"*Yes|No": "Down Up Enter",
		"Yes|*No": "Up Enter",
		"*Yes|No, and tell Claude what to change": "",
		"*Yes|No, with feedback":                  "",
		"*Yes|No, give instructions":              "",
		"*Yes|Type something":                     "",
		"No|*Yes|Type something":                  "Up Down Enter",
		"No, with feedback|*Yes":                  "",
		"No, with feedback|*Yes|Skip":             "Down Up Enter",
		"No|Skip|*Yes":                            "Up Down Enter",
	} {
		menu, yes := Menu{Marked: -1}, 0
		for i, label := range strings.Split(labels, "|") {
			if label[0] == '*' {
				menu.Marked, label = i, label[1:]
			}
			e := Entry{Option: Option{Label: label}}
			if e.Scope = e.labelScope(); label == "Yes" {
				yes = i
			}
			menu.Entries = append(menu.Entries, e)
		}
		at := menu.Marked
		steps := (Keys{Enter: true, Proves: true}).steps(&menu, yes)
		if got := strings.Join(keysOf(steps), " "); got != want {
			t.Errorf("%s: %q, want %q", labels, got, want)
		}
		for _, s := range steps {
			switch s.Key {
			case "Up":
				at--
			case "Down":
				at++
			}
			if s.Key != "Enter" && s.Lights != at+1 {
				t.Errorf("%s: %s is proven by row %d, want %d", labels, s.Key, s.Lights, at+1)
			}
		}
	}
}

// TestWhyThereIsNoYes says what is missing.
func TestWhyThereIsNoYes(t *testing.T) {
	for labels, want := range map[string]reason.Kind{
		"Yes|Allow|No":      reason.TwoYes,
		"Yes, always|No":    reason.NoYes,
		"Yes|No":            reason.MarkUnseen,
		"Yes|*Ignore it|No": reason.YesUnreached,
	} {
		d := offered("Run it?")
		d.State, d.Keys = Permission, Keys{Enter: true, Strict: true}
		for i, label := range strings.Split(labels, "|") {
			if label[0] == '*' {
				d.Marked, label = i, label[1:]
			}
			d.Entries = append(d.Entries, Entry{Option: Option{Label: label}})
		}
		p := &Prompt{}
		d.readScopes()
		if d.decide(p); p.Why.Kind != want || p.Approve != nil {
			t.Errorf("%s: %q with %q, want %q", labels, p.Why.Kind, p.Approve, want)
		}
	}
}
