package keeper_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// turnOver is a look at an agent that became idle just now, after work.
func turnOver(id string) detect.Sighting {
	s := is(id, screen.Idle)
	s.Since, s.Worked, s.Words = time.Now(), true, "Done."
	return s
}

// inIdleBubble is inBubble with notices of idle agents on, and the delivery running.
func inIdleBubble(t *testing.T, f func(w *world)) {
	t.Helper()
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		w.deliver()
		f(w)
	})
}

func (w *world) wantKinds(notices []nudge.Notice, want ...nudge.NoticeKind) {
	w.Helper()
	var got []nudge.NoticeKind
	for _, n := range notices {
		got = append(got, n.Kind)
	}
	if !slices.Equal(got, want) {
		w.Fatalf("notices %v, want %v", got, want)
	}
}

// lastWords are those of the agent whose turn is over that n is about.
func lastWords(n nudge.Nudge) string {
	turn, _ := n.About.(nudge.TurnEnded)
	return turn.Words
}

func TestIdleIsToldOnceATurn(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		n := w.see(look)
		sent := w.tell()
		w.wantKinds(sent, nudge.Send)
		if lastWords(n) != "Done." || !sent[0].Silent || len(n.Cadence) != 1 {
			w.Errorf("told %+v", n)
		}
		for range 3 {
			time.Sleep(9 * time.Hour)
			w.tick()
			look.Here = time.Time{}
			w.see(look)
			w.wantKinds(w.tell())
		}
		w.stop()
		w.restart()
		seenLater := is("%1", screen.Idle)
		seenLater.Since = time.Now() // this watcher saw no work
		w.see(seenLater)
		w.wantKinds(w.tell())
		if got := w.newest(pane("%1")); got.ID != n.ID || got.State != nudge.Pending || got.Stuck() {
			w.Errorf("#%s is %s", got.ID, got.State)
		}
	})
}

func TestIdleNoticeIsReplacedByTheNext(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		first := w.see(turnOver("%1"))
		w.tell()
		w.see(is("%1", screen.Working))
		w.wantState(first.ID, nudge.Recovered)
		w.wantKinds(w.tell(), nudge.Close)
		w.see(shows("%1", permission("make")))
		w.tell()
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		w.tell()
		time.Sleep(time.Minute)
		second := w.see(turnOver("%1"))
		if second.ID == first.ID {
			w.Fatal("the next turn is not told")
		}
		said := w.tell()
		w.wantKinds(said, nudge.Send, nudge.Clear)
		if said[1].Nudge().ID != first.ID || said[1].Copy.Message != w.find(first.ID).Copies[0].Message {
			w.Errorf("cleared %+v", said[1])
		}
		w.wantKinds(w.tell())

		// An agent that was not seen to work in between.
		time.Sleep(time.Minute)
		w.see(turnOver("%1"))
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

// TestEditUnderWayDoesNotKeepAReplacedNotice: the notice is replaced while an edit of it is on its way.
func TestEditUnderWayDoesNotKeepAReplacedNotice(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%1"))
		w.tell()
		w.see(is("%1", screen.Working))
		under := w.untold()
		w.wantKinds(under, nudge.Close)
		time.Sleep(time.Second)
		w.see(turnOver("%1"))
		w.told(under[0])
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

func TestIdleThatEndsBeforeItIsToldIsNotTold(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		look.Near = time.Now()
		w.see(look)
		w.wantKinds(w.tell())
		if held := w.Held(); len(held) != 1 {
			w.Errorf("held %+v", held)
		}
		w.see(is("%1", screen.Working))
		time.Sleep(time.Hour)
		w.wantKinds(w.tell())
	})
}

func TestIdleNoticeOfALostPaneLapses(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		n := w.see(turnOver("%1"))
		w.tell()
		w.restart()
		time.Sleep(8 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Gone)
		w.wantKinds(w.tell(), nudge.Close)
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
		inIdleBubble(t, func(w *world) {
			w.rules.Idle, w.rules.Loud = c.idle, c.loud
			look := turnOver("%1")
			look.Blocked.Said = c.blocked
			w.see(look)
			sent := w.tell()
			if told := len(sent) == 1; told != c.told || told && sent[0].Silent != c.mute {
				w.Errorf("%+v: sent %+v", c, sent)
			}
		})
	}
}

func TestSilentPaneIsToldOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		look := is("%1", screen.Silent)
		look.Since = time.Now()
		n := w.see(look)
		sent := w.tell()
		w.wantKinds(sent, nudge.Send)
		if n.Kind() != screen.Silent || sent[0].Silent {
			w.Errorf("told %+v", sent[0])
		}
		time.Sleep(24 * time.Hour)
		w.tick()
		w.see(look)
		w.wantKinds(w.tell())
		w.restart()
		w.see(is("%1", screen.Working)) // a watcher that has just started
		later := look
		later.Since = time.Now()
		w.see(later)
		w.wantKinds(w.tell())
		w.wantState(n.ID, nudge.Pending)
		moved := is("%1", screen.Working)
		moved.Tail = []string{"it moves"}
		w.see(moved)
		w.wantState(n.ID, nudge.Recovered)
		w.wantKinds(w.tell(), nudge.Close)
	})
}

func TestWordsThatComeLaterAreTakenOver(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		look.Words = ""
		w.see(look)
		look.Words = "All tests pass."
		if n := w.see(look); lastWords(n) != "All tests pass." {
			w.Errorf("the words are %q", lastWords(n))
		}
		look.Words = ""
		if n := w.see(look); lastWords(n) != "All tests pass." {
			w.Errorf("the words are lost")
		}
	})
}

// TestTurnBetweenTwoLooks: only the agent's last words tell that there was one.
func TestTurnBetweenTwoLooks(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		first := w.see(look)
		w.tell()
		look.Words = "Linted."
		if n := w.see(look); n.ID == first.ID || lastWords(n) != "Linted." {
			w.Errorf("#%s says %q", n.ID, lastWords(n))
		}
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

func TestQueueHasIdleLast(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		idle := w.see(turnOver("%1"))
		time.Sleep(time.Second)
		question := w.see(asks("%2", permission("Which one?")))
		time.Sleep(time.Second)
		asked := w.see(shows("%3", permission("make")))
		queue, err := w.Queue()
		if err != nil || len(queue) != 3 || queue[0].ID != question.ID || queue[1].ID != asked.ID || queue[2].ID != idle.ID {
			w.Errorf("the queue is %+v, %v", queue, err)
		}
	})
}

// TestFreshAnswerAfterAnIdleNotice: a bare y never means it, and asks which one is meant.
func TestFreshAnswerAfterAnIdleNotice(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%2"))
		w.tell()
		w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.NothingDue)
		asked := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Second)
		w.see(is("%3", screen.Silent))
		w.tell()
		time.Sleep(time.Hour)
		v := w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.WhichOne)
		if len(v.Among) != 1 || v.Among[0].ID != asked.ID {
			w.Errorf("among %+v", v.Among)
		}
	})
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%2")) // just before the permission's message: it is no nudge that a y could mean
		w.tell()
		time.Sleep(time.Second)
		asked := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Second)
		if v := w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.Taken); v.Nudge.ID != asked.ID {
			w.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

// TestNothingClearsAPromptOnScreen: proof, effects and looks by hooks leave a nudge alone whose prompt stands.
func TestNothingClearsAPromptOnScreen(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		for _, proof := range []string{"", "approved", "denied", "answered"} {
			for _, by := range []string{"poll", "hook"} {
				look := shows("%1", permission("make"))
				look.Proof, look.By = proof, by
				w.see(look)
			}
		}
		if err := w.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: "fp:make", At: time.Now()}); err != nil {
			w.Fatal(err)
		}
		if got := w.wantState(n.ID, nudge.Pending); got.Effect != nil || got.Proof != "" {
			w.Errorf("it has %+v, %q", got.Effect, got.Proof)
		}
	})
}

func TestProofEndsANudgeAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		look := is("%1", screen.Working)
		look.Proof, look.By = "approved", "hook"
		w.see(look)
		if got := w.wantState(n.ID, nudge.Recovered); got.Proof != "approved" {
			w.Errorf("the proof is %q", got.Proof)
		}
		said := w.tell()
		w.wantKinds(said, nudge.Close)
		if said[0].Nudge().Proof != "approved" {
			w.Error("the message lacks the proof")
		}
	})
}

// TestLateProof: the screen told first that the prompt is gone, and then an event how.
func TestLateProof(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		w.wantState(n.ID, nudge.Recovered)
		w.tell()
		look := is("%1", screen.Working)
		look.Proof = "answered"
		w.see(look)
		said := w.tell()
		w.wantKinds(said, nudge.Close)
		if !said[0].Newest || said[0].Nudge().Proof != "answered" {
			w.Errorf("told %+v", said[0])
		}
		w.wantKinds(w.tell())
	})
}

// TestWholeSubjectIsToldBeforeItCounts: what was sent in part stays seen in part until the whole was sent.
func TestWholeSubjectIsToldBeforeItCounts(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		inPart := permission("make")
		inPart.Subject, inPart.Partial = "make …", true
		n := w.see(shows("%1", inPart))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		whole := permission("make")
		whole.Subject = "make clean && rm -rf /"
		got := w.see(shows("%1", whole))
		if got.ID != n.ID || got.Prompt().Partial || got.Prompt().Subject != whole.Subject {
			w.Fatalf("it asks about %+v", got.Prompt())
		}
		first := w.find(n.ID).Copies[0].Message
		early := w.answer(nudge.ByReply, screen.Approve)
		early.ReplyTo = first
		w.give(early, nudge.AskUnseen)
		sent := w.tell()
		if again := kinds(sent, nudge.Send); len(again) != 1 || again[0].Of.(nudge.OfNudge).ReplyTo != first || again[0].Nudge().Again.IsZero() {
			w.Fatalf("told %+v", sent)
		}
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
	})
}

// TestMessageInPartUnderWay: a message that began before the whole was known shows a part only.
func TestMessageInPartUnderWay(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		inPart := permission("make")
		inPart.Subject, inPart.Partial = "make …", true
		n := w.see(shows("%1", inPart))
		under := w.untold()
		w.see(shows("%1", permission("make")))
		w.told(under[0])
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
	})
}

// TestSubjectNoLongerKnownNeedsConsent: what was known whole is known in part only by now.
func TestSubjectNoLongerKnownNeedsConsent(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		inPart := permission("make")
		inPart.Partial = true
		w.see(shows("%1", inPart))
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		w.see(shows("%1", permission("make")))
		w.wantKinds(w.tell())
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
	})
}

// TestTwoAccountsOfASubject: the screen and an event disagree, so both are told and an approval needs consent; that the
// event's account comes and goes tells nothing new, and takes no doubt away.
func TestTwoAccountsOfASubject(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		both := permission("make")
		both.Subject, both.Call = "make\nthe hook says: make world", "c1"
		both.Partial, both.Doubts = true, []reason.Why{{Said: "The event tells another call."}}
		got := w.see(shows("%1", both))
		if got.Prompt().Subject != both.Subject || got.Again != both.Doubts[0] {
			w.Errorf("told %q because %q", got.Prompt().Subject, words.Why(got.Again))
		}
		w.wantKinds(w.tell(), nudge.Send)
		for range 3 {
			w.see(shows("%1", permission("make")))
			w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
			w.see(shows("%1", both))
			w.wantKinds(w.tell())
		}
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
	})
}

// TestEventThatComesAfterThePoll tells the same call: nothing is sent once more, wherever the screen has broken it.
func TestEventThatComesAfterThePoll(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		drawn := permission("make")
		drawn.Subject = "git commit -m 'a long mess\nage' &&\ngit push\nBecause it is done"
		n := w.see(shows("%1", drawn))
		w.tell()
		event := permission("make")
		event.Subject, event.Call, event.Source = "git commit -m 'a long message' && git push\nBecause it is done", "c1", screen.FromEvent
		if got := w.see(shows("%1", event)); got.ID != n.ID || got.Prompt().Call != "c1" || got.Prompt().Subject != drawn.Subject {
			w.Errorf("it is now %+v", got.Prompt())
		}
		w.wantKinds(w.tell())
		event.Subject = "git commit -m 'a long message' && git pu sh\nBecause it is done"
		w.see(shows("%1", event))
		w.wantKinds(w.tell(), nudge.Send)
	})
}

// TestCallsThatLookAlikeAreTwoPrompts: their dialogs are drawn alike, and only the agent's events tell them apart.
func TestCallsThatLookAlikeAreTwoPrompts(t *testing.T) {
	call := func(hash string) *screen.Prompt {
		p := permission("make")
		p.Call = hash
		return p
	}
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", call("c1")))
		w.tell()
		reply := w.replyTo(n.ID, screen.Approve)
		other := w.see(shows("%1", call("c2")))
		if other.ID == n.ID {
			w.Fatal("the second call is the first one's nudge")
		}
		w.give(reply, nudge.Rejected)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
	inBubble(t, func(w *world) {
		n := w.claimed(call("c1"))
		w.see(shows("%1", call("c2")))
		w.deliver()
		if got := w.wantState(n.ID, nudge.Pending); !strings.Contains(words.Why(got.Again), "something else") {
			w.Errorf("says %q", words.Why(got.Again))
		}
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
}

// TestApprovalNeverGoesToAnotherSubject: the same dialog turns out to ask about something else, before and
// after the answer to it was taken.
func TestApprovalNeverGoesToAnotherSubject(t *testing.T) {
	other := func() *screen.Prompt {
		p := permission("make")
		p.Subject = "make world"
		return p
	}
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		reply := w.replyTo(n.ID, screen.Approve)
		w.see(shows("%1", other()))
		w.give(reply, nudge.AskUnseen)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		w.see(shows("%1", other()))
		got := w.wantState(n.ID, nudge.Pending)
		if !strings.Contains(words.Why(got.Again), "something else") || got.Prompt().Subject != "make world" {
			w.Errorf("says %q about %q", words.Why(got.Again), got.Prompt().Subject)
		}
		w.deliver()
		w.wantState(n.ID, nudge.Pending)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
}

func TestQuestionThatIsAskedAgainLosesItsButton(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(8 * time.Hour)
		w.tick()
		w.tell()
		if err := w.AskAgain(n.ID); err != nil {
			w.Fatal(err)
		}
		w.wantKinds(w.tell(), nudge.Send, nudge.Close)
	})
}

func TestStandingQuestionThatLeavesLosesItsButton(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(8 * time.Hour)
		w.tick()
		w.wantKinds(w.tell(), nudge.Close)
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		said := w.tell()
		w.wantKinds(said, nudge.Close)
		if said[0].Nudge().Standing || said[0].Nudge().ID != n.ID {
			w.Errorf("told %+v", said[0])
		}
	})
}
