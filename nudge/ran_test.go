package nudge_test

import (
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

func (d *desk) ran(fingerprint string) {
	d.Helper()
	err := d.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: fingerprint, Took: 12 * time.Second, At: time.Now()})
	if err != nil {
		d.Fatal(err)
	}
}

// answered opens a nudge, has it answered and tells all of it.
func (d *desk) answered(subject string, decision detect.Decision) nudge.Nudge {
	d.Helper()
	n := d.see(shows("%1", permission(subject)))
	d.tell()
	d.give(d.replyTo(n.ID, decision), nudge.Taken)
	time.Sleep(3 * time.Second)
	d.see(is("%1", detect.Working))
	d.tell()
	return d.find(n.ID)
}

func TestEffectIsToldOnceMore(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.answered("make", detect.Approve)
		d.wantKinds(d.tell())
		d.ran("fp:make")
		said := d.tell()
		d.wantKinds(said, nudge.Close)
		e := said[0].Nudge.Effect
		if !said[0].Newest || e == nil || e.Failed || e.Took != 12*time.Second || said[0].Nudge.State != nudge.Delivered {
			d.Errorf("told %+v", said[0])
		}
		d.ran("fp:make")
		d.ran("fp:other")
		d.wantKinds(d.tell())
		d.wantState(n.ID, nudge.Delivered)
	})
}

// TestEffectWhileTheKeyIsStillWatched: a quick tool is done before the prompt was seen to go.
func TestEffectWhileTheKeyIsStillWatched(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.typist.typing = func() { d.ran("fp:make") }
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		if got := d.wantState(n.ID, nudge.Delivered); got.Effect == nil {
			d.Error("the effect is lost")
		}
	})
}

func TestEffectIsClaimedOnlyWhereItIsCertain(t *testing.T) {
	effect := func(d *desk, id string, want bool) {
		d.Helper()
		if got := d.find(id).Effect != nil; got != want {
			d.Errorf("#%s has an effect: %t", id, got)
		}
	}
	inIdleBubble(t, func(d *desk) { // denied
		n := d.answered("make", detect.Deny)
		d.ran("fp:make")
		effect(d, n.ID, false)
	})
	inIdleBubble(t, func(d *desk) { // too long ago
		n := d.answered("make", detect.Approve)
		time.Sleep(24 * time.Hour)
		d.ran("fp:make")
		effect(d, n.ID, false)
	})
	inIdleBubble(t, func(d *desk) { // it may be the call before, or the one that is just answered
		n := d.answered("make", detect.Approve)
		time.Sleep(time.Minute)
		again := d.see(shows("%1", permission("make")))
		d.tell()
		d.typist.typing = func() { d.ran("fp:make") }
		d.give(d.replyTo(again.ID, detect.Approve), nudge.Taken)
		d.wantState(again.ID, nudge.Delivered)
		effect(d, n.ID, false)
		effect(d, again.ID, false)
	})
	inIdleBubble(t, func(d *desk) { // the same question stands once more: the call before has ended
		n := d.answered("make", detect.Approve)
		time.Sleep(time.Minute)
		again := d.see(shows("%1", permission("make")))
		d.ran("fp:make")
		effect(d, n.ID, true)
		effect(d, again.ID, false)
		d.wantState(again.ID, nudge.Pending)
	})
	inIdleBubble(t, func(d *desk) { // another pane's
		n := d.answered("make", detect.Approve)
		if err := d.Ran(detect.Effect{Pane: pane("%2"), Fingerprint: "fp:make"}); err != nil {
			d.Fatal(err)
		}
		effect(d, n.ID, false)
	})
}

func TestEffectProvesAnAnswerAtTheTerminal(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		d.ran("fp:make")
		if got := d.wantState(n.ID, nudge.Recovered); got.Proof != "approved" || got.Effect == nil {
			d.Errorf("proof %q, effect %+v", got.Proof, got.Effect)
		}
	})
}

// TestUnknownStaysUnknown: an effect says that the answer landed, and does not change what nod saw.
func TestUnknownStaysUnknown(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		d.typist.after = deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Keys: []string{"1"}}
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		d.tell()
		look := is("%1", detect.Working)
		look.Proof = "approved"
		d.see(look)
		d.see(look)
		if got := d.wantState(n.ID, nudge.Unknown); got.Proof != "" || got.Effect != nil {
			d.Errorf("proof %q, effect %+v", got.Proof, got.Effect)
		}
		d.wantKinds(d.tell())
		d.ran("fp:make")
		if got := d.wantState(n.ID, nudge.Unknown); got.Effect == nil {
			d.Error("the effect is lost")
		}
		d.wantKinds(d.tell(), nudge.Close)
	})
}
