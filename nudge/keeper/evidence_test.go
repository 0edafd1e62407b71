package keeper_test

import (
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

// TestNothingClearsAPromptOnScreen: proof, effects and looks by hooks do not change a nudge whose prompt is
// on the screen.
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

// TestLateProof: first the screen shows that the prompt is gone, and then an event says how.
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

// TestWholeSubjectIsToldBeforeItCounts: a prompt that was sent in part counts as seen in part until all of it
// was sent.
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

// TestMessageInPartUnderWay: a message that began before the whole subject was known shows only a part.
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

// TestSubjectNoLongerKnownNeedsConsent: the whole subject was known before, and now only a part of it.
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

// TestTwoAccountsOfASubject: the screen and an event disagree, so both are shown and an approval needs
// consent. If the event's version comes and goes, nothing new is sent, and the doubt stays.
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

// TestEventThatComesAfterThePoll is about the same call: nothing is sent again, wherever the screen has
// wrapped it.
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

// TestCallsThatLookAlikeAreTwoPrompts: their dialogs look the same, and only the agent's events distinguish
// them.
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

// TestApprovalNeverGoesToAnotherSubject: the same dialog turns out to be about something else, before and
// after the answer was accepted.
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
