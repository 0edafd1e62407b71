package nudge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/nudge"
)

// turnOver is a look at an agent that became idle just now, after work.
func turnOver(id string) detect.Sighting {
	s := is(id, detect.Idle)
	s.Since, s.Worked, s.Words = time.Now(), true, "Done."
	return s
}

// inIdleBubble is inBubble with notices of idle agents on, and the delivery running.
func inIdleBubble(t *testing.T, f func(d *desk)) {
	t.Helper()
	inBubble(t, func(d *desk) {
		d.rules.Idle = true
		d.deliver()
		f(d)
	})
}

func (d *desk) wantKinds(notices []nudge.Notice, want ...nudge.NoticeKind) {
	d.Helper()
	var got []nudge.NoticeKind
	for _, n := range notices {
		got = append(got, n.Kind)
	}
	if !slices.Equal(got, want) {
		d.Fatalf("notices %v, want %v", got, want)
	}
}

func TestIdleIsToldOnceATurn(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		n := d.see(look)
		sent := d.tell()
		d.wantKinds(sent, nudge.Send)
		if n.Kind != detect.Idle || n.Words != "Done." || !sent[0].Silent || len(n.Cadence) != 1 {
			d.Errorf("told %+v", n)
		}
		for range 3 {
			time.Sleep(9 * time.Hour)
			d.tick()
			look.Here = time.Time{}
			d.see(look)
			d.wantKinds(d.tell())
		}
		d.stop()
		d.restart()
		seenLater := is("%1", detect.Idle)
		seenLater.Since = time.Now() // this watcher saw no work
		d.see(seenLater)
		d.wantKinds(d.tell())
		if got := d.newest(pane("%1")); got.ID != n.ID || got.State != nudge.Pending || got.Stuck() {
			d.Errorf("#%s is %s", got.ID, got.State)
		}
	})
}

func TestIdleNoticeIsReplacedByTheNext(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		first := d.see(turnOver("%1"))
		d.tell()
		d.see(is("%1", detect.Working))
		d.wantState(first.ID, nudge.Recovered)
		d.wantKinds(d.tell(), nudge.Close)
		d.see(shows("%1", permission("make")))
		d.tell()
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		d.tell()
		time.Sleep(time.Minute)
		second := d.see(turnOver("%1"))
		if second.ID == first.ID {
			d.Fatal("the next turn is not told")
		}
		said := d.tell()
		d.wantKinds(said, nudge.Send, nudge.Clear)
		if said[1].Nudge.ID != first.ID || said[1].Copy.Message != d.find(first.ID).Copies[0].Message {
			d.Errorf("cleared %+v", said[1])
		}
		d.wantKinds(d.tell())

		// An agent that was not seen to work in between.
		time.Sleep(time.Minute)
		d.see(turnOver("%1"))
		d.wantKinds(d.tell(), nudge.Send, nudge.Clear)
	})
}

// TestEditUnderWayDoesNotKeepAReplacedNotice: the notice is replaced while an edit of it is on its way.
func TestEditUnderWayDoesNotKeepAReplacedNotice(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		d.see(turnOver("%1"))
		d.tell()
		d.see(is("%1", detect.Working))
		under := d.untold()
		d.wantKinds(under, nudge.Close)
		time.Sleep(time.Second)
		d.see(turnOver("%1"))
		d.told(under[0])
		d.wantKinds(d.tell(), nudge.Send, nudge.Clear)
	})
}

func TestIdleThatEndsBeforeItIsToldIsNotTold(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		look.Near = time.Now()
		d.see(look)
		d.wantKinds(d.tell())
		if held := d.Held(); len(held) != 1 {
			d.Errorf("held %+v", held)
		}
		d.see(is("%1", detect.Working))
		time.Sleep(time.Hour)
		d.wantKinds(d.tell())
	})
}

func TestIdleNoticeOfALostPaneLapses(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.rules.Idle = true
		n := d.see(turnOver("%1"))
		d.tell()
		d.restart()
		time.Sleep(8 * time.Hour)
		d.tick()
		d.wantState(n.ID, nudge.Gone)
		d.wantKinds(d.tell(), nudge.Close)
	})
}

func TestLoudAndBlockedIdleHaveASound(t *testing.T) {
	for _, c := range []struct {
		idle, loud bool
		blocked    string
		told, mute bool
	}{
		{true, false, "", true, true},
		{true, true, "", true, false},
		{false, false, "", false, false},
		{false, false, "The usage limit is reached until 17:00.", true, false},
	} {
		inIdleBubble(t, func(d *desk) {
			d.rules.Idle, d.rules.Loud = c.idle, c.loud
			look := turnOver("%1")
			look.Blocked = c.blocked
			d.see(look)
			sent := d.tell()
			if told := len(sent) == 1; told != c.told || told && sent[0].Silent != c.mute {
				d.Errorf("%+v: sent %+v", c, sent)
			}
		})
	}
}

func TestSilentPaneIsToldOnce(t *testing.T) {
	inBubble(t, func(d *desk) {
		look := is("%1", detect.Silent)
		look.Since = time.Now()
		n := d.see(look)
		sent := d.tell()
		d.wantKinds(sent, nudge.Send)
		if n.Kind != detect.Silent || sent[0].Silent {
			d.Errorf("told %+v", sent[0])
		}
		time.Sleep(24 * time.Hour)
		d.tick()
		d.see(look)
		d.wantKinds(d.tell())
		d.restart()
		d.see(is("%1", detect.Working)) // a watcher that has just started
		later := look
		later.Since = time.Now()
		d.see(later)
		d.wantKinds(d.tell())
		d.wantState(n.ID, nudge.Pending)
		moved := is("%1", detect.Working)
		moved.Tail = []string{"it moves"}
		d.see(moved)
		d.wantState(n.ID, nudge.Recovered)
		d.wantKinds(d.tell(), nudge.Close)
	})
}

func TestWordsThatComeLaterAreTakenOver(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		look.Words = ""
		d.see(look)
		look.Words = "All tests pass."
		if n := d.see(look); n.Words != "All tests pass." {
			d.Errorf("the words are %q", n.Words)
		}
		look.Words = ""
		if n := d.see(look); n.Words != "All tests pass." {
			d.Errorf("the words are lost")
		}
	})
}

// TestTurnBetweenTwoLooks: only the agent's last words tell that there was one.
func TestTurnBetweenTwoLooks(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		first := d.see(look)
		d.tell()
		look.Words = "Linted."
		if n := d.see(look); n.ID == first.ID || n.Words != "Linted." {
			d.Errorf("#%s says %q", n.ID, n.Words)
		}
		d.wantKinds(d.tell(), nudge.Send, nudge.Clear)
	})
}

func TestQueueHasIdleLast(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		idle := d.see(turnOver("%1"))
		time.Sleep(time.Second)
		question := d.see(asks("%2", permission("Which one?")))
		time.Sleep(time.Second)
		asked := d.see(shows("%3", permission("make")))
		queue, err := d.Queue()
		if err != nil || len(queue) != 3 || queue[0].ID != question.ID || queue[1].ID != asked.ID || queue[2].ID != idle.ID {
			d.Errorf("the queue is %+v, %v", queue, err)
		}
	})
}

// TestFreshAnswerAfterAnIdleNotice: a bare y never means it, and asks which one is meant.
func TestFreshAnswerAfterAnIdleNotice(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		d.see(turnOver("%2"))
		d.tell()
		d.give(d.answer(nudge.ByFresh, detect.Approve), nudge.NothingDue)
		asked := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Second)
		d.see(is("%3", detect.Silent))
		d.tell()
		time.Sleep(time.Hour)
		v := d.give(d.answer(nudge.ByFresh, detect.Approve), nudge.WhichOne)
		if len(v.Among) != 1 || v.Among[0].ID != asked.ID {
			d.Errorf("among %+v", v.Among)
		}
	})
	inIdleBubble(t, func(d *desk) {
		d.see(turnOver("%2")) // just before the permission's message: it is no nudge that a y could mean
		d.tell()
		time.Sleep(time.Second)
		asked := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Second)
		if v := d.give(d.answer(nudge.ByFresh, detect.Approve), nudge.Taken); v.Nudge.ID != asked.ID {
			d.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

// TestNothingClearsAPromptOnScreen: proof, effects and looks by hooks leave a nudge alone whose prompt stands.
func TestNothingClearsAPromptOnScreen(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		for _, proof := range []string{"", "approved", "denied", "answered"} {
			for _, by := range []string{"poll", "hook"} {
				look := shows("%1", permission("make"))
				look.Proof, look.By = proof, by
				d.see(look)
			}
		}
		if err := d.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: "fp:make", At: time.Now()}); err != nil {
			d.Fatal(err)
		}
		if got := d.wantState(n.ID, nudge.Pending); got.Effect != nil || got.Proof != "" {
			d.Errorf("it has %+v, %q", got.Effect, got.Proof)
		}
	})
}

func TestProofEndsANudgeAtOnce(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		look := is("%1", detect.Working)
		look.Proof, look.By = "approved", "hook"
		d.see(look)
		if got := d.wantState(n.ID, nudge.Recovered); got.Proof != "approved" {
			d.Errorf("the proof is %q", got.Proof)
		}
		said := d.tell()
		d.wantKinds(said, nudge.Close)
		if said[0].Nudge.Proof != "approved" {
			d.Error("the message lacks the proof")
		}
	})
}

// TestLateProof: the screen told first that the prompt is gone, and then an event how.
func TestLateProof(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		d.wantState(n.ID, nudge.Recovered)
		d.tell()
		look := is("%1", detect.Working)
		look.Proof = "answered"
		d.see(look)
		said := d.tell()
		d.wantKinds(said, nudge.Close)
		if !said[0].Newest || said[0].Nudge.Proof != "answered" {
			d.Errorf("told %+v", said[0])
		}
		d.wantKinds(d.tell())
	})
}

// TestWholeSubjectIsToldBeforeItCounts: what was sent in part stays seen in part until the whole was sent.
func TestWholeSubjectIsToldBeforeItCounts(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		inPart := permission("make")
		inPart.Subject, inPart.Partial = "make …", true
		n := d.see(shows("%1", inPart))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
		whole := permission("make")
		whole.Subject = "make clean && rm -rf /"
		got := d.see(shows("%1", whole))
		if got.ID != n.ID || got.Prompt.Partial || got.Prompt.Subject != whole.Subject {
			d.Fatalf("it asks about %+v", got.Prompt)
		}
		first := d.find(n.ID).Copies[0].Message
		early := d.answer(nudge.ByReply, detect.Approve)
		early.ReplyTo = first
		d.give(early, nudge.AskUnseen)
		sent := d.tell()
		if again := kinds(sent, nudge.Send); len(again) != 1 || again[0].ReplyTo != first || again[0].Nudge.Again == "" {
			d.Fatalf("told %+v", sent)
		}
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		d.wantState(n.ID, nudge.Delivered)
	})
}

// TestMessageInPartUnderWay: a message that began before the whole was known shows a part only.
func TestMessageInPartUnderWay(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		inPart := permission("make")
		inPart.Subject, inPart.Partial = "make …", true
		n := d.see(shows("%1", inPart))
		under := d.untold()
		d.see(shows("%1", permission("make")))
		d.told(under[0])
		d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
	})
}

// TestSubjectNoLongerKnownNeedsConsent: what was known whole is known in part only by now.
func TestSubjectNoLongerKnownNeedsConsent(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		inPart := permission("make")
		inPart.Partial = true
		d.see(shows("%1", inPart))
		d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
		d.see(shows("%1", permission("make")))
		d.wantKinds(d.tell())
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
	})
}

// TestTwoAccountsOfASubject: the screen and an event disagree, so both are told; that the event's account comes
// and goes tells nothing new.
func TestTwoAccountsOfASubject(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		both := permission("make")
		both.Subject = "make\nthe hook says: make world"
		d.see(shows("%1", both))
		d.wantKinds(d.tell(), nudge.Send)
		for range 3 {
			d.see(shows("%1", permission("make")))
			d.see(shows("%1", both))
			d.wantKinds(d.tell())
		}
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
	})
}

// TestApprovalNeverGoesToAnotherSubject: the same dialog turns out to ask about something else, before and
// after the answer to it was taken.
func TestApprovalNeverGoesToAnotherSubject(t *testing.T) {
	other := func() *detect.Prompt {
		p := permission("make")
		p.Subject = "make world"
		return p
	}
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		reply := d.replyTo(n.ID, detect.Approve)
		d.see(shows("%1", other()))
		d.give(reply, nudge.AskUnseen)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
	inBubble(t, func(d *desk) {
		n := d.claimed(permission("make"))
		d.see(shows("%1", other()))
		got := d.wantState(n.ID, nudge.Pending)
		if !strings.Contains(got.Again, "something else") || got.Prompt.Subject != "make world" {
			d.Errorf("says %q about %q", got.Again, got.Prompt.Subject)
		}
		d.deliver()
		d.wantState(n.ID, nudge.Pending)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
}

func TestQuestionThatIsAskedAgainLosesItsButton(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(8 * time.Hour)
		d.tick()
		d.tell()
		if err := d.AskAgain(n.ID); err != nil {
			d.Fatal(err)
		}
		d.wantKinds(d.tell(), nudge.Send, nudge.Close)
	})
}

func TestStandingQuestionThatLeavesLosesItsButton(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(8 * time.Hour)
		d.tick()
		d.wantKinds(d.tell(), nudge.Close)
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		said := d.tell()
		d.wantKinds(said, nudge.Close)
		if said[0].Nudge.Standing || said[0].Nudge.ID != n.ID {
			d.Errorf("told %+v", said[0])
		}
	})
}
