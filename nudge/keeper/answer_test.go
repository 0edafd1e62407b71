package keeper_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
)

func TestReplyIsTypedAndTold(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		v := w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		if v.Nudge.ID != n.ID {
			w.Errorf("applied to #%s", v.Nudge.ID)
		}
		over := w.wantState(n.ID, nudge.Delivered)
		if r := w.typist.asked[0]; r.Fingerprint != n.Prompt().Fingerprint || r.Decision != screen.Approve || r.Pane != n.Pane || r.Process != n.Process {
			w.Errorf("typed %+v", r)
		}
		if over.Claim.By.Name != "Ann" || over.Keys[0] != "1" {
			w.Errorf("the record says %+v, keys %v", over.Claim, over.Keys)
		}
		notices := w.tell()
		if len(kinds(notices, nudge.Reply)) != 1 || len(kinds(notices, nudge.Close)) != 1 {
			w.Errorf("told %+v", notices)
		}
		if again := w.tell(); len(again) != 0 {
			w.Errorf("told twice: %+v", again)
		}
		w.wantLog("msg=\"prompt detected\" pane=%1 agent=claude shape=claude.tool_confirmation nudge="+n.ID+" by=poll",
			"msg=\"nudge sent\" nudge="+n.ID+" reminder=1 chat=1001 message=",
			"msg=\"answer received\" nudge="+n.ID+" decision=approve by=Ann way=reply",
			"msg=\"key typed\" nudge="+n.ID+" pane=%1 keys=[1]",
			"msg=\"nudge ended\" nudge="+n.ID+" state=delivered after=")
	})
}

// TestAnswerActsOnce gives every kind of answer twice, during the typing of the first and after it.
func TestAnswerActsOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		typing := make(chan struct{})
		w.typist.result = func(context.Context, deliver.Request) deliver.Result { <-typing; return deliver.Result{} }
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		second := func() nudge.Verdict { return w.give(w.replyTo(n.ID, screen.Deny), nudge.Rejected) }
		if v := second(); v.Reason != deliver.Answered || !strings.Contains(words.Why(v.Detail), "already approved by Ann") {
			w.Errorf("got %s: %s", v.Reason, words.Why(v.Detail))
		}
		w.wantLog("msg=refused nudge=" + n.ID + " reason=answered")
		close(typing)
		synctest.Wait()
		if v := second(); v.Reason != deliver.Answered || !strings.Contains(words.Why(v.Detail), "already approved by Ann") {
			w.Errorf("got %s: %s", v.Reason, words.Why(v.Detail))
		}
		if len(w.typist.asked) != 1 {
			w.Errorf("typed %d times", len(w.typist.asked))
		}
	})
}

// TestSameUpdateTwice repeats every answer, as after a crash before the update was confirmed.
func TestSameUpdateTwice(t *testing.T) {
	inBubble(t, func(w *world) {
		older := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Minute)
		newer := w.see(shows("%2", permission("rm -rf build")))
		w.tell()
		time.Sleep(time.Minute)
		fresh := w.answer(nudge.ByFresh, screen.Approve)
		if v := w.give(fresh, nudge.Taken); v.Nudge.ID != newer.ID {
			w.Fatalf("applied to #%s", v.Nudge.ID)
		}
		w.deliver()
		w.wantState(newer.ID, nudge.Delivered)
		w.give(fresh, nudge.Repeated)
		w.restart()
		w.deliver()
		w.give(fresh, nudge.Repeated)
		fresh.Update++ // the same message under another update id
		w.give(fresh, nudge.Repeated)
		w.wantState(older.ID, nudge.Pending)
		if len(w.typist.asked) != 1 {
			w.Errorf("typed %d times", len(w.typist.asked))
		}
	})
}

// TestAnswerNeverMovesToAnotherNudge answers one nudge in every way and after every end, while another waits.
func TestAnswerNeverMovesToAnotherNudge(t *testing.T) {
	ends := map[string]func(*world, nudge.Nudge){
		"answered":  func(w *world, n nudge.Nudge) { w.give(w.replyTo(n.ID, screen.Deny), nudge.Taken) },
		"recovered": func(w *world, n nudge.Nudge) { w.see(is("%1", screen.Working)); w.see(is("%1", screen.Working)) },
		"replaced":  func(w *world, n nudge.Nudge) { w.see(shows("%1", permission("rm -rf /"))) },
		"gone":      func(w *world, n nudge.Nudge) { w.see(is("%1", screen.Gone)) },
		"expired":   func(w *world, n nudge.Nudge) { time.Sleep(8 * time.Hour); w.tick() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				w.deliver()
				n := w.see(shows("%1", permission("make")))
				w.tell()
				reply := w.replyTo(n.ID, screen.Approve)
				button := w.answer(nudge.ByButton, screen.Approve)
				button.Nudge = n.ID
				named := w.answer(nudge.ByFresh, screen.Approve)
				named.Nudge = n.ID
				command := nudge.Answer{Said: nudge.Said{Decision: screen.Approve}, Nudge: n.ID, Way: nudge.ByCommand, By: nudge.Person{Name: "ann"}}
				end(w, n)
				typed := len(w.typist.asked)
				w.see(shows("%2", permission("go test")))
				w.tell()
				for _, a := range []nudge.Answer{reply, button, named, command} {
					if v := w.give(a, nudge.Rejected); v.Nudge.ID != n.ID || v.Detail.IsZero() {
						w.Errorf("by %s it was applied to #%s: %s", a.Way, v.Nudge.ID, words.Why(v.Detail))
					}
				}
				if len(w.typist.asked) != typed {
					w.Errorf("something was typed: %+v", w.typist.asked[typed:])
				}
			})
		})
	}
}

func TestUnknownMessageAnswersNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.tell()
		a := w.answer(nudge.ByReply, screen.Approve)
		a.ReplyTo = 4711
		if v := w.give(a, nudge.Rejected); v.Reason != deliver.NotFound {
			w.Errorf("got %s", v.Reason)
		}
		a = w.answer(nudge.ByFresh, screen.Approve)
		a.Nudge = "z9z"
		if v := w.give(a, nudge.Rejected); v.Reason != deliver.NotFound {
			w.Errorf("got %s", v.Reason)
		}
	})
}

func TestNamedNudgeInReplyToAnother(t *testing.T) {
	inBubble(t, func(w *world) {
		one, two := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("go test")))
		w.tell()
		a := w.replyTo(one.ID, screen.Approve)
		a.Nudge = two.ID
		if v := w.give(a, nudge.Rejected); v.Reason != deliver.Ambiguous {
			w.Errorf("got %s", v.Reason)
		}
	})
}

func TestStrangerMayNotAnswer(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		n := w.see(shows("%1", permission("make")))
		w.tell()
		w.rules.Supervisors = []nudge.Place{bob}
		if v := w.give(w.replyTo(n.ID, screen.Approve), nudge.Rejected); v.Reason != deliver.NotOwner {
			w.Errorf("got %s", v.Reason)
		}
		closed := kinds(w.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Place != ann || closed[0].Newest {
			w.Errorf("closed %+v", closed)
		}
		w.rules.Supervisors = []nudge.Place{ann, bob}
		if sent := kinds(w.tell(), nudge.Send); len(sent) != 1 || sent[0].Place != ann {
			w.Errorf("who comes back gets what is pending: %+v", sent)
		}
	})
}

func TestYesNeverMeansAQuestion(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(asks("%1", permission("Trust this folder?"))) // even if the screen has keys for yes and no
		w.tell()
		for _, decision := range []screen.Decision{screen.Approve, screen.Deny} {
			if v := w.give(w.replyTo(n.ID, decision), nudge.Rejected); v.Reason != deliver.NoKey {
				w.Errorf("got %s", v.Reason)
			}
		}
	})
	inBubble(t, func(w *world) {
		p := permission("Which database?")
		p.Approve, p.Deny = nil, nil
		p.Options = []screen.Option{{Key: "1", Label: "SQLite", Scope: screen.Other}, {Key: "2", Label: "Postgres", Scope: screen.Other}}
		n := w.see(asks("%1", p))
		w.tell()
		for _, decision := range []screen.Decision{screen.Approve, screen.Deny} {
			w.give(w.replyTo(n.ID, decision), nudge.Rejected)
		}
		w.give(w.replyTo(n.ID, ""), nudge.NoAnswer)
		w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.NothingDue)
		w.wantState(n.ID, nudge.Pending)
		a := w.answer(nudge.ByButton, "")
		a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: 1, Label: "SQLite"}
		if v := w.give(a, nudge.Rejected); v.Reason != deliver.Changed {
			w.Errorf("an option that is not offered: %s", v.Reason)
		}
		a = w.answer(nudge.ByButton, "")
		a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: 1, Label: "Postgres"}
		w.give(a, nudge.Taken)
	})
}

func TestNoKeyMeansNoAnswer(t *testing.T) {
	inBubble(t, func(w *world) {
		p := permission("make")
		p.Approve, p.Deny, p.Why = nil, nil, reason.Why{Said: "Two options say yes."}
		n := w.see(shows("%1", p))
		w.tell()
		if v := w.give(w.replyTo(n.ID, screen.Approve), nudge.Rejected); v.Reason != deliver.NoKey || v.Detail != p.Why {
			w.Errorf("got %s: %s", v.Reason, words.Why(v.Detail))
		}
		if v := w.give(w.replyTo(n.ID, screen.Deny), nudge.Rejected); v.Reason != deliver.NoKey {
			w.Errorf("got %s", v.Reason)
		}
	})
}

// TestWiderNeedsASecondTap tries every option: options that allow more than once need a second tap, and it
// must be for the same option.
func TestWiderNeedsASecondTap(t *testing.T) {
	for i, o := range permission("make").Options {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("make")))
			w.tell()
			a := w.answer(nudge.ByButton, "")
			a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: i, Label: o.Label}
			want := nudge.Taken
			if o.Scope == screen.Always || o.Scope == screen.Mode {
				want = nudge.AskSure
			}
			w.give(a, want)
			if want == nudge.AskSure {
				a.Update, a.Sure = a.Update+1000, true
				w.give(a, nudge.Taken)
			}
		})
	}
}

func TestUnseenNeedsConsent(t *testing.T) {
	type step func(w *world, n nudge.Nudge)
	consent := func(w *world, n nudge.Nudge) nudge.Answer {
		a := w.answer(nudge.ByButton, screen.Approve)
		a.Nudge, a.Unseen = n.ID, true
		return a
	}
	again := permission("make")
	again.Partial = true
	tests := map[string]struct {
		between step
		want    nudge.VerdictKind
	}{
		"at once":              {func(*world, nudge.Nudge) {}, nudge.Taken},
		"after the same look":  {func(w *world, n nudge.Nudge) { w.see(shows("%1", again)) }, nudge.Taken},
		"after a look without": {func(w *world, n nudge.Nudge) { w.see(is("%1", screen.Working)); w.see(shows("%1", again)) }, nudge.AskUnseen},
		"after an unseen look": {func(w *world, n nudge.Nudge) {
			s := shows("%1", again)
			s.Unseen = true
			w.see(s)
			w.see(shows("%1", again))
		}, nudge.AskUnseen},
		"after an overlay": {func(w *world, n nudge.Nudge) { w.see(is("%1", screen.Permission)) }, nudge.AskUnseen},
		"after a new permission event": {func(w *world, n nudge.Nudge) {
			time.Sleep(time.Nanosecond)
			s := shows("%1", again)
			s.By = "hook"
			w.see(s)
		}, nudge.AskUnseen},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				n := w.see(shows("%1", again))
				w.tell()
				w.give(consent(w, n), nudge.AskUnseen) // a consent without a question for it does not count
				time.Sleep(time.Second)
				w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
				test.between(w, n)
				w.give(consent(w, n), test.want)
			})
		})
	}
	t.Run("deny needs none", func(t *testing.T) {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", again))
			w.tell()
			w.give(w.replyTo(n.ID, screen.Deny), nudge.Taken)
		})
	})
	t.Run("on the command line", func(t *testing.T) {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", again))
			a := nudge.Answer{Said: nudge.Said{Decision: screen.Approve}, Nudge: n.ID, Way: nudge.ByCommand}
			if v := w.give(a, nudge.AskUnseen); v.Reason != deliver.NeedsConfirmation {
				w.Errorf("got %s", v.Reason)
			}
			a.Unseen = true
			w.give(a, nudge.Taken)
		})
	})
	t.Run("hidden in the message", func(t *testing.T) {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("curl -H 'token: s3cret'")))
			for _, notice := range w.untold() {
				w.Told(nudge.Receipt{Notice: notice, Message: 101, Sent: time.Now(), Hidden: true})
			}
			w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
			again := func(want nudge.VerdictKind) {
				a := w.answer(nudge.ByReply, screen.Approve)
				a.ReplyTo = 101
				w.give(a, want)
			}
			// A button with its name does not show its text.
			w.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Several, Place: ann}, Message: 102, Offer: nudge.OfferWhich, Parts: []nudge.Part{{Nudge: n}}})
			again(nudge.AskUnseen)
			w.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Send, Place: ann, Of: nudge.OfNudge{Nudge: n}}, Message: 101}) // shown now
			again(nudge.Taken)
		})
	})
}

// TestConsentEndsBeforeTheKey: the dialog disappears between the consent and the first key.
func TestConsentEndsBeforeTheKey(t *testing.T) {
	inBubble(t, func(w *world) {
		p := permission("make")
		p.Partial = true
		n := w.see(shows("%1", p))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			w.see(is("%1", screen.Working))
			return deliver.Result{}
		}
		w.deliver()
		a := w.answer(nudge.ByButton, screen.Approve)
		a.Nudge, a.Unseen = n.ID, true
		w.give(a, nudge.Taken)
		if len(w.typist.began) != 0 {
			w.Error("a key was typed")
		}
		w.wantState(n.ID, nudge.Pending)
	})
}

func TestConsentQuestionLosesItsButton(t *testing.T) {
	inBubble(t, func(w *world) {
		p := permission("make")
		p.Partial = true
		n := w.see(shows("%1", p))
		w.tell()
		v := w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		question := w.told(nudge.Notice{Kind: nudge.Consent, Place: ann, Of: nudge.OfNudge{Nudge: v.Nudge}})
		if open := w.tell(); len(open) != 0 {
			w.Errorf("told %+v", open)
		}
		w.see(is("%1", screen.Working))
		closed := kinds(w.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Copy.Message != question {
			w.Errorf("closed %+v", closed)
		}
	})
}

func TestUnlearntCopyClosesWhenItIsAnswered(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		a := w.answer(nudge.ByButton, screen.Deny)
		a.Nudge, a.Message = n.ID, 77 // nod never learned of message 77
		a.Shown = []nudge.Shown{{Nudge: n.ID, Own: true}}
		w.give(a, nudge.Taken)
		closed := kinds(w.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Copy.Message != 77 || !closed[0].Newest {
			w.Errorf("closed %+v", closed)
		}
	})
}

// TestManyAnswersAtOnce gives one nudge many answers at the same time, in every way.
func TestManyAnswersAtOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		var answers []nudge.Answer
		for i := range 16 {
			a := w.replyTo(n.ID, []screen.Decision{screen.Approve, screen.Deny}[i%2])
			if i%4 == 3 {
				a = nudge.Answer{Nudge: n.ID, Said: nudge.Said{Decision: screen.Approve}, Way: nudge.ByCommand}
			}
			answers = append(answers, a)
		}
		var taken atomic.Int32
		for _, a := range answers {
			go func() {
				if v, err := w.Answer(a); err == nil && v.Kind == nudge.Taken {
					taken.Add(1)
				}
			}()
		}
		synctest.Wait()
		if taken.Load() != 1 || len(w.typist.began) != 1 {
			w.Errorf("%d answers were taken, keys typed for %v", taken.Load(), w.typist.began)
		}
	})
}
