package keeper_test

import (
	"slices"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/nudge"
)

// two opens a nudge, tells Ann, waits, and does the same with another one.
func (w *world) two(apart time.Duration) (older, newer nudge.Nudge) {
	w.Helper()
	older = w.see(shows("%1", permission("make")))
	w.tell()
	time.Sleep(apart)
	newer = w.see(shows("%2", permission("rm -rf build")))
	w.tell()
	return older, newer
}

// fresh returns what a bare y means now, according to the verdict: "older", "newer" or "which".
func (w *world) wantFresh(want nudge.VerdictKind, means nudge.Nudge) nudge.Verdict {
	w.Helper()
	v := w.give(w.answer(nudge.ByFresh, screen.Approve), want)
	if v.Nudge.ID != means.ID {
		w.Fatalf("it means #%s, want #%s", v.Nudge.ID, means.ID)
	}
	return v
}

func TestFreshAnswerMeansTheLastMessage(t *testing.T) {
	inBubble(t, func(w *world) {
		_, newer := w.two(time.Minute)
		time.Sleep(time.Minute)
		w.wantFresh(nudge.Taken, newer)
	})
}

func TestFreshAnswerMeansTheLastReminder(t *testing.T) {
	inBubble(t, func(w *world) {
		older, _ := w.two(4 * time.Minute)
		time.Sleep(time.Minute)
		w.wantReminders(2)
		time.Sleep(time.Minute)
		w.wantFresh(nudge.Taken, older)
	})
}

// TestFreshAnswerGoesByTelegramsDates: an answer can't mean a message that came after it was written.
func TestFreshAnswerGoesByTelegramsDates(t *testing.T) {
	inBubble(t, func(w *world) {
		older := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		a := w.answer(nudge.ByFresh, screen.Approve)
		time.Sleep(5 * time.Second)
		w.see(shows("%2", permission("rm -rf build")))
		w.tell()
		a.Read = time.Now()
		if v := w.give(a, nudge.Taken); v.Nudge.ID != older.ID {
			w.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

// TestFreshAnswerAsksWhatMayHaveComeUnnoticed: Telegram took a message, and nod did not learn of it and sent it once more. The person answered
// the first one, and nod reads that before or after the second is recorded.
func TestFreshAnswerAsksWhatMayHaveComeUnnoticed(t *testing.T) {
	for _, dies := range []bool{false, true} {
		for _, told := range []bool{false, true} {
			inBubble(t, func(w *world) {
				older := w.see(shows("%1", permission("make")))
				w.tell()
				time.Sleep(time.Minute)
				newer := w.see(shows("%2", permission("rm -rf build")))
				sent := w.untold()
				time.Sleep(15 * time.Second)
				a := w.answer(nudge.ByFresh, screen.Approve)
				time.Sleep(5 * time.Second)
				if dies {
					w.restart()
					sent = nil
					if err := w.Interrupt(); err != nil {
						t.Fatal(err)
					}
				}
				if told {
					for _, n := range append(sent, w.untold()...)[:1] {
						w.told(n)
					}
				}
				a.Read = time.Now()
				v := w.give(a, nudge.WhichOne)
				var among []string
				for _, n := range v.Among {
					among = append(among, n.ID)
				}
				if !slices.Equal(among, []string{older.ID, newer.ID}) {
					t.Errorf("nod dies: %t, told: %t: it may mean %q, want #%s and #%s", dies, told, among, older.ID, newer.ID)
				}
			})
		}
	}
}

// TestFreshAnswerAsksWhatMayHaveComeOfOneThatEnded: its message was never recorded.
func TestFreshAnswerAsksWhatMayHaveComeOfOneThatEnded(t *testing.T) {
	for ago, want := range map[time.Duration]nudge.VerdictKind{30 * time.Second: nudge.WhichOne, 10 * time.Minute: nudge.Taken} {
		inBubble(t, func(w *world) {
			older := w.see(shows("%1", permission("make")))
			w.tell()
			time.Sleep(time.Minute)
			ended := w.see(shows("%2", permission("rm -rf build")))
			w.untold()
			w.see(is("%2", screen.Working))
			w.see(is("%2", screen.Working))
			w.wantState(ended.ID, nudge.Recovered)
			time.Sleep(ago)
			w.untold()
			if v := w.give(w.answer(nudge.ByFresh, screen.Approve), want); want == nudge.Taken && v.Nudge.ID != older.ID {
				t.Errorf("it means #%s", v.Nudge.ID)
			}
		})
	}
}

// TestFreshAnswerAsksAboutAWishThatMayHaveComeUnnoticed, as about a question.
func TestFreshAnswerAsksAboutAWishThatMayHaveComeUnnoticed(t *testing.T) {
	for _, dies := range []bool{false, true} {
		inBubble(t, func(w *world) {
			older := w.see(shows("%2", permission("make")))
			w.tell()
			w.see(is("%1", screen.Working))
			time.Sleep(time.Minute)
			w.wish("go on")
			w.untold()
			time.Sleep(15 * time.Second)
			a := w.answer(nudge.ByFresh, screen.Approve)
			time.Sleep(5 * time.Second)
			if dies {
				w.restart()
			}
			w.tell()
			a.Read = time.Now()
			w.give(a, nudge.WhichOne)
			w.wantState(older.ID, nudge.Pending)
		})
	}
}

func TestFreshAnswerInTheSameSecond(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		before := w.answer(nudge.ByFresh, screen.Approve)
		w.tell()
		w.give(before, nudge.NothingDue)
		w.wantFresh(nudge.Taken, n)
	})
}

func TestFreshAnswerNamesItsNudge(t *testing.T) {
	inBubble(t, func(w *world) {
		older, _ := w.two(time.Second)
		a := w.answer(nudge.ByFresh, screen.Approve)
		a.Nudge = older.ID
		if v := w.give(a, nudge.Taken); v.Nudge.ID != older.ID {
			w.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}

// TestFreshAnswerToAProgramsYesNoQuestion: it counts like a permission, beside an older permission.
func TestFreshAnswerToAProgramsYesNoQuestion(t *testing.T) {
	for _, d := range []screen.Decision{screen.Approve, screen.Deny} {
		inBubble(t, func(w *world) {
			older := w.see(shows("%1", permission("make")))
			w.tell()
			time.Sleep(time.Minute)
			n, err := w.Ask(nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"})
			if err != nil {
				t.Fatal(err)
			}
			w.tell()
			time.Sleep(time.Minute / 2)
			v := w.give(w.answer(nudge.ByFresh, d), nudge.Taken)
			want := map[screen.Decision]string{screen.Approve: "yes", screen.Deny: "no"}[d]
			if v.Nudge.ID != n.ID || v.Nudge.Answered() != want {
				w.Errorf("#%s has the answer %q, want #%s and %q", v.Nudge.ID, v.Nudge.Answered(), n.ID, want)
			}
			w.wantState(older.ID, nudge.Pending)
		})
	}
}

// freshly is a message that is not a reply.
func (w *world) freshly(text string) nudge.Answer {
	a := w.answer(nudge.ByFresh, "")
	a.Text = text
	return a
}

// TestFreshNumberAnswersTheNewestQuestion, and never a permission.
func TestFreshNumberAnswersTheNewestQuestion(t *testing.T) {
	for said, want := range map[string]nudge.VerdictKind{"2": nudge.Taken, "PROD": nudge.Taken, "7": nudge.NoAnswer, "pro": nudge.NoAnswer} {
		inBubble(t, func(w *world) {
			w.see(shows("%1", permission("make")))
			w.tell()
			w.give(w.freshly(said), nudge.NoAnswer)
			time.Sleep(time.Minute)
			n, err := w.Ask(nudge.ProgramQuestion{Text: "Where?", Options: []string{"dev", "prod"}, Timeout: time.Hour, Program: "deploy.sh"})
			if err != nil {
				t.Fatal(err)
			}
			w.tell()
			time.Sleep(time.Minute)
			v := w.give(w.freshly(said), want)
			if want == nudge.Taken && (v.Nudge.ID != n.ID || v.Nudge.Answered() != "prod") {
				w.Errorf("#%s has the answer %q", v.Nudge.ID, v.Nudge.Answered())
			}
			w.wantState(w.newest(pane("%1")).ID, nudge.Pending)
		})
	}
}

// TestNeitherEndsTheQuestion: the next fresh answer does not go to a question that was answered.
func TestNeitherEndsTheQuestion(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		list := w.told(nudge.Notice{Kind: nudge.Several, Place: ann})
		time.Sleep(time.Minute)
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
		if err := w.Neither(nudge.Ref{Place: ann, Message: list}); err != nil {
			t.Fatal(err)
		}
		w.wantFresh(nudge.Taken, n)
	})
}

func TestFreshAnswerAfterTheOwnAnswerMeansTheNext(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		older, newer := w.two(time.Minute)
		time.Sleep(time.Minute)
		w.wantFresh(nudge.Taken, newer)
		w.wantState(newer.ID, nudge.Delivered)
		time.Sleep(time.Second)
		w.wantFresh(nudge.Taken, older)
	})
}

// TestAFreshAnswerWaitsNoLongerThanItsReceipts tries everything with a question that nod sends.
func TestAFreshAnswerWaitsNoLongerThanItsReceipts(t *testing.T) {
	for name, sends := range map[string]func(w *world) nudge.Receipt{
		"a nudge": func(w *world) nudge.Receipt {
			w.see(shows("%1", permission("make")))
			return nudge.Receipt{Notice: w.untold()[0]}
		},
		"several nudges": func(w *world) nudge.Receipt {
			r := nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Together, Place: ann}}
			w.see(shows("%1", permission("make")))
			w.see(shows("%2", permission("go test")))
			for _, n := range w.untold() {
				r.Parts = append(r.Parts, nudge.Part{Nudge: *n.Nudge()})
			}
			return r
		},
		"a wish": func(w *world) nudge.Receipt {
			w.see(is("%1", screen.Working))
			w.wish("run the tests")
			return nudge.Receipt{Notice: w.untold()[0]}
		},
		"denied calls": func(w *world) nudge.Receipt {
			w.see(is("%1", screen.Working))
			w.deny("git push", time.Minute)
			return nudge.Receipt{Notice: w.untold()[0]}
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				receipt := sends(w)
				receipt.Message, receipt.Sent = 4711, time.Now()
				time.Sleep(10 * time.Second)
				told := time.AfterFunc(300*time.Millisecond, func() {
					if err := w.Told(receipt); err != nil {
						w.Error(err)
					}
				})
				defer told.Stop()
				began := time.Now()
				if _, err := w.Answer(w.answer(nudge.ByFresh, screen.Approve)); err != nil || time.Since(began) != 300*time.Millisecond {
					w.Errorf("it waited for %v: %v", time.Since(began), err)
				}
			})
		})
	}
}

// TestFreshAnswerWaitsForWhatIsBeingSent: the answer may mean a message that Telegram has delivered but not
// yet confirmed.
func TestFreshAnswerWaitsForWhatIsBeingSent(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		newer := w.see(shows("%2", permission("rm -rf build")))
		receipt := nudge.Receipt{Notice: w.untold()[0], Message: 4711, Sent: time.Now()}
		time.Sleep(10 * time.Second)
		a := w.answer(nudge.ByFresh, screen.Approve)
		go func() {
			time.Sleep(300 * time.Millisecond)
			if err := w.Told(receipt); err != nil {
				w.Error(err)
			}
		}()
		if v := w.give(a, nudge.Taken); v.Nudge.ID != newer.ID {
			w.Errorf("it means #%s, not the one that was being sent", v.Nudge.ID)
		}
	})
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		w.see(shows("%2", permission("rm -rf build")))
		w.untold() // no receipt ever arrives
		w.wantFresh(nudge.WhichOne, nudge.Nudge{})
	})
}

func TestFreshAnswerWithNothingPending(t *testing.T) {
	inBubble(t, func(w *world) {
		w.wantFresh(nudge.NothingDue, nudge.Nudge{})
		w.see(shows("%1", permission("make"))) // not told yet
		w.wantFresh(nudge.NothingDue, nudge.Nudge{})
	})
}

// TestFreshAnswerAfterAnIdleAgentsWords: a notice that came after the permission only matters if the agent's
// last words ask something, because a y may be for them.
func TestFreshAnswerAfterAnIdleAgentsWords(t *testing.T) {
	for words, want := range map[string]nudge.VerdictKind{
		"All tests pass.": nudge.Taken, "All tests pass. Shall I commit?": nudge.WhichOne, "Soll ich?\n\nIch warte.": nudge.WhichOne,
	} {
		for name, since := range map[string]func(w *world, idle nudge.Nudge){
			"pending":    func(*world, nudge.Nudge) {},
			"over":       func(w *world, _ nudge.Nudge) { w.see(is("%2", screen.Working)) },
			"claimed":    func(w *world, idle nudge.Nudge) { w.bobTells(idle) },
			"hours past": func(*world, nudge.Nudge) { time.Sleep(time.Hour) },
		} {
			t.Run(words+" "+name, func(t *testing.T) {
				inBubble(t, func(w *world) {
					w.rules.Idle, w.rules.Supervisors = true, []nudge.Place{ann, bob}
					n := w.see(shows("%1", permission("make")))
					w.tell()
					time.Sleep(time.Minute)
					look := turnOver("%2")
					look.Words = words
					idle := w.see(look)
					w.tell()
					time.Sleep(time.Second)
					since(w, idle)
					v := w.give(w.answer(nudge.ByFresh, screen.Approve), want)
					if want == nudge.Taken && v.Nudge.ID != n.ID || want == nudge.WhichOne && (len(v.Among) != 1 || v.Among[0].ID != n.ID) {
						w.Errorf("it means #%s, among %v", v.Nudge.ID, v.Among)
					}
				})
			})
		}
	}
}

// bobTells gives an idle agent Bob's words.
func (w *world) bobTells(idle nudge.Nudge) {
	w.Helper()
	a := w.answer(nudge.ByButton, "")
	a.Nudge, a.By, a.Place, a.Text = idle.ID, nudge.Person{ID: bob, Name: "Bob"}, bob, "commit"
	w.give(a, nudge.Taken)
}

// TestWhatHasJustEndedStaysSoWhenTheClockIsSet: a bare y that may have been meant for it does not go to
// another nudge.
func TestWhatHasJustEndedStaysSoWhenTheClockIsSet(t *testing.T) {
	for _, by := range []time.Duration{0, time.Hour, -time.Hour, 24 * time.Hour} {
		inBubble(t, func(w *world) {
			w.tick()
			w.see(shows("%1", permission("make")))
			w.tell()
			time.Sleep(2 * time.Minute)
			newer := w.see(shows("%2", permission("rm -rf build")))
			w.tell()
			time.Sleep(time.Minute)
			for range 3 {
				w.see(is("%2", screen.Working))
			}
			w.wantState(newer.ID, nudge.Recovered)
			time.Sleep(10 * time.Second)
			if err := w.Tick(time.Now().Add(by)); err != nil {
				w.Fatal(err)
			}
			a := w.answer(nudge.ByFresh, screen.Approve)
			if ended := w.find(newer.ID).Ended; ended.Add(10*time.Second).Sub(time.Now().Add(by)).Abs() > time.Second {
				w.Errorf("the clock was set by %s, and it seems to have ended %s ago", by, time.Now().Add(by).Sub(ended))
			}
			if by == 0 {
				w.give(a, nudge.WhichOne)
			}
		})
	}
}
