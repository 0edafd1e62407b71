package keeper_test

import (
	"slices"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/keeper"
)

// TestThePermissionForACallIsKept by what else is due.
func TestThePermissionForACallIsKept(t *testing.T) {
	inBubble(t, func(w *world) {
		working := denied("codex", "t1", "touch a")
		working.State = screen.Working
		w.see(working)
		w.allow(keeper.Denied{ID: w.one().ID})
		w.see(shows("%2", permission("make")))
		w.tell()
		time.Sleep(5 * time.Minute)
		w.tick()
		list, err := w.Instructions(nil)
		if err != nil || len(list) != 1 || list[0].Granted == nil {
			t.Errorf("queued are %+v, %v", list, err)
		}
	})
}

// TestNewsOfWordsIsKeptUntilItIsTold, for a month, and the buttons of those that wait.
func TestNewsOfWordsIsKeptUntilItIsTold(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.rules.Idle = true
		w.tick()
		w.look(screen.Working)
		first, second := w.queue("one"), w.queue("two")
		w.look(screen.Idle)
		w.turn("done")
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Listed}, Message: 50, Instructions: []string{second.ID}, List: true})
		list, err := w.Instructions(nil)
		if err != nil || len(list) != 1 || list[0].ID != second.ID {
			t.Errorf("listed are %+v, %v", list, err)
		}
		news := func() bool {
			return slices.ContainsFunc(kinds(w.untold(), nudge.InstructionNews), func(n nudge.Notice) bool { return n.Of.(*nudge.Instruction).ID == first.ID })
		}
		time.Sleep(2 * time.Hour)
		if w.tick(); !news() {
			t.Error("it is not told any more how the first words ended")
		}
		if i := w.wantInstruction(second.ID, nudge.TimeoutWaiting); len(i.Buttons) != 1 {
			t.Error("the words under way have no buttons any more")
		}
	})
}

// TestWordsOfNothingAreNotQueued.
func TestWordsOfNothingAreNotQueued(t *testing.T) {
	inBubble(t, func(w *world) {
		a := w.answer(nudge.ByButton, "")
		a.Nudge, a.Repeat = "none", "x"
		if placed, err := w.SubmitRefused(a, time.Hour); err != nil || placed.Reason == "" {
			t.Errorf("placed is %+v, %v", placed, err)
		}
	})
}

// TestWhatTimesOutIsNotWithdrawn, nor does what hooks withdraw keep a program from asking.
func TestWhatTimesOutIsNotWithdrawn(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*nudge.ProgramQuestion)
		end    func(w *world, id string) error
	}{
		"a timeout": {func(q *nudge.ProgramQuestion) { q.Timeout = time.Second }, func(w *world, _ string) error {
			time.Sleep(2 * time.Second)
			return w.Tick(time.Now())
		}},
		"a form": {func(q *nudge.ProgramQuestion) { q.Form = true }, func(w *world, id string) error { return w.Withdraw(id) }},
	} {
		inBubble(t, func(w *world) {
			q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
			for range 70 {
				one := q
				c.change(&one)
				n, err := w.Ask(one)
				if err != nil {
					t.Fatal(name, err)
				}
				if err := c.end(w, n.ID); err != nil {
					t.Fatal(name, err)
				}
			}
			if _, err := w.Ask(q); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

// TestSeveralRecordsThatCantBeReadAreNamed.
func TestSeveralRecordsThatCantBeReadAreNamed(t *testing.T) {
	inBubble(t, func(w *world) {
		first, second := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("ls")))
		w.damage(first.ID)
		w.damage(second.ID)
		w.all()
		w.tick()
		health := w.Health()
		if len(health) != 1 || health[0].Kind != reason.RecordsAside {
			t.Fatalf("the health is %+v", health)
		}
		w.wantHealth("#"+first.ID, "#"+second.ID)
	})
}

// TestAnIdleAgentElsewhereChangesNothing about a call that another one was told to try again.
func TestAnIdleAgentElsewhereChangesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		w.see(is("%2", screen.Working))
		of, _ := w.deny("make", time.Minute)
		w.allow(of)
		if says, err := w.EndHold(of, false, false); err != nil || !says {
			t.Fatal(says, err)
		}
		w.look(screen.Working)
		drawn := w.denials(of.ID).Drawn
		idle := is("%2", screen.Idle)
		idle.Since, idle.Worked = time.Now(), true
		w.see(idle)
		if d := w.denials(of.ID); d.Drawn != drawn || d.Again(of.Call) != "" {
			t.Errorf("the agent may be told again: %+v", d.Calls[of.Call])
		}
	})
}

// TestWhatIsNoAnswerIsNotNotedAsOne: a reply in words to a question that takes a yes or a no.
func TestWhatIsNoAnswerIsNotNotedAsOne(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		a := w.replyTo(n.ID, "")
		a.Line = "thanks"
		w.give(a, nudge.NoAnswer)
		for _, noted := range w.notedOf(n.ID) {
			if noted == nudge.AnswerReceived+" by Ann" {
				t.Error("it is noted as an answer")
			}
		}
	})
}

// TestThatANoticeAskedIsKeptByTheOneInItsPlace.
func TestThatANoticeAskedIsKeptByTheOneInItsPlace(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		first := turnOver("%1")
		first.Words = "Shall I commit?"
		w.see(first)
		w.look(screen.Working)
		time.Sleep(time.Second)
		if n := w.see(turnOver("%1")); !w.find(n.ID).TookBack {
			t.Errorf("it is %+v", n)
		}
	})
}

// TestAnAgentThatAnErrorStoppedIsToldOf, though its next words wait.
func TestAnAgentThatAnErrorStoppedIsToldOf(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		w.queue("one")
		w.queue("two")
		w.look(screen.Idle)
		w.wantTexts("one")
		w.look(screen.Working)
		time.Sleep(time.Second)
		s := turnOver("%1")
		s.Blocked = reason.Why{Kind: reason.ServerFails}
		n := w.see(s)
		if turn, ended := n.About.(nudge.TurnEnded); !ended || turn.Blocked.IsZero() {
			t.Errorf("told is %+v", n)
		}
	})
}
