package agents

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
)

// lesson is a dialog that reads as words nod does not know.
var lesson = Taught{
	Name: "shell", Agent: "acme", Head: "Werkzeug: Shell", Labels: []string{"Ja", "Ja, immer", "Nein"}, Once: "Ja", No: "Nein",
	On: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
}

const lessonText = " Werkzeug: Shell\n\n   rm -rf build\n\n Soll dieser Befehl ausgeführt werden?\n ❯ Ja\n   Ja, immer\n   Nein\n\n Esc zum Abbrechen\n"

func TestTaught(t *testing.T) {
	for name, c := range map[string]struct {
		shown, approve, deny string
		state                screen.State
		partial              bool
	}{
		"as it was taught":      {lessonText, "Enter", "Down Down Enter", screen.Permission, false},
		"another command":       {strings.Replace(lessonText, "rm -rf build", "make", 1), "Enter", "Down Down Enter", screen.Permission, false},
		"another row is marked": {strings.NewReplacer(" ❯ Ja\n", "   Ja\n", "   Nein", " ❯ Nein").Replace(lessonText), "Up Up Enter", "Enter", screen.Permission, false},
		"its head once more":    {strings.Replace(lessonText, "   rm -rf build", " Werkzeug: Shell\n   echo", 1), "Enter", "Down Down Enter", screen.Permission, true},
		"another head":          {strings.Replace(lessonText, "Werkzeug: Shell", "Frage", 1), "", "", screen.Question, true},
		"another label":         {strings.Replace(lessonText, "Nein", "Nie", 1), "", "", screen.Question, true},
		"above an input box":    {lessonText + "────────────────────\n❯ \n────────────────────\n", "", "", screen.Idle, false},
		"in a shell":            {lessonText + "me@host:~ $\n", "", "", screen.Silent, false},
		"before more text":      {lessonText + "\n● Ich mache weiter.\n", "", "", screen.Silent, false},
		"cut off":               {strings.Replace(lessonText, "Ja, immer", "Ja, im…", 1), "", "", screen.Question, true},
	} {
		r := ReadTaught([]Taught{lesson}, "acme", screen.Parse(c.shown))
		if r.State != c.state {
			t.Errorf("%s: %s, want %s: %q", name, r.State, c.state, r.Why)
			continue
		}
		if r.Prompt == nil {
			continue
		}
		if a, d := strings.Join(r.Prompt.Approve, " "), strings.Join(r.Prompt.Deny, " "); a != c.approve || d != c.deny || r.Prompt.Partial != c.partial {
			t.Errorf("%s: approve %q, deny %q, partial %v: %q", name, a, d, r.Prompt.Partial, r.Prompt.Doubts)
		}
		if c.state == screen.Permission && r.Prompt.Taught != "21 Nov" {
			t.Errorf("%s: taught %q", name, r.Prompt.Taught)
		}
	}
}

// TestTaughtListIsWhole: a list with one more answer than was taught is another dialog, for Enter may take another row than it seems.
func TestTaughtListIsWhole(t *testing.T) {
	for _, shown := range []string{
		strings.Replace(lessonText, "   Nein", "   Vielleicht\n   Nein", 1),
		strings.Replace(lessonText, " ❯ Ja\n", "   Vielleicht\n ❯ Ja\n", 1),
		strings.Replace(lessonText, "   Nein\n", "   Nein\n   Vielleicht\n", 1),
	} {
		if r := ReadTaught([]Taught{lesson}, "acme", screen.Parse(shown)); r.State == screen.Permission {
			t.Errorf("%s %q %q in\n%s", r.State, r.Prompt.Approve, r.Prompt.Deny, shown)
		}
	}
}

// TestTaughtForOneAgent: another agent's dialog that looks the same is none of it, and of two that fit none does.
func TestTaughtForOneAgent(t *testing.T) {
	if r := ReadTaught([]Taught{lesson}, "claude", screen.Parse(lessonText)); r.Prompt != nil && r.Prompt.Taught != "" {
		t.Errorf("as claude's: %s", r.Prompt.Shape)
	}
	twin := lesson
	twin.Name, twin.Once, twin.No = "twin", "Nein", "Ja"
	if r := ReadTaught([]Taught{lesson, twin}, "acme", screen.Parse(lessonText)); r.State == screen.Permission {
		t.Errorf("two fit: %q", r.Prompt.Approve)
	}
}

// TestNoLastingYesIsTaught: the rules for keys hold for whoever teaches too.
func TestNoLastingYesIsTaught(t *testing.T) {
	for _, label := range []string{"Always allow", "Yes, for this session", "Yes, and switch to auto mode", "Ja, always", "No", "Deny", "Never", "Ja, und…", "Type your answer"} {
		bad := lesson
		bad.Labels, bad.Once = []string{label, "Nein"}, label
		if err := bad.Check(); err == nil {
			t.Errorf("%q can be taught as yes for this once", label)
		}
		if r := ReadTaught([]Taught{bad}, "acme", screen.Parse(strings.NewReplacer("❯ Ja\n", "❯ "+label+"\n", "   Ja, immer\n", "").Replace(lessonText))); r.Prompt != nil && r.Prompt.Taught != "" {
			t.Errorf("%q is used", label)
		}
	}
	for _, label := range []string{"Yes", "Allow once", "Always", "Never again"} {
		bad := lesson
		bad.Labels, bad.Once, bad.No = []string{"Ja", label}, "Ja", label
		if bad.Check() == nil {
			t.Errorf("%q can be taught as no", label)
		}
	}
}
