package keeper_test

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

func (w *world) ran(fingerprint string) {
	w.Helper()
	err := w.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: fingerprint, Took: 12 * time.Second, At: time.Now()})
	if err != nil {
		w.Fatal(err)
	}
}

// answered opens a nudge, has it answered, and carries out its notices.
func (w *world) answered(subject string, decision screen.Decision) nudge.Nudge {
	w.Helper()
	n := w.see(shows("%1", permission(subject)))
	w.tell()
	w.give(w.replyTo(n.ID, decision), nudge.Taken)
	time.Sleep(3 * time.Second)
	w.see(is("%1", screen.Working))
	w.tell()
	return w.find(n.ID)
}

func TestEffectIsToldOnceMore(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.answered("make", screen.Approve)
		w.wantKinds(w.tell())
		w.ran("fp:make")
		said := w.tell()
		w.wantKinds(said, nudge.Close)
		e := said[0].Nudge().Effect
		if !said[0].Newest || e == nil || e.Failed || e.Took != 12*time.Second || said[0].Nudge().State != nudge.Delivered {
			w.Errorf("told %+v", said[0])
		}
		w.ran("fp:make")
		w.ran("fp:other")
		w.wantKinds(w.tell())
		w.wantState(n.ID, nudge.Delivered)
	})
}

// TestEffectWhileTheKeyIsStillWatched: a quick tool finishes before the prompt was seen to disappear.
func TestEffectWhileTheKeyIsStillWatched(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.typist.typing = func() { w.ran("fp:make") }
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		if got := w.wantState(n.ID, nudge.Delivered); got.Effect == nil {
			w.Error("the effect is lost")
		}
	})
}

func TestEffectIsClaimedOnlyWhereItIsCertain(t *testing.T) {
	effect := func(w *world, id string, want bool) {
		w.Helper()
		if got := w.find(id).Effect != nil; got != want {
			w.Errorf("#%s has an effect: %t", id, got)
		}
	}
	inIdleBubble(t, func(w *world) { // denied
		n := w.answered("make", screen.Deny)
		w.ran("fp:make")
		effect(w, n.ID, false)
	})
	inIdleBubble(t, func(w *world) { // too long ago
		n := w.answered("make", screen.Approve)
		time.Sleep(24 * time.Hour)
		w.ran("fp:make")
		effect(w, n.ID, false)
	})
	inIdleBubble(t, func(w *world) { // it may be the previous call, or the one that was just answered
		n := w.answered("make", screen.Approve)
		time.Sleep(time.Minute)
		again := w.see(shows("%1", permission("make")))
		w.tell()
		w.typist.typing = func() { w.ran("fp:make") }
		w.give(w.replyTo(again.ID, screen.Approve), nudge.Taken)
		w.wantState(again.ID, nudge.Delivered)
		effect(w, n.ID, false)
		effect(w, again.ID, false)
	})
	inIdleBubble(t, func(w *world) { // the same question again: the previous call has ended
		n := w.answered("make", screen.Approve)
		time.Sleep(time.Minute)
		again := w.see(shows("%1", permission("make")))
		w.ran("fp:make")
		effect(w, n.ID, true)
		effect(w, again.ID, false)
		w.wantState(again.ID, nudge.Pending)
	})
	inIdleBubble(t, func(w *world) { // in another pane
		n := w.answered("make", screen.Approve)
		if err := w.Ran(detect.Effect{Pane: pane("%2"), Fingerprint: "fp:make"}); err != nil {
			w.Fatal(err)
		}
		effect(w, n.ID, false)
	})
}

func TestEffectProvesAnAnswerAtTheTerminal(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		w.ran("fp:make")
		if got := w.wantState(n.ID, nudge.Recovered); got.Proof != "approved" || got.Effect == nil {
			w.Errorf("proof %q, effect %+v", got.Proof, got.Effect)
		}
	})
}

// TestUnknownStaysUnknown: an effect shows that the answer arrived, but does not change what nod saw.
func TestUnknownStaysUnknown(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.typist.after = deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Keys: []string{"1"}}
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		w.tell()
		look := is("%1", screen.Working)
		look.Proof = "approved"
		w.see(look)
		w.see(look)
		if got := w.wantState(n.ID, nudge.Unknown); got.Proof != "" || got.Effect != nil {
			w.Errorf("proof %q, effect %+v", got.Proof, got.Effect)
		}
		w.wantKinds(w.tell())
		w.ran("fp:make")
		if got := w.wantState(n.ID, nudge.Unknown); got.Effect == nil {
			w.Error("the effect is lost")
		}
		w.wantKinds(w.tell(), nudge.Close)
	})
}

// TestEffectOfAnotherCall: the prompts of two calls look alike, and one call has ended.
func TestEffectOfAnotherCall(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		p := permission("make")
		p.Call = "c1"
		n := w.see(shows("%1", p))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		time.Sleep(3 * time.Second)
		for _, call := range []string{"c2", "c1"} {
			if w.find(n.ID).Effect != nil {
				w.Error("the end of another call is told of this one")
			}
			if err := w.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: "fp:make", Call: call, At: time.Now()}); err != nil {
				w.Fatal(err)
			}
		}
		if w.find(n.ID).Effect == nil {
			w.Error("its own end is not told")
		}
	})
}
