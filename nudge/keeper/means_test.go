package keeper_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/store"
)

// TestAnIDIsThatOfOneRecord, of whatever kind.
func TestAnIDIsThatOfOneRecord(t *testing.T) {
	for name, put := range map[string]func(w *world, tx *store.Tx, id string){
		"wishes": func(_ *world, tx *store.Tx, id string) { tx.PutWish(&nudge.Wish{ID: id}) },
		"denied calls": func(_ *world, tx *store.Tx, id string) {
			tx.PutDenials(&nudge.Denials{ID: id, Calls: []nudge.Denial{{}}})
		},
		"instructions": func(w *world, tx *store.Tx, id string) {
			tx.PutInstruction(&nudge.Instruction{ID: id, Course: nudge.Course{State: nudge.Cancelled, Ended: tx.Now()}})
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &world{TB: t, path: t.TempDir() + "/nod.db", typist: &typist{}, log: nil, stop: func() {}}
			w.logger = slog.New(slog.DiscardHandler)
			w.rules = nudge.Rules{Expiry: time.Hour, Supervisors: []nudge.Place{ann}}
			w.start()
			defer w.store.Close()
			used := map[string]bool{}
			err := w.store.Update(func(tx *store.Tx) error {
				for range 1500 {
					id := nudge.NewID(func(id string) bool { return used[id] })
					used[id] = true
					put(w, tx, id)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for range 30 {
				n, err := w.Ask(nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Join: true})
				if err != nil || used[n.ID] {
					t.Fatalf("%s: %s is taken: %t, %v", name, n.ID, used[n.ID], err)
				}
			}
		})
	}
}

// TestTwoAnswersWithoutAMessageAreTwo: one message acts once, and some answers have none.
func TestTwoAnswersWithoutAMessageAreTwo(t *testing.T) {
	inBubble(t, func(w *world) {
		for _, way := range []nudge.Way{nudge.ByFresh, nudge.ByReply} {
			for range 2 {
				w.see(shows("%1", permission("make")))
				a := w.answer(way, screen.Approve)
				a.Message = 0
				if v, err := w.Answer(a); err != nil || v.Kind == nudge.Repeated {
					t.Errorf("%s: %s, %v", way, v.Kind, err)
				}
			}
		}
	})
}

// TestAWordThatLooksLikeAnIDIsAWord in an instruction, unless something has that id. It is no answer to a question either.
func TestAWordThatLooksLikeAnIDIsAWord(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		n, other := w.see(turnOver("%1")), w.see(shows("%2", permission("make")))
		w.tell()
		for _, id := range []string{other.ID, "a2b"} {
			want := map[bool]nudge.VerdictKind{true: nudge.Rejected, false: nudge.Taken}[id == other.ID]
			a := w.replyTo(n.ID, screen.Approve)
			a.Nudge, a.Text = id, "y "+id
			if v := w.give(a, want); want == nudge.Taken && (v.Nudge.ID != n.ID || v.Nudge.Claim.Text != a.Text || v.Nudge.Claim.Decision != "") {
				t.Errorf("taken is %+v", v.Nudge.Claim)
			}
		}
		w.wantState(other.ID, nudge.Pending)
		question := w.see(shows("%3", permission("ls")))
		w.tell()
		a := w.replyTo(question.ID, screen.Approve)
		a.Nudge = "a2b"
		w.give(a, nudge.Rejected)
		w.wantState(question.ID, nudge.Pending)
	})
}

// TestAMessageOfSeveralIsKnownByItsPlaceAndNumber: that there is one elsewhere says nothing, nor that another one asks nothing.
func TestAMessageOfSeveralIsKnownByItsPlaceAndNumber(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		shown := []nudge.Shown{{Nudge: n.ID, Subject: n.SubjectHash(), Own: true}}
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several}, Message: 50})
		for message := range 3 {
			w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Listed}, Message: 60 + message, Parts: []nudge.Part{{Nudge: n}}})
		}
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Reason}, Message: 52})
		for ref, want := range map[nudge.Ref]bool{{Place: ann, Message: 50}: false, {Place: ann, Message: 51}: true, {Place: ann, Message: 52}: true, {Place: bob, Message: 50}: true} {
			if _, found, err := w.About(ref, shown); err != nil || found != want {
				t.Errorf("%+v is about one: %t, %v", ref, found, err)
			}
		}
		forgotten := w.find(n.ID)
		forgotten.Copies = []nudge.Copy{{Ref: nudge.Ref{Place: ann, Message: 70}, Group: []string{n.ID, "a2b"}, Offer: nudge.OfferWhich, Unseen: true}}
		if err := w.store.Update(func(tx *store.Tx) error { tx.Put(&forgotten); return nil }); err != nil {
			t.Fatal(err)
		}
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = 70
		if v := w.give(a, nudge.WhichOne); len(v.Among) != 1 || v.Among[0].ID != n.ID {
			t.Errorf("among %+v", v.Among)
		}
	})
}

// TestTheWordsOfAFailedTurnAreGivenAgain by its button, as long as its notice is the newest of the pane.
func TestTheWordsOfAFailedTurnAreGivenAgain(t *testing.T) {
	for name, c := range map[string]struct {
		repeat string
		failed bool
		newer  bool
		want   string
	}{
		"again": {nudge.Failed, true, false, "run the tests"}, "something newer": {nudge.Failed, true, true, ""},
		"it has not failed": {nudge.Failed, false, false, ""}, "other words": {"x", true, false, ""},
	} {
		inBubble(t, func(w *world) {
			w.rules.Idle = true
			w.deliver()
			n := w.see(turnOver("%1"))
			w.tell()
			a := w.replyTo(n.ID, "")
			a.Text = "run the tests" // as an answer to a notice, without a queue
			w.give(a, nudge.Taken)
			w.look(screen.Working)
			time.Sleep(time.Second)
			s := is("%1", screen.Idle)
			s.Since, s.Worked, s.Words = time.Now(), true, "so far"
			if c.failed {
				s.Blocked = reason.Why{Kind: reason.ServerFails}
			}
			n = w.see(s)
			w.tell()
			if c.newer {
				w.see(shows("%1", permission("make")))
			}
			typed := len(w.typist.asked)
			tap := w.answer(nudge.ByButton, "")
			tap.Nudge, tap.Repeat = n.ID, c.repeat
			v, err := w.Answer(tap)
			synctest.Wait()
			if err != nil || (v.Kind == nudge.Taken) != (c.want != "") || (len(w.typist.asked) > typed) != (c.want != "") {
				t.Fatalf("%s: %s (%s), typed %d, %v", name, v.Kind, v.Reason, len(w.typist.asked)-typed, err)
			}
			if c.want != "" && string(w.typist.asked[typed].Instruction) != c.want {
				t.Errorf("%s: typed %q", name, w.typist.asked[typed].Instruction)
			}
		})
	}
}

// TestOnlyWhatTakesAYesMayBeMeantByOne.
func TestOnlyWhatTakesAYesMayBeMeantByOne(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		n := w.see(shows("%1", permission("make")))
		w.see(turnOver("%2"))
		w.tells(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several}, Message: 50})
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = 50
		if v := w.give(a, nudge.WhichOne); len(v.Among) != 1 || v.Among[0].ID != n.ID {
			t.Errorf("among %+v", v.Among)
		}
	})
}

// TestAPermissionThatCantBePassedOnIsWithdrawn, and the tap says why.
func TestAPermissionThatCantBePassedOnIsWithdrawn(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(denied("codex", "t1", "touch a"))
		for range nudge.MaxQueued {
			w.queue("wait")
		}
		d := w.one()
		placed, err := w.AllowDenied(w.tapAt(ann, d.ID), 0, d.Fingerprint(0))
		if err != nil || placed.Reason != deliver.Working {
			t.Errorf("placed is %s, %v", placed.Reason, err)
		}
		if c := w.denials(d.ID).Calls[0]; c.Grant.State != "" {
			t.Errorf("the call may run: %+v", c)
		}
	})
}

// TestAQuestionBesideDeniedCallsIsNotAnsweredByThem.
func TestAQuestionBesideDeniedCallsIsNotAnsweredByThem(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		of, _ := w.deny("make", 0)
		w.allow(of)
		n := w.see(shows("%1", permission("ls")))
		if got := w.notedOf(n.ID); !slices.Equal(got, []string{"prompt detected by poll"}) {
			t.Errorf("noted is %q", got)
		}
	})
}

// TestWhatIsDeniedTwiceIsShownOnce, but by each agent, and again once its message is over.
func TestWhatIsDeniedTwiceIsShownOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		first, _ := w.deny("make", 0)
		other := is("%2", screen.Working)
		w.see(other)
		of, _, ok, err := w.Deny(other, nudge.Blocked{Call: callOf("make"), Text: "make"}, 0)
		if !ok || err != nil || of.ID == first.ID {
			t.Errorf("the other agent's is %+v, %t, %v", of, ok, err)
		}
		time.Sleep(time.Second)
		if err := w.Escape(is("%1", screen.Working).Whereabouts, time.Now()); err != nil {
			t.Fatal(err)
		}
		if again, _ := w.deny("make", 0); again.ID == first.ID {
			t.Error("a message that is over shows it")
		}
	})
}

// TestAWishIsOverAtItsTime, though nobody has looked at the clock, and a late tap says so.
func TestAWishIsOverAtItsTime(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		wish := w.wish("run the tests")
		w.tell()
		over := make(chan nudge.Wish, 1)
		go func() {
			wish, found, err := w.AwaitWish(w.Context(), wish.ID)
			if !found || err != nil {
				t.Error(found, err)
			}
			over <- wish
		}()
		synctest.Wait()
		if _, found, err := w.AwaitWish(w.Context(), "none"); found || err != nil {
			t.Error(found, err)
		}
		time.Sleep(9 * time.Hour)
		if len(over) > 0 {
			t.Fatal("it is over too early")
		}
		if placed := w.send(ann, wish, wish.Fingerprint()); placed.Reason == "" {
			t.Error("it is sent")
		}
		if got := <-over; got.State != nudge.WishExpired {
			t.Errorf("it is %s", got.State)
		}
		placed, err := w.DropWish(w.tapOf(ann, wish))
		if err != nil || placed.Reason != deliver.Answered || placed.Refusal.IsZero() {
			t.Errorf("placed is %+v, %v", placed, err)
		}
		if list, err := w.Wishes(nil); err != nil || len(list) > 0 {
			t.Errorf("listed are %+v, %v", list, err)
		}
	})
}

// TestAFreshYesMayBeMeantForDeniedCalls whose message came last, or is under way: they take no words, and the question gets none.
func TestAFreshYesMayBeMeantForDeniedCalls(t *testing.T) {
	for name, tell := range map[string]func(w *world){"told": func(w *world) { w.tell() }, "under way": func(w *world) { w.untold() }} {
		inBubble(t, func(w *world) {
			w.deliver()
			n := w.see(shows("%2", permission("make")))
			w.tell()
			time.Sleep(time.Minute)
			w.see(is("%1", screen.Working))
			w.deny("rm -r build", 0)
			tell(w)
			time.Sleep(10 * time.Second)
			v, err := w.Answer(w.answer(nudge.ByFresh, screen.Approve))
			synctest.Wait()
			if err != nil || v.Kind == nudge.Taken || len(w.typist.asked) > 0 {
				t.Errorf("%s: %s, %v", name, v.Kind, err)
			}
			w.wantState(n.ID, nudge.Pending)
		})
	}
}

// TestAMonitorsNewsIsKeptForWhoGetsIt, and dropped for who no longer does.
func TestAMonitorsNewsIsKeptForWhoGetsIt(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		if err := w.Report(nudge.MonitorReport{Monitor: "ci", Count: 1, Lines: []string{"FAIL"}}); err != nil {
			t.Fatal(err)
		}
		w.tick()
		w.rules.Supervisors = []nudge.Place{ann}
		time.Sleep(2 * time.Hour)
		w.tick()
		w.rules.Supervisors = []nudge.Place{ann, bob}
		if got := kinds(w.untold(), nudge.Matched); len(got) != 1 || got[0].Place != ann {
			t.Errorf("to tell are %+v", got)
		}
	})
}

// TestAQuestionThatNobodyWaitsForCountsAsWithdrawn, and those of half an hour ago still count.
func TestAQuestionThatNobodyWaitsForCountsAsWithdrawn(t *testing.T) {
	inBubble(t, func(w *world) {
		for id := range 25 { // prompts of agents are nobody's questions
			w.see(shows("%"+strings.Repeat("1", id+1), permission("make")))
		}
		ask := func() (nudge.Nudge, error) {
			return w.Ask(nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: 10 * time.Hour, Program: "deploy.sh"})
		}
		withdraw := func(most int) (n int) {
			for ; n < most; n++ {
				q, err := ask()
				if err != nil {
					return n
				}
				if err := w.Withdraw(q.ID); err != nil {
					t.Fatal(err)
				}
			}
			return n
		}
		withdraw(29)
		q, err := ask()
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Attend(q.ID, false); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		w.tick()
		w.wantState(q.ID, nudge.Gone)
		time.Sleep(28 * time.Minute)
		if n := withdraw(100); n != 30 {
			t.Errorf("%d more are withdrawn", n)
		}
		time.Sleep(35 * time.Minute)
		if n := withdraw(100); n != 30 {
			t.Errorf("half an hour later %d more are withdrawn", n)
		}
	})
}

// TestASnoozeIsStored.
func TestASnoozeIsStored(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		until := time.Now().Add(time.Hour)
		if err := w.Snooze(n.ID, until); err != nil || !w.find(n.ID).Snoozed.Equal(until) {
			t.Errorf("until %s, %v", w.find(n.ID).Snoozed, err)
		}
	})
}

// TestAnAnswerWaitsForAMessageThatIsHeldMeanwhile: it was on its way when somebody came to the pane.
func TestAnAnswerWaitsForAMessageThatIsHeldMeanwhile(t *testing.T) {
	inBubble(t, func(w *world) {
		look := shows("%1", permission("make"))
		w.see(look)
		w.untold()
		look.Presence = detect.Presence{Here: time.Now()}
		w.see(look)
		if got := kinds(w.untold(), nudge.Send); len(got) != 0 {
			t.Fatalf("not held are %+v", got)
		}
		begin := time.Now()
		if _, err := w.Answer(w.answer(nudge.ByFresh, screen.Approve)); err != nil || time.Since(begin) != time.Second {
			t.Errorf("it waits %s, %v", time.Since(begin), err)
		}
	})
}

// TestTypedWordsAreNotForgottenOnAFullDisk: they are never sent again, and their end is stored when there is room.
func TestTypedWordsAreNotForgottenOnAFullDisk(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inIdleBubble(t, func(w *world) {
		room := func() {}
		w.look(screen.Idle)
		w.typist.typing = func() { room = testrun.FillDisk(t) }
		i := w.queue("one")
		if got := w.wantInstruction(i.ID, nudge.Sent); !got.Typed.IsZero() {
			t.Errorf("that it was typed is stored on a full disk: %+v", got)
		}
		w.wantHealth("can't be stored")
		time.Sleep(time.Minute)
		room()
		time.Sleep(time.Minute)
		if got := w.wantInstruction(i.ID, nudge.Sent); got.Typed.IsZero() {
			t.Error("that it was typed is not stored")
		}
		w.wantHealth()
		w.wantTexts("one")
	})
}

// TestAnOldClaimIsGivenBackOnceThereIsRoom on a disk that was full.
func TestAnOldClaimIsGivenBackOnceThereIsRoom(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		n := w.claimed(permission("make"))
		time.Sleep(2 * time.Minute)
		w.restart()
		w.see(shows("%1", permission("make")))
		if err := w.Interrupt(); err != nil {
			t.Fatal(err)
		}
		room := testrun.FillDisk(t)
		w.deliver()
		time.Sleep(5 * time.Second)
		w.wantState(n.ID, nudge.Claimed)
		w.wantHealth("can't be stored")
		room()
		time.Sleep(5 * time.Second)
		w.wantState(n.ID, nudge.Pending)
		w.wantHealth()
	})
}
