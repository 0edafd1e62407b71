package keeper_test

import (
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/nudge"
)

// together opens two nudges and tells them in one message, whose id it returns.
func (w *world) together() (first, second nudge.Nudge, message int) {
	w.Helper()
	first, second = w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("go test")))
	w.message++
	r := nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Together, Place: ann}, Message: w.message, Sent: time.Now()}
	r.Parts = []nudge.Part{{Nudge: first}, {Nudge: second}}
	if err := w.Told(r); err != nil {
		w.Fatal(err)
	}
	return first, second, w.message
}

// TestAYesToAMessageOfSeveralQuestionsIsAskedAbout, also if only one of them waits still, if nod has forgotten that the message shows
// several, or if only its buttons name them.
func TestAYesToAMessageOfSeveralQuestionsIsAskedAbout(t *testing.T) {
	for name, c := range map[string]struct {
		before func(w *world, first nudge.Nudge)
		change func(a *nudge.Answer, first, second nudge.Nudge)
		among  int
	}{
		"both wait": {among: 2},
		"one is answered": {before: func(w *world, first nudge.Nudge) {
			w.see(is("%1", screen.Working))
			w.see(is("%1", screen.Working))
			w.wantState(first.ID, nudge.Recovered)
		}, among: 1},
		"one is answered, and many messages came since": {before: func(w *world, first nudge.Nudge) {
			w.see(is("%1", screen.Working))
			w.see(is("%1", screen.Working))
			for range 250 {
				w.message++
				if err := w.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several, Place: ann}, Message: w.message, Sent: time.Now()}); err != nil {
					w.Fatal(err)
				}
			}
		}, among: 1},
		"unknown, by its buttons": {change: func(a *nudge.Answer, first, second nudge.Nudge) {
			a.ReplyTo = 77
			a.Shown = []nudge.Shown{{Nudge: first.ID, Subject: first.SubjectHash()}, {Nudge: second.ID, Subject: second.SubjectHash()}}
		}, among: 2},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.deliver()
				first, second, message := w.together()
				if c.before != nil {
					c.before(w, first)
				}
				a := w.answer(nudge.ByReply, screen.Approve)
				a.ReplyTo = message
				if c.change != nil {
					c.change(&a, first, second)
				}
				v := w.give(a, nudge.WhichOne)
				if synctest.Wait(); len(v.Among) != c.among || len(w.typist.asked) > 0 {
					t.Errorf("among %d, typed %+v", len(v.Among), w.typist.asked)
				}
				if n, found, err := w.About(nudge.Ref{Place: ann, Message: a.ReplyTo}, a.Shown); found || err != nil {
					t.Errorf("it is about %s alone, %v", n.ID, err)
				}
			})
		})
	}
}

// TestAMessageOfOneQuestionIsAnswered by a yes, though another chat's message with that number shows several.
func TestAMessageOfOneQuestionIsAnswered(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		_, _, message := w.together()
		n := w.see(shows("%3", permission("ls")))
		a := w.answer(nudge.ByReply, screen.Approve)
		a.Place, a.By.ID, a.ReplyTo = bob, bob, message
		w.rules.Supervisors = append(w.rules.Supervisors, bob)
		a.Shown = []nudge.Shown{{Nudge: n.ID, Subject: n.SubjectHash(), Own: true}}
		w.give(a, nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
	})
}

// TestAWordThatNamesAnotherQuestionAnswersNeither.
func TestAWordThatNamesAnotherQuestionAnswersNeither(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		first, second := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("go test")))
		w.tell()
		a := w.replyTo(first.ID, screen.Approve)
		a.Nudge = second.ID
		w.give(a, nudge.Rejected)
		w.wantState(first.ID, nudge.Pending)
		w.wantState(second.ID, nudge.Pending)
		a = w.replyTo(first.ID, screen.Approve)
		a.Nudge = first.ID
		w.give(a, nudge.Taken)
		w.wantState(first.ID, nudge.Delivered)
	})
}

// TestAnAnswerActsOnceHoweverItComesAgain: the same update, and the same message in another update.
func TestAnAnswerActsOnceHoweverItComesAgain(t *testing.T) {
	for _, way := range []nudge.Way{nudge.ByReply, nudge.ByFresh} {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("make")))
			w.tell()
			a := w.answer(nudge.ByFresh, screen.Approve)
			if way == nudge.ByReply {
				a = w.replyTo(n.ID, screen.Approve)
			}
			w.give(a, nudge.Taken)
			w.give(a, nudge.Repeated)
			a.Update += 10
			w.give(a, nudge.Repeated)
		})
	}
}

// TestAFileThatIsSentTypesNothing: the tap lets its asker bring it to the chat.
func TestAFileThatIsSentTypesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		w.look(screen.Working)
		placed, err := w.WishFile(pane("%1"), "report.txt (3 bytes)", nudge.SharedFile{Path: "/p/report.txt", Size: 3, Sum: "x"}, nudge.Wisher{Name: "the agent itself"})
		if err != nil || placed.Reason != "" {
			t.Fatal(placed.Refusal, err)
		}
		id := placed.Wish.ID
		if placed, err = w.SendWish(w.tapAt(ann, id), placed.Wish.Fingerprint()); err != nil || placed.Reason != "" {
			t.Fatal(placed.Refusal, err)
		}
		w.look(screen.Idle)
		time.Sleep(time.Minute)
		synctest.Wait()
		if wish, _, err := w.WishOf(id); err != nil || wish.State != nudge.WishSent || len(w.typist.asked) > 0 {
			t.Errorf("it is %s, typed %+v, %v", wish.State, w.typist.asked, err)
		}
	})
}
