package keeper_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// queue queues a text for pane %1, as Ann does in the chat.
func (w *world) queue(text string) nudge.Placed {
	w.Helper()
	a := w.answer(nudge.ByFresh, "")
	a.Text = text
	placed, err := w.Submit(pane("%1"), a, nudge.InstructionTimeout)
	if err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
	return placed
}

// look gives the keeper, a moment later, a look at pane %1 that has been in that state since now.
func (w *world) look(state screen.State) detect.Sighting {
	w.Helper()
	time.Sleep(time.Second)
	s := is("%1", state)
	s.Since, s.Worked = time.Now(), state == screen.Idle
	w.see(s)
	synctest.Wait()
	return s
}

// turn has the agent of pane %1 work and finish with these words.
func (w *world) turn(words string) {
	w.Helper()
	w.look(screen.Working)
	time.Sleep(time.Second)
	s := is("%1", screen.Idle)
	s.Since, s.Worked, s.Words = time.Now(), true, words
	w.see(s)
	synctest.Wait()
}

func (w *world) wantTexts(texts ...string) {
	w.Helper()
	synctest.Wait()
	w.typist.mu.Lock()
	defer w.typist.mu.Unlock()
	var got []string
	for _, r := range w.typist.asked {
		got = append(got, string(r.Instruction))
	}
	if strings.Join(got, "|") != strings.Join(texts, "|") {
		w.Fatalf("typed %q, want %q", got, texts)
	}
}

func (w *world) wantInstruction(id string, want nudge.InstructionState) nudge.Instruction {
	w.Helper()
	i, found, err := w.Instruction(id)
	if err != nil || !found || i.State != want {
		w.Fatalf("instruction %s is %s (found %t, %v), want %s", id, i.State, found, err, want)
	}
	return i
}

func (w *world) outcomes() []nudge.Notice {
	w.Helper()
	return kinds(w.tell(), nudge.InstructionNews)
}

func TestQueuedInstructionsAreSentOneAtATime(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		first, second := w.queue("one"), w.queue("two")
		if first.Position != 1 || second.Position != 2 || first.Held.IsZero() {
			w.Errorf("placed %+v, %+v", first, second)
		}
		w.wantTexts()
		w.look(screen.Idle)
		w.wantTexts("one")
		w.wantInstruction(first.ID, nudge.Sent)
		w.turn("one is done")
		w.wantTexts("one", "two")
		if i := w.wantInstruction(first.ID, nudge.Completed); i.Words != "one is done" || i.Next != "two" {
			w.Errorf("it ended as %+v", i)
		}
		notices := w.tell()
		w.wantKinds(notices, nudge.InstructionNews)
		if n := notices[0]; n.Place != ann || !n.Silent || n.Of.(*nudge.Instruction).ID != first.ID {
			w.Errorf("told %+v", n)
		}
		w.wantKinds(w.tell())
		w.turn("two is done")
		w.wantInstruction(second.ID, nudge.Completed)
		notices = w.tell() // the queue is empty, so the agent waits for a human: its idle notice names the outcome
		w.wantKinds(notices, nudge.Send)
		turn, _ := notices[0].Nudge().About.(nudge.TurnEnded)
		if d := turn.Did; d == nil || d.ID != second.ID || d.Text != "two" || turn.Words != "two is done" || !notices[0].Silent {
			w.Errorf("told %+v", notices[0].Nudge())
		}
		w.wantTexts("one", "two")
		if strings.Contains(w.log.String(), "two") {
			w.Error("the log has the words")
		}
		w.wantLog("instruction queued", "instruction sent", "instruction ended")
	})
}

// TestNeverSentTwice: nod dies after it recorded that an instruction is sent, before the outcome.
func TestNeverSentTwice(t *testing.T) {
	inBubble(t, func(w *world) {
		w.hangAtTheKey()
		w.look(screen.Idle)
		sent, waits := w.queue("one"), w.queue("two")
		w.wantInstruction(sent.ID, nudge.Sent)
		w.restartHung()
		w.look(screen.Idle)
		w.wantInstruction(sent.ID, nudge.Interrupted)
		w.wantTexts("two")
		w.wantInstruction(waits.ID, nudge.Sent)
		if told := w.outcomes(); len(told) != 1 || told[0].Of.(*nudge.Instruction).ID != sent.ID {
			w.Errorf("told %+v", told)
		}
		w.restart()
		w.deliver()
		if told := w.outcomes(); len(told) != 1 || told[0].Of.(*nudge.Instruction).ID != waits.ID {
			w.Errorf("told %+v", told)
		}
	})
}

// TestUnsureTypingIsNeverSentAgain: the text was pasted, and nobody knows whether it was submitted.
func TestUnsureTypingIsNeverSentAgain(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.typist.after = deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Detail: reason.Why{Said: "Not seen to be submitted."}}
		w.look(screen.Idle)
		i := w.queue("one")
		time.Sleep(time.Minute)
		w.wantTexts("one")
		if i := w.wantInstruction(i.ID, nudge.Interrupted); words.Why(i.Detail) != "Not seen to be submitted." {
			w.Errorf("says %q", words.Why(i.Detail))
		}
	})
}

// TestAnInstructionMayBeginASession: instructions behind /clear are meant for the new session.
func TestAnInstructionMayBeginASession(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		s := is("%1", screen.Idle)
		s.Session, s.Since = "mine", time.Now()
		w.see(s)
		w.queue("/clear")
		next := w.queue("two")
		w.wantTexts("/clear")
		for range 12 {
			time.Sleep(time.Second)
			s.Session, s.At = "fresh", time.Time{}
			w.see(s)
		}
		w.wantTexts("/clear", "two")
		w.wantInstruction(next.ID, nudge.Sent)
	})
}

func TestQueueSurvivesARestart(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		first, second := w.queue("one"), w.queue("two")
		changed := w.Changes()
		if _, err := w.MoveUp(second.ID); err != nil {
			w.Fatal(err)
		}
		select {
		case <-changed:
		default:
			w.Error("nobody who shows the queue was woken")
		}
		w.restart()
		w.deliver()
		if list, err := w.Instructions(nil); err != nil || len(list) != 2 || list[0].ID != second.ID || !strings.Contains(words.Why(list[0].Held), "not seen") {
			w.Fatalf("listed %+v, %v", list, err)
		}
		w.look(screen.Idle)
		w.wantTexts("two")
		w.wantInstruction(first.ID, nudge.Queued)
		if strings.Contains(w.log.String(), nudge.InstructionEnded) {
			w.Errorf("the log says that one has ended:\n%s", w.log)
		}
	})
}

// TestAPaneThatWentWhileNodWasAwayCancelsItsQueue, because its agent is gone.
func TestAPaneThatWentWhileNodWasAwayCancelsItsQueue(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		i := w.queue("one")
		w.restart()
		w.deliver()
		if err := w.Lost(func(detect.PaneRef) screen.State { return screen.Gone }, time.Now()); err != nil {
			w.Fatal(err)
		}
		w.wantInstruction(i.ID, nudge.Cancelled)
		if told := w.outcomes(); len(told) != 1 {
			w.Errorf("told %+v", told)
		}
	})
}

func TestWhatCannotBeQueued(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		if p := w.queue("one"); p.Reason != deliver.NotFound || p.Refusal.IsZero() {
			w.Errorf("a pane without an agent: %+v", p)
		}
		w.look(screen.Working)
		for _, text := range []string{"", " \n", strings.Repeat("x", 100<<10)} {
			if p := w.queue(text); p.Reason != deliver.NoKey || p.Refusal.IsZero() {
				w.Errorf("%d bytes: %+v", len(text), p)
			}
		}
		for n := range nudge.MaxQueued {
			if p := w.queue("x"); p.Position != n+1 {
				w.Fatalf("placed %+v", p)
			}
		}
		if p := w.queue("one more"); p.Reason != deliver.Working || !strings.Contains(words.Why(p.Refusal), "50") {
			w.Errorf("the 51st: %+v", p)
		}
		a := w.says(nudge.ByFresh)
		a.By.ID = bob
		if p, err := w.Submit(pane("%1"), a, 0); err != nil || p.Reason != deliver.NotOwner {
			w.Errorf("a stranger: %+v, %v", p, err)
		}
		a = w.says(nudge.ByFresh)
		for _, again := range []bool{false, true} {
			if p, err := w.Submit(pane("%1"), a, 0); err != nil || p.Repeated != again {
				w.Errorf("the same message: %+v, %v", p, err)
			}
		}
	})
}

// TestRefusedWordsAreQueuedOnce however often the button is tapped.
func TestRefusedWordsAreQueuedOnce(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Working)
		w.refuseNext(deliver.Working)
		v := w.bid("%1", w.says(nudge.ByFresh), nudge.Taken)
		n := w.wantState(v.Nudge.ID, nudge.Refused)
		tap := func(stamp string) nudge.Placed {
			a := w.answer(nudge.ByButton, "")
			a.Nudge, a.Repeat = n.ID, stamp
			p, err := w.SubmitRefused(a, 0)
			if err != nil {
				w.Fatal(err)
			}
			return p
		}
		if p := tap("other"); p.Reason != deliver.Answered {
			w.Errorf("another answer: %+v", p)
		}
		if p := tap(n.Claim.Stamp()); p.Reason != "" || p.Text != someText || p.Position != 1 {
			w.Errorf("the first tap: %+v", p)
		}
		if p := tap(n.Claim.Stamp()); p.Reason != deliver.Answered {
			w.Errorf("the second tap: %+v", p)
		}
		if list, _ := w.Instructions(nil); len(list) != 1 {
			w.Errorf("listed %+v", list)
		}
	})
}
