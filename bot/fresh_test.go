package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/nudge"
)

// yesNo is a program's question with the answers yes and no.
func yesNo(q *nudge.ProgramQuestion) { q.Options = []string{"yes", "no"} }

// TestAFreshYesAnswersAProgram: it counts like a permission, and what is snoozed is never meant.
func TestAFreshYesAnswersAProgram(t *testing.T) {
	inWorld(t, func(w *world) {
		older := w.ask(1, prompt("rm -rf build"))
		w.tap(older, "Snooze")
		time.Sleep(time.Minute)
		n := w.programAsks(yesNo)
		time.Sleep(time.Minute)
		w.ann.Say("y")
		w.last()
		if n := w.find(n.ID); n.Answered() != "yes" {
			t.Errorf("the program has %q:\n%s", n.Answered(), w.chat())
		}
		w.ann.Say("y")
		m := w.last()
		wantText(t, m, "Which one is meant?", "💤 snoozed: #"+idOf(t, older), "rm -rf build")
		if got := rowsOf(m); len(got) != 2 || !strings.HasPrefix(got[0], "💤 y → #"+idOf(t, older)+" rm -rf build") || got[1] != "Neither" {
			t.Errorf("the buttons are %q", got)
		}
		w.tap(m, "Neither")
		wantNoButtons(t, w.message(m.ID))
		w.wantTyped()
	})
}

// TestWhichOneNamesTheCommands in its buttons, and has one for none only where one could be meant.
func TestWhichOneNamesTheCommands(t *testing.T) {
	inWorld(t, func(w *world) {
		one, two := w.ask(1, prompt("make one")), w.ask(2, prompt("make two"))
		time.Sleep(time.Hour)
		w.ann.Say("n")
		m := w.last()
		wantText(t, m, "within thirty seconds")
		rows := rowsOf(m)
		slices.Sort(rows)
		want := []string{"n → #" + idOf(t, one) + " make one", "n → #" + idOf(t, two) + " make two"}
		slices.Sort(want)
		if !slices.Equal(rows, want) {
			t.Errorf("the buttons are %q, want %q", rows, want)
		}
	})
}

// TestAFreshNumberAnswersAQuestion, and other words get a hint.
func TestAFreshNumberAnswersAQuestion(t *testing.T) {
	inWorld(t, func(w *world) {
		n := w.programAsks(nil)
		time.Sleep(time.Minute)
		w.ann.Say("perhaps")
		wantText(t, w.last(), "the number of a button")
		w.ann.Say("3")
		w.last()
		if n := w.find(n.ID); n.Answered() != "later" {
			t.Errorf("the program has %q:\n%s", n.Answered(), w.chat())
		}
		w.ann.Say("3")
		wantText(t, w.last(), "I didn't understand")
		w.wantTyped()
	})
	inWorld(t, func(w *world) {
		first := w.programAsks(nil)
		second := w.programAsks(func(q *nudge.ProgramQuestion) { q.Text, q.Options = "Where?", []string{"dev", "prod"} })
		time.Sleep(time.Minute)
		w.ann.Say("2")
		m := w.last()
		wantText(t, m, "Which one is meant?")
		w.tap(m, "2 → #"+first.ID)
		if n := w.find(first.ID); n.Answered() != "no" {
			t.Errorf("the program has %q", n.Answered())
		}
		if n := w.find(second.ID); n.State != nudge.Pending {
			t.Errorf("the other one is %s", n.State)
		}
	})
}
