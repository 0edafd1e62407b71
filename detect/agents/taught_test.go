package agents

import (
	"math/rand/v2"
	"slices"
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

const lessonText = "● Ich räume auf.\n\n Werkzeug: Shell\n\n   rm -rf build\n\n Soll dieser Befehl ausgeführt werden?\n ❯ Ja\n   Ja, immer\n   Nein\n\n Esc zum Abbrechen\n"

func TestTaught(t *testing.T) {
	for name, c := range map[string]struct {
		shown, approve, deny string
		state                screen.State
		partial              bool
	}{
		"as it was taught":      {lessonText, "Down Up Enter", "Down Down Enter", screen.Permission, false},
		"another command":       {strings.Replace(lessonText, "rm -rf build", "make", 1), "Down Up Enter", "Down Down Enter", screen.Permission, false},
		"another row is marked": {strings.NewReplacer(" ❯ Ja\n", "   Ja\n", "   Nein", " ❯ Nein").Replace(lessonText), "Up Up Enter", "Up Down Enter", screen.Permission, false},
		"no output above it":    {strings.Replace(lessonText, "● Ich räume auf.\n\n", "", 1), "Down Up Enter", "Down Down Enter", screen.Permission, true},
		"its head once more":    {strings.Replace(lessonText, "   rm -rf build", " Werkzeug: Shell\n   echo", 1), "Down Up Enter", "Down Down Enter", screen.Permission, true},
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
			t.Errorf("%s: approve %q, deny %q, partial %v: %+v", name, a, d, r.Prompt.Partial, r.Prompt.Doubts)
		}
		if c.state == screen.Permission && r.Prompt.Taught != "21 Nov" {
			t.Errorf("%s: taught %q", name, r.Prompt.Taught)
		}
	}
}

// TestTaughtKeysWithoutAMark: where no answer is marked, the keys that a person taught are all that there is.
func TestTaughtKeysWithoutAMark(t *testing.T) {
	taught := lesson
	taught.Keys = map[string]string{"Ja": "j", "Nein": "n"}
	r := ReadTaught([]Taught{taught}, "acme", screen.Parse(strings.Replace(lessonText, "❯", " ", 1)))
	if r.Prompt == nil || !slices.Equal(r.Prompt.Approve, []string{"j"}) || !slices.Equal(r.Prompt.Deny, []string{"n"}) {
		t.Errorf("%+v", r.Prompt)
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

// TestATaughtDialogThatIsTypedIntoHasNoKeys: where a letter and Enter answer, the letter alone proves nothing about where Enter goes,
// whoever taught the dialog.
func TestATaughtDialogThatIsTypedIntoHasNoKeys(t *testing.T) {
	rng := random(t)
	for range draws {
		typed := lesson
		typed.Labels = []string{pick(rng, []string{"Ja", "Allow", "Mach das"}), pick(rng, []string{"Nein", "Deny", "Lass es"})}
		typed.Once, typed.No, typed.Below = typed.Labels[0], typed.Labels[1], []string{"Choice [j/n]:", "Your choice:"}
		var keyed []string
		for _, label := range typed.Labels {
			keyed = append(keyed, pick(rng, []string{"[" + label[:1] + "]" + label[1:], "[" + label[:1] + "] " + label}))
		}
		shown := strings.TrimSuffix(lessonText[:strings.Index(lessonText, " ❯ Ja")], "\n") + "\n"
		if row := pick(rng, []string{"Choice [j/n]:", "Your choice:", ""}); row != "" {
			shown += " " + strings.Join(keyed, "\n ") + "\n " + row + "\n"
		} else {
			shown += " " + strings.Join(keyed, pick(rng, []string{" ", "  ", " / ", " | "})) + pick(rng, []string{":", ": ", "?", " > ", " >", ":>"}) + "\n"
		}
		r := ReadTaught([]Taught{typed}, "acme", screen.Parse(shown))
		if p := r.Prompt; p != nil && (len(p.Approve) > 0 || len(p.Deny) > 0) {
			t.Fatalf("approve %q, deny %q, taught %q in\n%s", p.Approve, p.Deny, p.Taught, shown)
		}
	}
}

// taughtDialog is a dialog of an agent that nobody knows, drawn about a command.
type taughtDialog struct {
	rows   []string // between the last output and the answers; "%" is the command
	output string
	around string
	labels []string
	marked int
}

func inventTaught(rng *rand.Rand) taughtDialog {
	d := taughtDialog{
		output: pick(rng, []string{"● Ich räume auf.\n\n", "● Bash\n\n", "Ich räume auf.\n\n", "Ich räume auf.\n", "", "\n\n"}),
		around: pick(rng, []string{"nothing", "nothing", "nothing", "rule", "frame", "bar"}),
		labels: []string{"Ja", "Nein"}, marked: rng.IntN(2),
	}
	blanks := func() {
		for range pick(rng, []int{0, 0, 1, 1, 2, 3}) {
			d.rows = append(d.rows, "")
		}
	}
	pieces := []string{"  %", "Soll dieser Befehl ausgeführt werden?"}
	for _, more := range []string{"Werkzeug: Shell", "Grund: aufräumen", "────────", "in ~/src/app"} {
		if rng.IntN(2) == 0 {
			pieces = append(pieces, more)
		}
	}
	rng.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for _, piece := range pieces {
		d.rows = append(d.rows, piece)
		blanks()
	}
	return d
}

func (d taughtDialog) draw(command string) string {
	var b strings.Builder
	b.WriteString(d.output)
	rows := slices.Clone(d.rows)
	for i, label := range d.labels {
		rows = append(rows, map[bool]string{true: "❯ ", false: "  "}[i == d.marked]+label)
	}
	const wide = 60
	switch d.around {
	case "rule":
		b.WriteString(strings.Repeat("─", wide) + "\n")
	case "frame":
		b.WriteString("╭" + strings.Repeat("─", wide-2) + "╮\n")
	}
	for _, row := range rows {
		row = strings.Replace(row, "%", command, 1)
		switch d.around {
		case "frame":
			row = "│ " + row + strings.Repeat(" ", wide-4-cells(row)) + " │"
		case "bar":
			row = "┃ " + row
		}
		b.WriteString(row + "\n")
	}
	if d.around == "frame" {
		b.WriteString("╰" + strings.Repeat("─", wide-2) + "╯\n")
	}
	return b.String() + "\n Enter bestätigen · Esc abbrechen\n"
}

// TestATaughtHeadCutsNothingOff: whichever row was named as the head, what is between the last output and the answers is part of what
// is asked, or approving takes consent: of two commands, one is never told and the other approved.
func TestATaughtHeadCutsNothingOff(t *testing.T) {
	rng, found := random(t), 0
	for range draws {
		d := inventTaught(rng)
		heads := slices.DeleteFunc(slices.Clone(d.rows), func(s string) bool { return strings.Trim(s, "─") == "" || strings.Contains(s, "%") })
		head := pick(rng, heads)
		taught := Taught{Name: "shell", Agent: "acme", Head: head, Labels: d.labels, Once: "Ja", No: "Nein", On: lesson.On}
		read := func(command string) *screen.Prompt {
			r := ReadTaught([]Taught{taught}, "acme", screen.Parse(d.draw(command)))
			if r.State != screen.Permission {
				return nil
			}
			return r.Prompt
		}
		p, q := read("make test"), read("rm -rf build")
		if p == nil || q == nil {
			continue
		}
		found++
		if !p.Partial && (!strings.Contains(p.Subject+p.Question, "make test") || p.Fingerprint == q.Fingerprint) {
			t.Fatalf("with the head %q the subject is %q\n%s", head, p.Subject, d.draw("make test"))
		}
	}
	if found < draws/2 {
		t.Errorf("%d of %d are found: the test proves little", found, draws)
	}
}

// TestAHintInWordsOfItsOwn: rows under the answers that nod can't place belong to what was taught; other ones do not.
func TestAHintInWordsOfItsOwn(t *testing.T) {
	shown := strings.Replace(lessonText, "Esc zum Abbrechen", "Bitte eine Zahl drücken!", 1)
	if r := ReadTaught([]Taught{lesson}, "acme", screen.Parse(shown)); r.State == screen.Permission {
		t.Errorf("with another hint: %q", r.Prompt.Approve)
	}
	hinted := lesson
	hinted.Below = []string{"Bitte eine Zahl drücken!"}
	if r := ReadTaught([]Taught{hinted}, "acme", screen.Parse(shown)); r.State != screen.Permission || len(r.Prompt.Approve) == 0 {
		t.Errorf("%s %q", r.State, r.Why)
	}
}

// TestAnswersAsNodReadsThem: what nod reads as the answers of a dialog can be confirmed, whatever sign is before each.
func TestAnswersAsNodReadsThem(t *testing.T) {
	rng, several := random(t), 0
	for range draws {
		signs := pick(rng, [][2]string{{"✓ ", "✗ "}, {"✔ ", "✘ "}, {"● ", "○ "}, {"(●) ", "(○) "}, {"• ", "• "}, {"[y] ", "[n] "}, {"1. ", "2. "}, {"", ""}, {"☑ ", "☐ "}})
		labels := []string{signs[0] + pick(rng, onceLabels), signs[1] + pick(rng, noLabels)}
		shown := "● I will do it now.\n\n" + strings.Repeat("─", 60) + "\n Tool call\n\n   rm -rf build\n\n Run it?\n\n" +
			pick(rng, []string{" ", " ❯ "}) + labels[0] + "\n" + pick(rng, []string{" ", "   "}) + labels[1] + "\n\n Esc to cancel\n"
		r := Read("acme", screen.Parse(shown))
		if r.Prompt == nil || len(r.Prompt.Options) != 2 {
			continue
		}
		several++
		read := Taught{Name: "shell", Agent: "acme", Head: "Tool call", Once: r.Prompt.Options[0].Label, On: lesson.On}
		for _, o := range r.Prompt.Options {
			read.Labels = append(read.Labels, o.Label)
		}
		if read.on(screen.Parse(shown)) == nil {
			t.Fatalf("not found again by %q\n%s", read.Labels, shown)
		}
	}
	if several < draws/3 {
		t.Errorf("%d of %d are read: the test proves little", several, draws)
	}
}

// TestAReaderThatFailsHasReadNothing: no screen ends the program that reads it.
func TestAReaderThatFailsHasReadNothing(t *testing.T) {
	rows := []string{}
	got := spared("claude", func() screen.Reading { return screen.Reading{State: screen.Permission, Text: rows[1]} })
	if got.State != screen.Silent || got.Agent != "claude" || got.Prompt != nil || !strings.Contains(got.Fault, "out of range") || len(got.Why) != 1 {
		t.Errorf("it read %+v", got)
	}
	if got := spared("claude", func() screen.Reading { return screen.Reading{State: screen.Idle} }); got.State != screen.Idle || got.Fault != "" {
		t.Errorf("what was read is %+v", got)
	}
}
