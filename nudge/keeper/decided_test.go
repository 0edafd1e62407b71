package keeper_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/nudge"
	"nod/nudge/keeper"
	"nod/store"
)

// leave keeps a call denied.
func (w *world) leave(of keeper.Denied) {
	w.Helper()
	if placed, err := w.LeaveDenied(w.tapAt(ann, of.ID), of.Call); err != nil || placed.Reason != "" {
		w.Fatal(placed.Refusal, err)
	}
}

// notedOf are the kinds of the events about a record, and who did it.
func (w *world) notedOf(id string) (list []string) {
	w.Helper()
	lines, err := w.store.After(0, 1000)
	if err != nil {
		w.Fatal(err)
	}
	for _, l := range lines {
		if l.Instruction == id || l.Nudge == id {
			list = append(list, l.Kind+" by "+l.By)
		}
	}
	return list
}

// TestAHookIsToldWhatSomebodyHasDecided, once there is a decision, and it is noted who has decided.
func TestAHookIsToldWhatSomebodyHasDecided(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		if err := w.AwaitDecision(w.Context(), keeper.Denied{ID: "none"}); err != nil {
			t.Error("of a call that is not known:", err)
		}
		let, _ := w.deny("make", 0)
		left, _ := w.deny("rm -r build", 0)
		for _, c := range []struct {
			of     keeper.Denied
			decide func(keeper.Denied)
		}{{let, w.allow}, {left, w.leave}} {
			soon, cancel := context.WithTimeout(w.Context(), time.Minute)
			defer cancel()
			if err := w.AwaitDecision(soon, c.of); err != context.DeadlineExceeded {
				t.Error("before anybody has decided:", err)
			}
			decided := make(chan error, 1)
			go func() { decided <- w.AwaitDecision(w.Context(), c.of) }()
			synctest.Wait()
			c.decide(c.of)
			synctest.Wait()
			select {
			case err := <-decided:
				if err != nil {
					t.Error(err)
				}
			default:
				t.Fatal("it waits on")
			}
		}
		if got := w.before("git status"); got != "" {
			t.Errorf("of a call that was never denied: %s", got)
		}
		if got := w.before("make"); got != nudge.Lets {
			t.Errorf("the call that was allowed: %s", got)
		}
		if got := w.before("rm -r build"); got != nudge.Stops {
			t.Errorf("the call that was left denied: %s", got)
		}
		want := []string{
			"call blocked by hook", "call blocked by hook", "call allowed by No. 1001", "call left by No. 1001", "call let through by No. 1001", "call stopped by No. 1001",
		}
		if got := w.notedOf(let.ID); !slices.Equal(got, want) {
			t.Errorf("noted is %q", got)
		}
	})
}

// TestAMachineHearsOfDecisionsAboutItsOwnCalls.
func TestAMachineHearsOfDecisionsAboutItsOwnCalls(t *testing.T) {
	inBubble(t, func(w *world) {
		var sums []string
		for _, machine := range []string{"", "gpu1"} {
			look := is("%1", screen.Working)
			look.Pane.Machine = machine
			w.see(look)
			for _, command := range []string{"make", "ls"} {
				call := callOf(machine + command)
				of, _, ok, err := w.Deny(look, nudge.Blocked{Call: call, Text: command}, 0)
				if !ok || err != nil {
					t.Fatal(ok, err)
				}
				if command == "make" {
					w.allow(of)
					sums = append(sums, call.Sum())
				}
			}
		}
		for i, machine := range []string{"", "gpu1", "gpu2"} {
			if got := w.Decided(machine); i < 2 && !slices.Equal(got, sums[i:i+1]) || i == 2 && got != nil {
				t.Errorf("%q hears of %q", machine, got)
			}
		}
	})
}

// TestDeniedCallsAreListed from the oldest on: those that wait, and all. Calls of the next turn have a message of their own.
func TestDeniedCallsAreListed(t *testing.T) {
	inBubble(t, func(w *world) {
		var ids []string
		for i := range 6 {
			look := w.look(screen.Working)
			of, _ := w.deny(fmt.Sprint("make ", i), 0)
			if again, _ := w.deny(fmt.Sprint("make ", i), 0); again != of || slices.Contains(ids, of.ID) {
				t.Errorf("call %d has %+v, and again %+v", i, of, again)
			}
			ids = append(ids, of.ID)
			if err := w.EndTurn(look.Whereabouts, time.Time{}); err != nil {
				t.Fatal(err)
			}
		}
		idsOf := func(list []nudge.Denials, err error) (ids []string) {
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range list {
				ids = append(ids, d.ID)
			}
			return ids
		}
		if got := idsOf(w.Keeper.Denials()); !slices.Equal(got, ids) {
			t.Errorf("listed are %q, want %q", got, ids)
		}
		w.see(is("%1", screen.Gone))
		if got := idsOf(w.Keeper.Denials()); got != nil {
			t.Errorf("of an agent that is gone %q are listed", got)
		}
		all := idsOf(w.AllDenials())
		slices.Sort(all)
		slices.Sort(ids)
		if !slices.Equal(all, ids) {
			t.Errorf("all are %q, want %q", all, ids)
		}
	})
}

// TestAnEscapeAfterNodsOwnNoEndsNothing, though the agent has asked something else since.
func TestAnEscapeAfterNodsOwnNoEndsNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		w.look(screen.Working)
		of, _ := w.deny("make", 0)
		n := w.see(shows("%1", permission("ls")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Deny), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
		time.Sleep(time.Second)
		w.see(shows("%1", permission("cat x")))
		if err := w.Escape(is("%1", screen.Working).Whereabouts, time.Now()); err != nil {
			t.Fatal(err)
		}
		if d := w.denials(of.ID); !d.Ended.IsZero() {
			t.Errorf("they have ended: %+v", d.Detail)
		}
		time.Sleep(time.Minute)
		if err := w.Escape(is("%1", screen.Working).Whereabouts, time.Now()); err != nil {
			t.Fatal(err)
		}
		if d := w.denials(of.ID); d.Ended.IsZero() {
			t.Error("they have not ended with the turn that a person has stopped")
		}
	})
}

// TestWhatWaitsInAPaneThatWentIsOver, whatever it is and whatever else waits there.
func TestWhatWaitsInAPaneThatWentIsOver(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("run the tests")
		for _, id := range []string{"%2", "%3"} {
			w.see(is(id, screen.Working))
		}
		look := is("%2", screen.Working)
		of, _, ok, err := w.Deny(look, nudge.Blocked{Call: callOf("make"), Text: "make"}, 0)
		if !ok || err != nil {
			t.Fatal(ok, err)
		}
		time.Sleep(time.Second)
		other, err := w.Wish(pane("%3"), "stay", itself, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := w.Wishes(nil); err != nil || len(list) != 2 || list[0].ID != wish.ID {
			t.Errorf("wishes are %+v, %v", list, err)
		}
		if list, err := w.Wishes(&other.Wish.Pane); err != nil || len(list) != 1 || list[0].ID != other.Wish.ID {
			t.Errorf("those of %%3 are %+v, %v", list, err)
		}
		w.tell()
		w.restart()
		became := map[detect.PaneRef]screen.State{pane("%1"): screen.Gone, pane("%2"): screen.Gone}
		if err := w.Lost(func(p detect.PaneRef) screen.State { return became[p] }, time.Now()); err != nil {
			t.Fatal(err)
		}
		w.wantWish(wish.ID, nudge.WishVoid)
		w.wantWish(other.Wish.ID, nudge.Wished)
		if list, err := w.Wishes(nil); err != nil || len(list) != 1 {
			t.Errorf("wishes are %+v, %v", list, err)
		}
		if d := w.denials(of.ID); d.Ended.IsZero() {
			t.Error("the denied calls have not ended")
		}
	})
}

// TestAnAgentThatNobodyHasSeenHasNoDeniedCalls, even if its process is unknown.
func TestAnAgentThatNobodyHasSeenHasNoDeniedCalls(t *testing.T) {
	inBubble(t, func(w *world) {
		look := is("%1", screen.Working)
		look.Process = proc.ID{}
		if of, _, ok, err := w.Deny(look, nudge.Blocked{Call: callOf("make")}, 0); ok || err != nil {
			t.Errorf("%+v, %v", of, err)
		}
	})
}

// TestASetClockMovesWhatEndsWithTime, of every kind, and no more than by its step.
func TestASetClockMovesWhatEndsWithTime(t *testing.T) {
	for _, by := range []time.Duration{48 * time.Hour, -48 * time.Hour} {
		inBubble(t, func(w *world) {
			w.deliver()
			w.rules.Presence = 0
			w.look(screen.Idle)
			queued := w.queue("run the tests")
			w.wantInstruction(queued.ID, nudge.Sent)
			w.look(screen.Working) // an idle agent would seem to have done it once its sending moves back
			s := is("%2", screen.Working)
			w.see(s)
			placed, err := w.Wish(s.Pane, "commit", itself, time.Hour)
			if err != nil || placed.Reason != "" {
				t.Fatal(placed.Refusal, err)
			}
			of, wait, ok, err := w.Deny(s, nudge.Blocked{Call: callOf("make")}, time.Minute)
			if !ok || err != nil || wait != time.Minute {
				t.Fatal(ok, wait, err)
			}
			w.tick()
			sent, due, ends := w.wantInstruction(queued.ID, nudge.Sent).Sent, w.wishNow(placed.Wish.ID).Due, w.denials(of.ID).Due
			time.Sleep(10 * time.Second)
			if err := w.Tick(time.Now().Add(by)); err != nil {
				t.Fatal(err)
			}
			for name, moved := range map[string]time.Duration{
				"an instruction": w.wantInstruction(queued.ID, nudge.Sent).Sent.Sub(sent), "a wish": w.wishNow(placed.Wish.ID).Due.Sub(due), "denied calls": w.denials(of.ID).Due.Sub(ends),
			} {
				if moved != by {
					t.Errorf("%s moved by %s, and the clock by %s", name, moved, by)
				}
			}
			var holds []nudge.Holds
			if err := w.store.View(func(tx *store.Tx) error { holds = tx.Holds(); return nil }); err != nil {
				t.Fatal(err)
			}
			if len(holds) != 1 || len(holds[0].Held) != 1 || time.Until(holds[0].Held[0]) != by+50*time.Second {
				t.Errorf("after %s hooks wait as %+v", by, holds)
			}
		})
	}
}

// TestWhatEndsLaterIsAnsweredLater in the list of what was answered, newest first. What nobody has answered is not there.
func TestWhatEndsLaterIsAnsweredLater(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		first, second, alone := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("ls"))), w.see(shows("%3", permission("cat")))
		w.tell()
		for _, n := range []nudge.Nudge{second, first} {
			time.Sleep(time.Second)
			w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		}
		w.see(is("%3", screen.Gone))
		w.see(asks("%4", permission("stands")))
		stands := w.newest(pane("%4"))
		for range 20 { // until it expires
			w.tell()
			time.Sleep(time.Hour)
			w.tick()
			w.see(asks("%4", permission("stands")))
		}
		o, err := w.Open(time.Now().Add(-24 * time.Hour))
		if err != nil || len(o.Answered) != 2 || o.Answered[0].ID != first.ID || o.Answered[1].ID != second.ID {
			t.Errorf("answered are %+v, %v", o.Answered, err)
		}
		if len(o.Nudges) != 1 || o.Nudges[0].ID != stands.ID || o.Nudges[0].State != nudge.Expired {
			t.Errorf("open are %+v", o.Nudges)
		}
		w.tell()
		all, err := w.List(true)
		if err != nil || !slices.ContainsFunc(all, func(n nudge.Nudge) bool { return n.ID == alone.ID }) {
			t.Errorf("all are %+v, %v", all, err)
		}
		if open, err := w.List(false); err != nil || len(open) != 0 {
			t.Errorf("pending are %+v, %v", open, err)
		}
	})
}

// TestTheNextWordsGoAtOnce when what was before them is gone, without another look and without waiting.
func TestTheNextWordsGoAtOnce(t *testing.T) {
	for name, change := range map[string]func(w *world, first, second string) error{
		"cancelled": func(w *world, first, _ string) error {
			_, err := w.CancelInstruction(first, nudge.Person{ID: ann})
			return err
		},
		"moved": func(w *world, _, second string) error {
			moved, err := w.MoveUp(second)
			if moved.ID != second {
				w.Errorf("moved is %+v", moved)
			}
			return err
		},
	} {
		inIdleBubble(t, func(w *world) {
			w.refuseNext(deliver.CopyMode)
			w.look(screen.Idle)
			first, second := w.queue("one"), w.queue("two")
			w.wantTexts("one")
			w.refuseNext("")
			begin := time.Now()
			if err := change(w, first.ID, second.ID); err != nil {
				t.Fatal(err)
			}
			w.wantTexts("one", "two")
			if took := time.Since(begin); took != 0 {
				t.Errorf("%s: it takes %s", name, took)
			}
		})
	}
}
