package keeper_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/words"
	"nod/nudge"
	"nod/store"
)

// TestWhatWaitsOnAForgottenMachineIsOver: its questions and queued words end at once, with the reason. Those
// of other machines stay.
func TestWhatWaitsOnAForgottenMachineIsOver(t *testing.T) {
	inBubble(t, func(w *world) {
		there := asks("%1", permission("make there"))
		there.Pane.Machine = "gpu1"
		far, near := w.see(there), w.see(asks("%1", permission("make here")))
		works := is("%2", screen.Working)
		works.Pane.Machine = "gpu1"
		w.see(works)
		a := w.answer(nudge.ByFresh, "")
		a.Text = "then commit"
		queued, err := w.Submit(works.Pane, a, nudge.InstructionTimeout)
		if err != nil || queued.ID == "" {
			t.Fatalf("%+v, %v", queued, err)
		}
		if err := w.Forget("gpu1"); err != nil {
			t.Fatal(err)
		}
		if n := w.wantState(far.ID, nudge.Gone); !strings.Contains(words.Why(n.Detail), "gpu1 was taken out") {
			t.Errorf("it says %q", words.Why(n.Detail))
		}
		w.wantState(near.ID, nudge.Pending)
		w.wantInstruction(queued.ID, nudge.Cancelled)
	})
}

// TestNoReminderIsDueOfAMachineThatIsAway: reminders stop while it is away, and continue when it returns.
func TestNoReminderIsDueOfAMachineThatIsAway(t *testing.T) {
	inBubble(t, func(w *world) {
		there := asks("%1", permission("make there"))
		there.Pane.Machine = "gpu1"
		n, here := w.see(there), w.see(asks("%1", permission("make here")))
		for _, c := range []struct {
			since time.Time
			due   bool
		}{{time.Now(), false}, {time.Time{}, true}} {
			if err := w.Away("gpu1", c.since); err != nil {
				t.Fatal(err)
			}
			if got, _, err := w.Find(n.ID); err != nil || got.Due.IsZero() == c.due {
				t.Errorf("away %v: the next reminder is due at %v (%v)", c.since, got.Due, err)
			}
			if got := w.find(here.ID); got.Due.IsZero() || !got.Away.IsZero() {
				t.Errorf("away %v: here it is due at %v, away %v", c.since, got.Due, got.Away)
			}
		}
	})
}

// TestASnoozedQuestionIsNotSentAgainBeforeItsTime, however often its machine goes away and comes back.
func TestASnoozedQuestionIsNotSentAgainBeforeItsTime(t *testing.T) {
	inBubble(t, func(w *world) {
		there := asks("%1", permission("make there"))
		there.Pane.Machine = "gpu1"
		n := w.see(there)
		w.tell()
		if err := w.Snooze(n.ID, time.Now().Add(2*time.Hour)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			for _, since := range []time.Time{time.Now(), {}} {
				if err := w.Away("gpu1", since); err != nil {
					t.Fatal(err)
				}
				w.wantKinds(kinds(w.tell(), nudge.Send))
			}
		}
		time.Sleep(2 * time.Hour)
		w.tick()
		w.wantKinds(kinds(w.tell(), nudge.Send), nudge.Send)
	})
}

// TestALateOutcomeComesFromItsOwnMachineOnce: a machine's report about an answer with an unknown outcome
// counts, but not a report about another machine's pane, a second report, or one about a known outcome.
func TestALateOutcomeComesFromItsOwnMachineOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		there := shows("%1", permission("make there"))
		there.Pane.Machine = "gpu1"
		n := w.see(there)
		w.tell()
		w.typist.after = deliver.Result{Outcome: deliver.Unknown}
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		w.deliver()
		w.wantState(n.ID, nudge.Unknown)
		late := func(machine string, r deliver.Result, want nudge.State) {
			t.Helper()
			if err := w.Learned(machine, n.ID, r); err != nil {
				t.Fatal(err)
			}
			w.wantState(n.ID, want)
		}
		typed := deliver.Result{Outcome: deliver.Delivered, Keys: []string{"1"}}
		late("other", typed, nudge.Unknown)
		late("", typed, nudge.Unknown)
		late("gpu1", deliver.Result{Outcome: deliver.Unknown}, nudge.Unknown)
		late("gpu1", typed, nudge.Delivered)
		late("gpu1", deliver.Result{Outcome: deliver.Refused, Reason: deliver.Changed}, nudge.Delivered)
		lines, err := w.store.Tail(100)
		if err != nil {
			t.Fatal(err)
		}
		noted := slices.DeleteFunc(lines, func(l store.Line) bool { return l.Kind != nudge.KeyTyped })
		if len(noted) != 1 || !slices.Equal(noted[0].Keys, typed.Keys) {
			t.Errorf("noted are the keys of %+v", noted)
		}
	})
}
