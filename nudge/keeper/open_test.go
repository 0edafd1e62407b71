package keeper_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
	"nod/nudge/keeper"
)

// TestEverythingThatWaitsIsOpen, in all panes, and what was answered lately, the newest first. Nothing else is.
func TestEverythingThatWaitsIsOpen(t *testing.T) {
	inBubble(t, func(w *world) {
		began := time.Now()
		open := func() keeper.Open {
			o, err := w.Open(began)
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		w.look(screen.Working)
		wish := w.wish("run the tests")
		queued := w.queue("and the linter").Instruction
		of, _ := w.deny("git push", 0)
		asked := w.see(shows("%2", permission("make")))
		if o := open(); len(o.Nudges) != 1 || o.Nudges[0].ID != asked.ID || len(o.Denials) != 1 || o.Denials[0].ID != of.ID || len(o.Wishes) != 1 || o.Wishes[0].ID != wish.ID ||
			len(o.Queued) != 1 || o.Queued[0].ID != queued.ID || len(o.Answered) > 0 {
			t.Errorf("all wait: %+v", o)
		}
		w.tell()
		w.give(w.replyTo(asked.ID, screen.Deny), nudge.Taken)
		if o := open(); len(o.Nudges) != 1 || len(o.Answered) > 0 {
			t.Errorf("while one is being answered: %+v", o)
		}
		w.deliver()
		w.see(shows("%3", permission("ls")))
		for range 3 { // gone without an answer
			time.Sleep(time.Second)
			w.see(is("%3", screen.Working))
		}
		time.Sleep(time.Minute)
		later := w.see(shows("%2", permission("make install")))
		w.tell()
		w.give(w.replyTo(later.ID, screen.Deny), nudge.Taken)
		w.allow(of)
		if _, err := w.DropWish(w.tapAt(ann, wish.ID)); err != nil {
			t.Fatal(err)
		}
		if _, err := w.CancelInstruction(queued.ID, nudge.Person{ID: ann, Name: "Ann"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if o := open(); len(o.Nudges)+len(o.Denials)+len(o.Wishes)+len(o.Queued) > 0 || len(o.Answered) != 2 || o.Answered[0].ID != later.ID || o.Answered[1].ID != asked.ID {
			t.Errorf("all are decided: %+v", o)
		}
	})
}

// TestATapOnADeniedCallCountsAsOfNow: not once its time is up or its agent has left, though nothing has looked since.
func TestATapOnADeniedCallCountsAsOfNow(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		of, _ := w.deny("git push", 0)
		d := w.denials(of.ID)
		time.Sleep(time.Until(d.Due))
		placed, err := w.AllowDenied(w.tapAt(ann, of.ID), 0, d.Fingerprint(0))
		if err != nil || placed.Reason != deliver.Expired || placed.Denials == nil || placed.Denials.Ended.IsZero() {
			t.Errorf("its time is up: %+v, %v", placed, err)
		}
		if what := w.before("git push"); what != "" {
			t.Errorf("the call: %s", what)
		}
		if placed, err = w.AllowDenied(w.tapAt(ann, "none"), 0, d.Fingerprint(0)); err != nil || placed.Reason != deliver.NotFound {
			t.Errorf("a message that nobody knows: %+v, %v", placed, err)
		}
	})
}

// TestAStopEndsOnlyTheStoppedAgentsCalls: Escape in one pane says nothing of another.
func TestAStopEndsOnlyTheStoppedAgentsCalls(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		other := is("%2", screen.Working)
		w.see(other)
		of, _ := w.deny("git push", 0)
		for _, s := range []detect.Sighting{other, is("%1", screen.Working)} {
			if open := w.denials(of.ID); !open.Open(0) {
				t.Fatalf("it ended with %+v", s.Pane)
			}
			time.Sleep(time.Second)
			if err := w.Escape(s.Whereabouts, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		if d := w.denials(of.ID); d.Open(0) {
			t.Error("it goes on after a stop")
		}
	})
}

// TestARefusedTapTellsTheAgentNothing: neither one about another call than was shown, nor one to try a call again that nobody allowed.
func TestARefusedTapTellsTheAgentNothing(t *testing.T) {
	for _, agent := range []string{"codex", "claude"} { // one has a list of denied calls, the other is told in words
		inBubble(t, func(w *world) {
			w.deliver()
			w.see(denied(agent, "t1", "touch a"))
			id := w.one().ID
			for name, tap := range map[string]func() (nudge.Placed, error){
				"another call":       func() (nudge.Placed, error) { return w.AllowDenied(w.tapAt(ann, id), 0, "0.another") },
				"a call that is not": func() (nudge.Placed, error) { return w.AllowDenied(w.tapAt(ann, id), 7, "7.another") },
				"to try again":       func() (nudge.Placed, error) { return w.TellToTryAgain(w.tapAt(ann, id), 0) },
			} {
				if placed, err := tap(); err != nil || placed.Reason == "" {
					t.Errorf("%s, %s: %+v, %v", agent, name, placed, err)
				}
			}
			w.see(denied(agent, "t1", "touch a"))
			time.Sleep(time.Minute)
			synctest.Wait()
			if o, err := w.Open(time.Now()); err != nil || len(o.Queued)+len(w.typist.asked) > 0 {
				t.Errorf("%s: queued %+v, typed %+v, %v", agent, o.Queued, w.typist.asked, err)
			}
		})
	}
}
