package keeper_test

import (
	"testing"
	"time"

	"nod/detect/screen"
	"nod/nudge"
)

// TestFreshAnswerAsksWhenAnotherCameWithinThirtySeconds, however long ago both came.
func TestFreshAnswerAsksWhenAnotherCameWithinThirtySeconds(t *testing.T) {
	inBubble(t, func(w *world) {
		older, newer := w.two(30 * time.Second)
		time.Sleep(2 * time.Minute)
		v := w.wantFresh(nudge.WhichOne, nudge.Nudge{})
		if len(v.Among) != 2 || v.Among[0].ID != newer.ID || v.Among[1].ID != older.ID || v.Doubt == "" {
			w.Errorf("among %+v, %q", v.Among, v.Doubt)
		}
	})
	inBubble(t, func(w *world) {
		_, newer := w.two(31 * time.Second)
		time.Sleep(10 * time.Second)
		w.wantFresh(nudge.Taken, newer)
	})
}

func TestFreshAnswerAsksWhenTheMessageCameJustNow(t *testing.T) {
	for since, want := range map[time.Duration]nudge.VerdictKind{9 * time.Second: nudge.WhichOne, 10 * time.Second: nudge.Taken} {
		inBubble(t, func(w *world) {
			w.two(time.Minute)
			time.Sleep(since)
			w.give(w.answer(nudge.ByFresh, screen.Approve), want)
		})
	}
}

func TestFreshAnswerAsksWhenAQuestionIsNewer(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		w.see(asks("%2", permission("Which one?")))
		w.tell()
		time.Sleep(time.Hour)
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenAnotherMessageIsNewer(t *testing.T) {
	for _, kind := range []nudge.NoticeKind{nudge.Unrelated, nudge.Several} {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("make")))
			w.told(nudge.Notice{Kind: kind, Place: ann}) // before the nudge's own message: it does not matter
			w.tell()
			w.told(nudge.Notice{Kind: kind, Place: bob}) // in another chat: it does not matter
			w.wantFresh(nudge.Taken, n)
		})
		inBubble(t, func(w *world) {
			w.see(shows("%1", permission("make")))
			w.tell()
			time.Sleep(time.Minute)
			w.told(nudge.Notice{Kind: kind, Place: ann})
			time.Sleep(time.Hour)
			w.wantFresh(nudge.WhichOne, nudge.Nudge{})
		})
	}
}

func TestFreshAnswerAsksAfterAnotherNudgesConsentQuestion(t *testing.T) {
	inBubble(t, func(w *world) {
		p := permission("cat long")
		p.Partial = true
		older := w.see(shows("%1", p))
		w.tell()
		time.Sleep(time.Minute)
		w.see(shows("%2", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		v := w.give(w.replyTo(older.ID, screen.Approve), nudge.AskUnseen)
		w.told(nudge.Notice{Kind: nudge.Consent, Place: ann, Of: nudge.OfNudge{Nudge: v.Nudge}})
		time.Sleep(time.Minute)
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenANewerOneHasJustEnded(t *testing.T) {
	for _, c := range []struct {
		since time.Duration
		want  nudge.VerdictKind
	}{{0, nudge.WhichOne}, {59 * time.Second, nudge.WhichOne}, {time.Minute, nudge.Taken}} {
		inBubble(t, func(w *world) {
			w.two(time.Minute)
			time.Sleep(time.Minute)
			w.see(is("%2", screen.Gone))
			w.tell()
			time.Sleep(c.since)
			w.give(w.answer(nudge.ByFresh, screen.Approve), c.want)
		})
	}
}

// TestFreshAnswerAsksWhenTheNewerOneEndedAfterIt: the answer was meant for the situation when it was written,
// and must not go to the nudge below.
func TestFreshAnswerAsksWhenTheNewerOneEndedAfterIt(t *testing.T) {
	inBubble(t, func(w *world) {
		w.two(time.Minute)
		time.Sleep(time.Minute)
		a := w.answer(nudge.ByFresh, screen.Approve)
		time.Sleep(2 * time.Minute)
		w.see(is("%2", screen.Gone))
		w.tell()
		a.Read = time.Now()
		w.give(a, nudge.WhichOne)
	})
}

func TestFreshAnswerAsksAfterSomebodyElsesAnswer(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		w.deliver()
		_, newer := w.two(time.Minute)
		time.Sleep(time.Minute)
		bobs := w.answer(nudge.ByButton, screen.Deny)
		bobs.Nudge, bobs.By, bobs.Place = newer.ID, nudge.Person{ID: bob, Name: "Bob"}, bob
		w.give(bobs, nudge.Taken)
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

// TestFreshAnswerAsksWhileSomebodyElsesAnswerIsTyped: the newer nudge is claimed, and not over yet.
func TestFreshAnswerAsksWhileSomebodyElsesAnswerIsTyped(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		_, newer := w.two(time.Minute)
		time.Sleep(time.Minute)
		bobs := w.answer(nudge.ByButton, screen.Deny)
		bobs.Nudge, bobs.By, bobs.Place = newer.ID, nudge.Person{ID: bob, Name: "Bob"}, bob
		w.give(bobs, nudge.Taken)
		w.wantState(newer.ID, nudge.Claimed)
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenReadLate(t *testing.T) {
	for late, want := range map[time.Duration]nudge.VerdictKind{
		5 * time.Minute: nudge.Taken, 5*time.Minute + time.Second: nudge.WhichOne,
	} {
		inBubble(t, func(w *world) {
			w.see(shows("%1", permission("make")))
			w.tell()
			a := w.answer(nudge.ByFresh, screen.Approve)
			time.Sleep(late)
			a.Read = time.Now()
			w.give(a, want)
		})
	}
}

func TestReplyToSeveralAsks(t *testing.T) {
	inBubble(t, func(w *world) {
		w.two(time.Minute)
		several := w.told(nudge.Notice{Kind: nudge.Several, Place: ann})
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = several
		if v := w.give(a, nudge.WhichOne); len(v.Among) != 2 {
			w.Errorf("among %+v", v.Among)
		}
	})
}
