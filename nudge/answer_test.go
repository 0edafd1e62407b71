package nudge_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

func TestReplyIsTypedAndTold(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		v := d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		if v.Nudge.ID != n.ID {
			d.Errorf("applied to #%s", v.Nudge.ID)
		}
		over := d.wantState(n.ID, nudge.Delivered)
		if r := d.typist.asked[0]; r.Fingerprint != n.Prompt.Fingerprint || r.Decision != detect.Approve || r.Pane != n.Pane || r.Process != n.Process {
			d.Errorf("typed %+v", r)
		}
		if over.Claim.By.Name != "Ann" || over.Keys[0] != "1" {
			d.Errorf("the record says %+v, keys %v", over.Claim, over.Keys)
		}
		notices := d.tell()
		if len(kinds(notices, nudge.Reply)) != 1 || len(kinds(notices, nudge.Close)) != 1 {
			d.Errorf("told %+v", notices)
		}
		if again := d.tell(); len(again) != 0 {
			d.Errorf("told twice: %+v", again)
		}
		d.wantLog("msg=\"prompt detected\" pane=%1 agent=claude shape=claude.tool_confirmation nudge="+n.ID+" by=poll",
			"msg=\"nudge sent\" nudge="+n.ID+" reminder=1 chat=1001 message=",
			"msg=\"answer received\" nudge="+n.ID+" decision=approve by=Ann way=reply",
			"msg=\"key typed\" nudge="+n.ID+" pane=%1 keys=[1]",
			"msg=\"nudge ended\" nudge="+n.ID+" state=delivered after=")
	})
}

// TestAnswerActsOnce gives every kind of answer twice, while the first is being typed and after it.
func TestAnswerActsOnce(t *testing.T) {
	inBubble(t, func(d *desk) {
		typing := make(chan struct{})
		d.typist.result = func(context.Context, deliver.Request) deliver.Result { <-typing; return deliver.Result{} }
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		second := func() nudge.Verdict { return d.give(d.replyTo(n.ID, detect.Deny), nudge.Rejected) }
		if v := second(); v.Reason != deliver.Answered || !strings.Contains(v.Detail, "already approved by Ann at ") {
			d.Errorf("got %s: %s", v.Reason, v.Detail)
		}
		close(typing)
		synctest.Wait()
		if v := second(); v.Reason != deliver.Answered || !strings.Contains(v.Detail, "already approved by Ann at ") {
			d.Errorf("got %s: %s", v.Reason, v.Detail)
		}
		if len(d.typist.asked) != 1 {
			d.Errorf("typed %d times", len(d.typist.asked))
		}
	})
}

// TestSameUpdateTwice reads every answer again, as after a crash before the update was confirmed.
func TestSameUpdateTwice(t *testing.T) {
	inBubble(t, func(d *desk) {
		older := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Minute)
		newer := d.see(shows("%2", permission("rm -rf build")))
		d.tell()
		time.Sleep(time.Minute)
		fresh := d.answer(nudge.ByFresh, detect.Approve)
		if v := d.give(fresh, nudge.Taken); v.Nudge.ID != newer.ID {
			d.Fatalf("applied to #%s", v.Nudge.ID)
		}
		d.deliver()
		d.wantState(newer.ID, nudge.Delivered)
		d.give(fresh, nudge.Repeated)
		d.restart()
		d.deliver()
		d.give(fresh, nudge.Repeated)
		fresh.Update++ // the same message under another update id
		d.give(fresh, nudge.Repeated)
		d.wantState(older.ID, nudge.Pending)
		if len(d.typist.asked) != 1 {
			d.Errorf("typed %d times", len(d.typist.asked))
		}
	})
}

// TestAnswerNeverMovesToAnotherNudge answers one nudge in every way at every end, while another waits.
func TestAnswerNeverMovesToAnotherNudge(t *testing.T) {
	ends := map[string]func(*desk, nudge.Nudge){
		"answered":  func(d *desk, n nudge.Nudge) { d.give(d.replyTo(n.ID, detect.Deny), nudge.Taken) },
		"recovered": func(d *desk, n nudge.Nudge) { d.see(is("%1", detect.Working)); d.see(is("%1", detect.Working)) },
		"replaced":  func(d *desk, n nudge.Nudge) { d.see(shows("%1", permission("rm -rf /"))) },
		"gone":      func(d *desk, n nudge.Nudge) { d.see(is("%1", detect.Gone)) },
		"expired":   func(d *desk, n nudge.Nudge) { time.Sleep(8 * time.Hour); d.tick() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(d *desk) {
				d.deliver()
				n := d.see(shows("%1", permission("make")))
				d.tell()
				reply := d.replyTo(n.ID, detect.Approve)
				button := d.answer(nudge.ByButton, detect.Approve)
				button.Nudge, button.ReplyTo = n.ID, reply.ReplyTo
				named := d.answer(nudge.ByFresh, detect.Approve)
				named.Nudge = n.ID
				command := nudge.Answer{Decision: detect.Approve, Nudge: n.ID, Way: nudge.ByCommand, By: nudge.Person{Name: "ann"}}
				end(d, n)
				typed := len(d.typist.asked)
				d.see(shows("%2", permission("go test")))
				d.tell()
				for _, a := range []nudge.Answer{reply, button, named, command} {
					if v := d.give(a, nudge.Rejected); v.Nudge.ID != n.ID || v.Detail == "" {
						d.Errorf("by %s it was applied to #%s: %s", a.Way, v.Nudge.ID, v.Detail)
					}
				}
				if len(d.typist.asked) != typed {
					d.Errorf("something was typed: %+v", d.typist.asked[typed:])
				}
			})
		})
	}
}

func TestUnknownMessageAnswersNothing(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.tell()
		a := d.answer(nudge.ByReply, detect.Approve)
		a.ReplyTo = 4711
		if v := d.give(a, nudge.Rejected); v.Reason != deliver.NotFound {
			d.Errorf("got %s", v.Reason)
		}
		a = d.answer(nudge.ByFresh, detect.Approve)
		a.Nudge = "z9z"
		if v := d.give(a, nudge.Rejected); v.Reason != deliver.NotFound {
			d.Errorf("got %s", v.Reason)
		}
	})
}

func TestNamedNudgeInReplyToAnother(t *testing.T) {
	inBubble(t, func(d *desk) {
		one, two := d.see(shows("%1", permission("make"))), d.see(shows("%2", permission("go test")))
		d.tell()
		a := d.replyTo(one.ID, detect.Approve)
		a.Nudge = two.ID
		if v := d.give(a, nudge.Rejected); v.Reason != deliver.Ambiguous {
			d.Errorf("got %s", v.Reason)
		}
	})
}

func TestStrangerMayNotAnswer(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.rules.Supervisors = []int64{ann, bob}
		n := d.see(shows("%1", permission("make")))
		d.tell()
		d.rules.Supervisors = []int64{bob}
		if v := d.give(d.replyTo(n.ID, detect.Approve), nudge.Rejected); v.Reason != deliver.NotOwner {
			d.Errorf("got %s", v.Reason)
		}
		closed := kinds(d.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Chat != ann || closed[0].Newest {
			d.Errorf("closed %+v", closed)
		}
		d.rules.Supervisors = []int64{ann, bob}
		if sent := kinds(d.tell(), nudge.Send); len(sent) != 1 || sent[0].Chat != ann {
			d.Errorf("who comes back gets what is pending: %+v", sent)
		}
	})
}

func TestYesNeverMeansAQuestion(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(asks("%1", permission("Trust this folder?"))) // even where the screen has keys for yes and no
		d.tell()
		for _, decision := range []detect.Decision{detect.Approve, detect.Deny} {
			if v := d.give(d.replyTo(n.ID, decision), nudge.Rejected); v.Reason != deliver.NoKey {
				d.Errorf("got %s", v.Reason)
			}
		}
	})
	inBubble(t, func(d *desk) {
		p := permission("Which database?")
		p.Approve, p.Deny = nil, nil
		p.Options = []detect.Option{{Key: "1", Label: "SQLite", Scope: detect.Other}, {Key: "2", Label: "Postgres", Scope: detect.Other}}
		n := d.see(asks("%1", p))
		d.tell()
		for _, decision := range []detect.Decision{detect.Approve, detect.Deny, ""} {
			d.give(d.replyTo(n.ID, decision), nudge.Rejected)
		}
		d.give(d.answer(nudge.ByFresh, detect.Approve), nudge.NothingDue)
		d.wantState(n.ID, nudge.Pending)
		a := d.answer(nudge.ByButton, "")
		a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: 1, Label: "SQLite"}
		if v := d.give(a, nudge.Rejected); v.Reason != deliver.Changed {
			d.Errorf("an option that is not offered: %s", v.Reason)
		}
		a = d.answer(nudge.ByButton, "")
		a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: 1, Label: "Postgres"}
		d.give(a, nudge.Taken)
	})
}

func TestNoKeyMeansNoAnswer(t *testing.T) {
	inBubble(t, func(d *desk) {
		p := permission("make")
		p.Approve, p.Deny, p.Why = nil, nil, "Two options say yes."
		n := d.see(shows("%1", p))
		d.tell()
		if v := d.give(d.replyTo(n.ID, detect.Approve), nudge.Rejected); v.Reason != deliver.NoKey || v.Detail != p.Why {
			d.Errorf("got %s: %s", v.Reason, v.Detail)
		}
		if v := d.give(d.replyTo(n.ID, detect.Deny), nudge.Rejected); v.Reason != deliver.NoKey {
			d.Errorf("got %s", v.Reason)
		}
	})
}

// TestWiderNeedsASecondTap walks every option: those that allow more than once ask again, and only
// the second tap, for that very option, is taken.
func TestWiderNeedsASecondTap(t *testing.T) {
	for i, o := range permission("make").Options {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", permission("make")))
			d.tell()
			a := d.answer(nudge.ByButton, "")
			a.Nudge, a.Choice = n.ID, &deliver.Choice{Index: i, Label: o.Label}
			want := nudge.Taken
			if o.Scope == detect.Always || o.Scope == detect.Mode {
				want = nudge.AskSure
			}
			d.give(a, want)
			if want == nudge.AskSure {
				a.Update, a.Sure = a.Update+1000, true
				d.give(a, nudge.Taken)
			}
		})
	}
}

func TestUnseenNeedsConsent(t *testing.T) {
	type step func(d *desk, n nudge.Nudge)
	consent := func(d *desk, n nudge.Nudge) nudge.Answer {
		a := d.answer(nudge.ByButton, detect.Approve)
		a.Nudge, a.Unseen = n.ID, true
		return a
	}
	again := permission("make")
	again.Partial = true
	tests := map[string]struct {
		between step
		want    nudge.VerdictKind
	}{
		"at once":              {func(*desk, nudge.Nudge) {}, nudge.Taken},
		"after the same look":  {func(d *desk, n nudge.Nudge) { d.see(shows("%1", again)) }, nudge.Taken},
		"after a look without": {func(d *desk, n nudge.Nudge) { d.see(is("%1", detect.Working)); d.see(shows("%1", again)) }, nudge.AskUnseen},
		"after an unseen look": {func(d *desk, n nudge.Nudge) {
			s := shows("%1", again)
			s.Unseen = true
			d.see(s)
			d.see(shows("%1", again))
		}, nudge.AskUnseen},
		"after an overlay": {func(d *desk, n nudge.Nudge) { d.see(is("%1", detect.Permission)) }, nudge.AskUnseen},
		"after a new permission event": {func(d *desk, n nudge.Nudge) {
			time.Sleep(time.Nanosecond)
			s := shows("%1", again)
			s.By = "hook"
			d.see(s)
		}, nudge.AskUnseen},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(d *desk) {
				n := d.see(shows("%1", again))
				d.tell()
				d.give(consent(d, n), nudge.AskUnseen) // a consent that nobody was asked for is none
				time.Sleep(time.Second)
				d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
				test.between(d, n)
				d.give(consent(d, n), test.want)
			})
		})
	}
	t.Run("deny needs none", func(t *testing.T) {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", again))
			d.tell()
			d.give(d.replyTo(n.ID, detect.Deny), nudge.Taken)
		})
	})
	t.Run("on the command line", func(t *testing.T) {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", again))
			a := nudge.Answer{Decision: detect.Approve, Nudge: n.ID, Way: nudge.ByCommand}
			if v := d.give(a, nudge.AskUnseen); v.Reason != deliver.NeedsConfirmation {
				d.Errorf("got %s", v.Reason)
			}
			a.Unseen = true
			d.give(a, nudge.Taken)
		})
	})
	t.Run("hidden in the message", func(t *testing.T) {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", permission("curl -H 'token: s3cret'")))
			for _, notice := range d.untold() {
				d.Told(nudge.Receipt{Notice: notice, Message: 101, Sent: time.Now(), Hidden: true})
			}
			d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
			d.Told(nudge.Receipt{Notice: nudge.Notice{Kind: nudge.Send, Chat: ann, Nudge: n}, Message: 101}) // shown now
			d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		})
	})
}

// TestConsentEndsBeforeTheKey: the dialog leaves between the consent and the first key.
func TestConsentEndsBeforeTheKey(t *testing.T) {
	inBubble(t, func(d *desk) {
		p := permission("make")
		p.Partial = true
		n := d.see(shows("%1", p))
		d.tell()
		d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
		d.typist.result = func(context.Context, deliver.Request) deliver.Result {
			d.see(is("%1", detect.Working))
			return deliver.Result{}
		}
		d.deliver()
		a := d.answer(nudge.ByButton, detect.Approve)
		a.Nudge, a.Unseen = n.ID, true
		d.give(a, nudge.Taken)
		if len(d.typist.began) != 0 {
			d.Error("a key was typed")
		}
		d.wantState(n.ID, nudge.Pending)
	})
}

func TestConsentQuestionLosesItsButton(t *testing.T) {
	inBubble(t, func(d *desk) {
		p := permission("make")
		p.Partial = true
		n := d.see(shows("%1", p))
		d.tell()
		v := d.give(d.replyTo(n.ID, detect.Approve), nudge.AskUnseen)
		question := d.told(nudge.Notice{Kind: nudge.Consent, Chat: ann, Nudge: v.Nudge})
		if open := d.tell(); len(open) != 0 {
			d.Errorf("told %+v", open)
		}
		d.see(is("%1", detect.Working))
		closed := kinds(d.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Copy.Message != question {
			d.Errorf("closed %+v", closed)
		}
	})
}

func TestUnheardCopyClosesWhenItIsAnswered(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		a := d.answer(nudge.ByButton, detect.Deny)
		a.Nudge, a.ReplyTo = n.ID, 77 // nod never learnt of message 77
		d.give(a, nudge.Taken)
		closed := kinds(d.tell(), nudge.Close)
		if len(closed) != 1 || closed[0].Copy.Message != 77 || !closed[0].Newest {
			d.Errorf("closed %+v", closed)
		}
	})
}

// TestManyAnswersAtOnce gives one nudge many answers at the same time, in every way.
func TestManyAnswersAtOnce(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		var answers []nudge.Answer
		for i := range 16 {
			a := d.replyTo(n.ID, []detect.Decision{detect.Approve, detect.Deny}[i%2])
			if i%4 == 3 {
				a = nudge.Answer{Nudge: n.ID, Decision: detect.Approve, Way: nudge.ByCommand}
			}
			answers = append(answers, a)
		}
		var taken atomic.Int32
		for _, a := range answers {
			go func() {
				if v, err := d.Answer(a); err == nil && v.Kind == nudge.Taken {
					taken.Add(1)
				}
			}()
		}
		synctest.Wait()
		if taken.Load() != 1 || len(d.typist.began) != 1 {
			d.Errorf("%d answers were taken, keys typed for %v", taken.Load(), d.typist.began)
		}
	})
}
