package keeper_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/words"
	"nod/nudge"
)

func TestCancellingASentOneTypesNothing(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Idle)
		sent, waits := w.queue("one"), w.queue("two")
		w.look(screen.Working)
		i, err := w.CancelInstruction(sent.ID, nudge.Person{Name: "Ann"})
		if err != nil || i.State != nudge.Cancelled || !strings.Contains(words.Why(i.Detail), "the agent goes on") {
			w.Fatalf("%+v, %v", i, err)
		}
		time.Sleep(time.Minute)
		w.wantTexts("one")
		if _, err := w.CancelInstruction(sent.ID, nudge.Person{}); err == nil {
			w.Error("it was cancelled twice")
		}
		if _, err := w.CancelInstruction("none", nudge.Person{}); err == nil {
			w.Error("what does not exist was cancelled")
		}
		w.look(screen.Idle)
		w.wantTexts("one", "two")
		w.wantInstruction(waits.ID, nudge.Sent)
		if told := w.outcomes(); len(told) != 0 {
			w.Errorf("told %+v", told)
		}
	})
}

// TestCancelledWhileItIsChosen: it is cancelled before the first key, so no key is typed.
func TestCancelledWhileItIsChosen(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.typist.result = func(_ context.Context, r deliver.Request) deliver.Result {
			if _, err := w.CancelInstruction(r.Nudge, nudge.Person{Name: "Ann"}); err != nil {
				w.Error(err)
			}
			return deliver.Result{}
		}
		w.look(screen.Idle)
		i := w.queue("one")
		w.wantInstruction(i.ID, nudge.Cancelled)
		if len(w.typist.began) != 0 {
			w.Error("it was typed")
		}
	})
}

func TestATimeoutIsToldOnce(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Idle)
		i := w.queue("one")
		w.look(screen.Working)
		time.Sleep(nudge.InstructionTimeout - 3*time.Second)
		w.wantInstruction(i.ID, nudge.Sent)
		time.Sleep(3 * time.Second)
		w.wantInstruction(i.ID, nudge.TimeoutWaiting)
		if told := w.outcomes(); len(told) != 1 || told[0].Of.(*nudge.Instruction).State != nudge.TimeoutWaiting {
			w.Errorf("told %+v", told)
		}
		time.Sleep(time.Hour)
		if told := w.outcomes(); len(told) != 0 {
			w.Errorf("told again %+v", told)
		}
		w.turn("at last")
		if i := w.wantInstruction(i.ID, nudge.Completed); i.Words != "at last" {
			w.Errorf("its words are %q", i.Words)
		}
		w.wantKinds(w.tell(), nudge.Send)
	})
}

// TestIdleNoticesOff: somebody who queued the words in the chat hears of the outcome anyway.
func TestIdleNoticesOff(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		w.look(screen.Idle)
		i := w.queue("one")
		w.turn("done")
		if told := w.outcomes(); len(told) != 1 || told[0].Of.(*nudge.Instruction).ID != i.ID || told[0].Of.(*nudge.Instruction).Words != "done" {
			w.Errorf("told %+v", told)
		}
	})
}

// TestACommandWithoutATurnIsDone: after /clear the agent is idle as before.
func TestACommandWithoutATurnIsDone(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		s := w.look(screen.Idle)
		w.tell()
		i := w.queue("/clear")
		time.Sleep(5 * time.Second)
		s.At = time.Time{}
		w.see(s)
		w.wantInstruction(i.ID, nudge.Sent)
		time.Sleep(6 * time.Second)
		if i := w.wantInstruction(i.ID, nudge.Completed); i.Words != "" {
			w.Errorf("its words are %q", i.Words)
		}
		if told := w.outcomes(); len(told) != 1 {
			w.Errorf("told %+v", told)
		}
	})
}

// TestAShortTurnsWordsAreReadOffTheScreen: no look saw the agent at work.
func TestAShortTurnsWordsAreReadOffTheScreen(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		w.deliver()
		s := is("%1", screen.Idle)
		s.Since = time.Now().Add(-time.Minute)
		s.Words, s.Said = "of the turn before", "of the turn before"
		s.Worked = true
		w.see(s)
		i := w.queue("one")
		synctest.Wait()
		time.Sleep(time.Second)
		s.Said, s.At = "one is done", time.Now()
		for range 11 {
			w.see(s)
			time.Sleep(time.Second)
			s.At = time.Now()
		}
		if i := w.wantInstruction(i.ID, nudge.Completed); i.Words != "one is done" {
			w.Errorf("its words are %q", i.Words)
		}
	})
}

// TestWordsThatComeLateAreTheResult: an agent may write its last words a moment after its turn.
func TestWordsThatComeLateAreTheResult(t *testing.T) {
	for _, behind := range []bool{false, true} {
		inIdleBubble(t, func(w *world) {
			w.look(screen.Idle)
			i := w.queue("one")
			if behind {
				w.queue("two")
			}
			w.look(screen.Working)
			s := w.look(screen.Idle)
			w.wantInstruction(i.ID, nudge.Completed)
			s.Words, s.At = "late", time.Time{}
			w.see(s)
			if i := w.wantInstruction(i.ID, nudge.Completed); i.Words != "late" {
				w.Errorf("its words are %q", i.Words)
			}
		})
	}
}

func TestAwaitInstructionIsWoken(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Idle)
		i := w.queue("one")
		w.look(screen.Working)
		got := make(chan nudge.Instruction, 1)
		go func() {
			i, err := w.AwaitInstruction(w.Context(), i.ID)
			if err != nil {
				w.Error(err)
			}
			got <- i
		}()
		time.Sleep(time.Minute)
		w.turn("done")
		select {
		case i := <-got:
			if i.State != nudge.Completed || i.Words != "done" {
				w.Errorf("got %+v", i)
			}
		default:
			w.Error("it still waits")
		}
		ctx, cancel := context.WithTimeout(w.Context(), time.Second)
		defer cancel()
		w.look(screen.Working)
		late := w.queue("two")
		if i, err := w.AwaitInstruction(ctx, late.ID); err == nil || i.State != nudge.Queued {
			w.Errorf("got %+v, %v", i, err)
		}
	})
}
