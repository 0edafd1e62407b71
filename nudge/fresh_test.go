package nudge_test

import (
	"testing"
	"time"

	"nod/detect"
	"nod/nudge"
)

// two opens a nudge, tells Ann, waits, and does the same with another.
func (d *desk) two(apart time.Duration) (older, newer nudge.Nudge) {
	d.Helper()
	older = d.see(shows("%1", permission("make")))
	d.tell()
	time.Sleep(apart)
	newer = d.see(shows("%2", permission("rm -rf build")))
	d.tell()
	return older, newer
}

// fresh is what a bare y means at this moment, by what the verdict says: "older", "newer", "which".
func (d *desk) wantFresh(want nudge.VerdictKind, means nudge.Nudge) nudge.Verdict {
	d.Helper()
	v := d.give(d.answer(nudge.ByFresh, detect.Approve), want)
	if v.Nudge.ID != means.ID {
		d.Fatalf("it means #%s, want #%s", v.Nudge.ID, means.ID)
	}
	return v
}

func TestFreshAnswerMeansTheLastMessage(t *testing.T) {
	inBubble(t, func(d *desk) {
		_, newer := d.two(time.Minute)
		time.Sleep(time.Minute)
		d.wantFresh(nudge.Taken, newer)
	})
}

func TestFreshAnswerMeansTheLastReminder(t *testing.T) {
	inBubble(t, func(d *desk) {
		older, _ := d.two(4 * time.Minute)
		time.Sleep(time.Minute)
		d.wantReminders(2)
		time.Sleep(time.Minute)
		d.wantFresh(nudge.Taken, older)
	})
}

// TestFreshAnswerGoesByTelegramsDates: a message that came after the answer was written is none that
// it could mean.
func TestFreshAnswerGoesByTelegramsDates(t *testing.T) {
	inBubble(t, func(d *desk) {
		older := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		a := d.answer(nudge.ByFresh, detect.Approve)
		time.Sleep(5 * time.Second)
		d.see(shows("%2", permission("rm -rf build")))
		d.tell()
		a.Read = time.Now()
		if v := d.give(a, nudge.Taken); v.Nudge.ID != older.ID {
			d.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

func TestFreshAnswerInTheSameSecond(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		before := d.answer(nudge.ByFresh, detect.Approve)
		d.tell()
		d.give(before, nudge.NothingDue)
		d.wantFresh(nudge.Taken, n)
	})
}

func TestFreshAnswerNamesItsNudge(t *testing.T) {
	inBubble(t, func(d *desk) {
		older, _ := d.two(time.Second)
		a := d.answer(nudge.ByFresh, detect.Approve)
		a.Nudge = older.ID
		if v := d.give(a, nudge.Taken); v.Nudge.ID != older.ID {
			d.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

func TestFreshAnswerAsksWhenAnotherCameWithinThirtySeconds(t *testing.T) {
	inBubble(t, func(d *desk) {
		older, newer := d.two(10 * time.Second)
		time.Sleep(20 * time.Second) // the older one's message came exactly thirty seconds ago
		v := d.wantFresh(nudge.WhichOne, nudge.Nudge{})
		if len(v.Among) != 2 || v.Among[0].ID != newer.ID || v.Among[1].ID != older.ID {
			d.Errorf("among %+v", v.Among)
		}
		time.Sleep(time.Second)
		d.wantFresh(nudge.Taken, newer)
	})
}

func TestFreshAnswerAsksWhenAQuestionIsNewer(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		d.see(asks("%2", permission("Which one?")))
		d.tell()
		time.Sleep(time.Hour)
		d.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenAnotherMessageIsNewer(t *testing.T) {
	for _, kind := range []nudge.NoticeKind{nudge.Aside, nudge.Several} {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", permission("make")))
			d.told(nudge.Notice{Kind: kind, Chat: ann}) // before the nudge's own: no matter
			d.tell()
			d.told(nudge.Notice{Kind: kind, Chat: bob}) // in another chat: no matter
			d.wantFresh(nudge.Taken, n)
		})
		inBubble(t, func(d *desk) {
			d.see(shows("%1", permission("make")))
			d.tell()
			time.Sleep(time.Minute)
			d.told(nudge.Notice{Kind: kind, Chat: ann})
			time.Sleep(time.Hour)
			d.wantFresh(nudge.WhichOne, nudge.Nudge{})
		})
	}
}

func TestFreshAnswerAsksAfterAnotherNudgesConsentQuestion(t *testing.T) {
	inBubble(t, func(d *desk) {
		p := permission("cat long")
		p.Partial = true
		older := d.see(shows("%1", p))
		d.tell()
		time.Sleep(time.Minute)
		d.see(shows("%2", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		v := d.give(d.replyTo(older.ID, detect.Approve), nudge.AskUnseen)
		d.told(nudge.Notice{Kind: nudge.Consent, Chat: ann, Nudge: v.Nudge})
		time.Sleep(time.Minute)
		d.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenANewerOneHasJustEnded(t *testing.T) {
	for _, c := range []struct {
		since time.Duration
		want  nudge.VerdictKind
	}{{0, nudge.WhichOne}, {59 * time.Second, nudge.WhichOne}, {time.Minute, nudge.Taken}} {
		inBubble(t, func(d *desk) {
			d.two(time.Minute)
			time.Sleep(time.Minute)
			d.see(is("%2", detect.Gone))
			d.tell()
			time.Sleep(c.since)
			d.give(d.answer(nudge.ByFresh, detect.Approve), c.want)
		})
	}
}

// TestFreshAnswerAsksWhenTheNewerOneEndedAfterIt: it was meant for what stood there when it was
// written, and must not slip to the one below.
func TestFreshAnswerAsksWhenTheNewerOneEndedAfterIt(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.two(time.Minute)
		time.Sleep(time.Minute)
		a := d.answer(nudge.ByFresh, detect.Approve)
		time.Sleep(2 * time.Minute)
		d.see(is("%2", detect.Gone))
		d.tell()
		a.Read = time.Now()
		d.give(a, nudge.WhichOne)
	})
}

func TestFreshAnswerAfterTheOwnAnswerMeansTheNext(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.deliver()
		older, newer := d.two(time.Minute)
		time.Sleep(time.Minute)
		d.wantFresh(nudge.Taken, newer)
		d.wantState(newer.ID, nudge.Delivered)
		time.Sleep(time.Second)
		d.wantFresh(nudge.Taken, older)
	})
}

func TestFreshAnswerAsksAfterSomebodyElsesAnswer(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.rules.Supervisors = []int64{ann, bob}
		d.deliver()
		_, newer := d.two(time.Minute)
		time.Sleep(time.Minute)
		bobs := d.answer(nudge.ByButton, detect.Deny)
		bobs.Nudge, bobs.By, bobs.Chat = newer.ID, nudge.Person{ID: bob, Name: "Bob"}, bob
		d.give(bobs, nudge.Taken)
		d.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

// TestFreshAnswerAsksWhileSomebodyElsesAnswerIsTyped: the newer one is claimed, and not over yet.
func TestFreshAnswerAsksWhileSomebodyElsesAnswerIsTyped(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.rules.Supervisors = []int64{ann, bob}
		_, newer := d.two(time.Minute)
		time.Sleep(time.Minute)
		bobs := d.answer(nudge.ByButton, detect.Deny)
		bobs.Nudge, bobs.By, bobs.Chat = newer.ID, nudge.Person{ID: bob, Name: "Bob"}, bob
		d.give(bobs, nudge.Taken)
		d.wantState(newer.ID, nudge.Claimed)
		d.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerAsksWhenReadLate(t *testing.T) {
	for late, want := range map[time.Duration]nudge.VerdictKind{
		5 * time.Minute: nudge.Taken, 5*time.Minute + time.Second: nudge.WhichOne,
	} {
		inBubble(t, func(d *desk) {
			d.see(shows("%1", permission("make")))
			d.tell()
			a := d.answer(nudge.ByFresh, detect.Approve)
			time.Sleep(late)
			a.Read = time.Now()
			d.give(a, want)
		})
	}
}

// TestFreshAnswerWaitsForWhatIsBeingSent: a message that Telegram has delivered, but not yet
// confirmed to nod, may be the one that is meant.
func TestFreshAnswerWaitsForWhatIsBeingSent(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		newer := d.see(shows("%2", permission("rm -rf build")))
		sent := d.untold()
		a := d.answer(nudge.ByFresh, detect.Approve)
		a.Message += 100
		go func() {
			time.Sleep(300 * time.Millisecond)
			d.told(sent[0])
		}()
		if v := d.give(a, nudge.Taken); v.Nudge.ID != newer.ID {
			d.Errorf("it means #%s, not the one that was being sent", v.Nudge.ID)
		}
	})
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		d.see(shows("%2", permission("rm -rf build")))
		d.untold() // and nothing is ever heard of it
		d.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestReplyToSeveralAsks(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.two(time.Minute)
		several := d.told(nudge.Notice{Kind: nudge.Several, Chat: ann})
		a := d.answer(nudge.ByReply, detect.Approve)
		a.ReplyTo = several
		if v := d.give(a, nudge.WhichOne); len(v.Among) != 2 {
			d.Errorf("among %+v", v.Among)
		}
	})
}

func TestFreshAnswerWithNothingPending(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.wantFresh(nudge.NothingDue, nudge.Nudge{})
		d.see(shows("%1", permission("make"))) // not told yet
		d.wantFresh(nudge.NothingDue, nudge.Nudge{})
	})
}
