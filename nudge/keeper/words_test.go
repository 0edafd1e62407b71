package keeper_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/grant"
	"nod/nudge/keeper"
)

// TestWordsForAPaneAreNoDecision, whatever else comes with them: a question there is neither approved nor chosen from.
func TestWordsForAPaneAreNoDecision(t *testing.T) {
	for name, change := range map[string]func(a *nudge.Answer){
		"a decision": func(a *nudge.Answer) { a.Decision = screen.Approve },
		"an option":  func(a *nudge.Answer) { a.Choice = &deliver.Choice{Index: 0, Label: "Yes"} },
	} {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("make")))
			w.tell()
			w.deliver()
			a := w.answer(nudge.ByCommand, "")
			a.Nudge, a.ReplyTo, a.Shown = n.ID, w.find(n.ID).Copies[0].Message, []nudge.Shown{{Nudge: n.ID, Subject: n.SubjectHash()}}
			change(&a)
			v, err := w.Keeper.Tell(pane("%1"), a)
			if synctest.Wait(); err != nil || v.Kind == nudge.Taken || len(w.typist.asked) > 0 {
				t.Errorf("%s: %s, %v, typed %+v", name, v.Kind, err, w.typist.asked)
			}
			w.wantState(n.ID, nudge.Pending)
		})
	}
}

// TestAGrantThatEndsJustBeforeTheFirstKeyTypesNothing: what was true when the typing was begun no longer counts.
func TestAGrantThatEndsJustBeforeTheFirstKeyTypesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			time.Sleep(grant.Lasts) // the look before the key takes that long
			return deliver.Result{}
		}
		w.see(denied("codex", "t1", "touch a"))
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		w.deliver()
		time.Sleep(grant.Lasts + time.Minute)
		synctest.Wait()
		if d := w.denials(id).Calls[0]; len(w.typist.asked) == 0 || len(w.typist.began) > 0 || d.Grant.State != grant.Open && d.Grant.State != grant.Expired {
			t.Errorf("asked %d times, typed %d, %s", len(w.typist.asked), len(w.typist.began), d.Grant.State)
		}
	})
}

// TestAListThatIsOpenForSomebodyElseIsTold: nod types an instruction there, and marks no call.
func TestAListThatIsOpenForSomebodyElseIsTold(t *testing.T) {
	inBubble(t, func(w *world) {
		list := asks("%1", permission("touch a"))
		list.Agent, list.Prompt.Shape = "codex", "codex.denials"
		before := 0
		w.typist.typing = func() { before = len(w.all()); w.see(list) }
		w.see(denied("codex", "t1"))
		w.queue("run the tests")
		w.deliver()
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := w.newest(pane("%1")); len(w.typist.began) != 1 || len(w.all()) == before || n.Prompt() == nil || n.Prompt().Shape != "codex.denials" {
			t.Errorf("typed %d times, %d questions, %d before", len(w.typist.began), len(w.all()), before)
		}
	})
}

// TestAGrantIsForTheAgentThatWasDenied: another agent that makes the very same call, as one that goes on with the session does, was
// allowed nothing.
func TestAGrantIsForTheAgentThatWasDenied(t *testing.T) {
	inBubble(t, func(w *world) {
		first, second := is("%1", screen.Working), is("%2", screen.Working)
		again := first
		again.Process.PID++
		w.see(first)
		w.see(second)
		of, _ := w.deny("git push", 0)
		w.allow(of)
		before := func(s detect.Sighting) nudge.Verdicts {
			_, what, err := w.Before(s, callOf("git push"), never)
			if err != nil {
				t.Fatal(err)
			}
			return what
		}
		for name, s := range map[string]detect.Sighting{"in another pane": second, "started again": again} {
			if what := before(s); what != "" {
				t.Errorf("an agent %s: %s", name, what)
			}
		}
		if _, _, _, err := w.Deny(second, nudge.Blocked{Call: callOf("git push"), Text: "git push"}, 0); err != nil {
			t.Fatal(err)
		}
		if what := before(second); what != "" {
			t.Errorf("one that was denied the same: %s", what)
		}
		if what := before(first); what != nudge.Lets {
			t.Errorf("its own: %q", what)
		}
	})
}

// TestWhatHoldsAnInstructionInTheLastMomentHoldsIt: it waits on, and is sent when nothing holds it any more.
func TestWhatHoldsAnInstructionInTheLastMomentHoldsIt(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Idle)
		asked := false
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			if !asked {
				asked = true
				w.see(shows("%1", permission("make")))
			}
			return deliver.Result{}
		}
		placed := w.queue("run the tests")
		w.deliver()
		time.Sleep(time.Minute)
		synctest.Wait()
		if w.wantInstruction(placed.Instruction.ID, nudge.Queued); !asked || len(w.typist.began) > 0 {
			t.Errorf("asked %t, typed %d times", asked, len(w.typist.began))
		}
		w.look(screen.Working)
		w.look(screen.Working)
		w.look(screen.Idle)
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(w.typist.began) != 1 {
			t.Errorf("typed %d times", len(w.typist.began))
		}
	})
}

// TestACrashWhileACallIsMarkedLeavesItUnknown, and it is never marked again.
func TestACrashWhileACallIsMarkedLeavesItUnknown(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("codex", "t1", "touch a"))
		id := w.one().ID
		w.allow(keeper.Denied{ID: id})
		w.hangAtTheKey()
		if state := w.denials(id).Calls[0].Grant.State; state != grant.Taken {
			t.Fatalf("it is %s", state)
		}
		w.restartHung()
		w.see(denied("codex", "t1", "touch a"))
		time.Sleep(time.Minute)
		synctest.Wait()
		if state := w.denials(id).Calls[0].Grant.State; state != grant.Unknown || len(w.typist.asked) > 0 {
			t.Errorf("it is %s, typed %+v", state, w.typist.asked)
		}
	})
}

// TestATurnThatFailedOffersTheWordsThatItWasGiven to be sent again, and one that is done offers none.
func TestATurnThatFailedOffersTheWordsThatItWasGiven(t *testing.T) {
	for _, failed := range []bool{true, false} {
		inBubble(t, func(w *world) {
			w.rules.Idle = true
			w.look(screen.Idle)
			w.deliver()
			w.queue("run the tests")
			w.wantTexts("run the tests")
			w.look(screen.Working)
			time.Sleep(time.Second)
			s := is("%1", screen.Idle)
			s.Since, s.Worked, s.Words = time.Now(), true, "so far"
			if failed {
				s.Blocked = reason.Why{Kind: reason.ServerFails}
			}
			n := w.see(s)
			if turn, ended := n.About.(nudge.TurnEnded); !ended || (turn.Resend == "run the tests") != failed || !failed && turn.Resend != "" || turn.Blocked.IsZero() == failed {
				t.Errorf("failed %t: %+v", failed, n.About)
			}
		})
	}
}
