package nudge_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/nudge"
)

const words = "run the tests\nand then\tlint"

// says is an answer of Ann's in words.
func (d *desk) says(way nudge.Way) nudge.Answer {
	a := d.answer(way, "")
	a.Text = words
	return a
}

func (d *desk) bid(id string, a nudge.Answer, want nudge.VerdictKind) nudge.Verdict {
	d.Helper()
	v, err := d.Keeper.Tell(pane(id), a)
	if err != nil {
		d.Fatal(err)
	}
	if v.Kind != want {
		d.Fatalf("the verdict is %s (%s: %s), want %s", v.Kind, v.Reason, v.Detail, want)
	}
	synctest.Wait()
	return v
}

// refuseNext makes the keyboard refuse for that reason; empty: type again.
func (d *desk) refuseNext(reason deliver.Reason) {
	d.typist.result = func(context.Context, deliver.Request) deliver.Result {
		if reason == "" {
			return deliver.Result{}
		}
		return deliver.Result{Outcome: deliver.Refused, Reason: reason, Detail: "because"}
	}
}

func TestReplyToAnIdleNoticeIsTheNextInstruction(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		n := d.see(look)
		d.tell()
		a := d.says(nudge.ByReply)
		a.ReplyTo = d.find(n.ID).Copies[0].Message
		d.give(a, nudge.Taken)
		got := d.wantState(n.ID, nudge.Delivered)
		r := d.typist.asked[0]
		if r.Text != words || r.Fingerprint != "" || r.Decision != "" || r.Process != n.Process || got.Claim.Text != words {
			d.Errorf("typed %+v", r)
		}
		d.wantKinds(d.tell(), nudge.Reply, nudge.Close)
		d.see(look) // a look from before the agent begins
		d.wantKinds(d.tell())
		d.give(a, nudge.Repeated)
		second := d.says(nudge.ByReply)
		second.ReplyTo = a.ReplyTo
		v := d.give(second, nudge.Rejected)
		if v.Reason != deliver.Answered || !strings.Contains(v.Detail, "told “run the tests and then lint” by Ann") {
			d.Errorf("%s: %s", v.Reason, v.Detail)
		}
		events, err := d.store.Tail(20)
		if err != nil {
			d.Fatal(err)
		}
		var text string
		for _, e := range events {
			text += e.Text
		}
		if text != words+words {
			d.Errorf("the audit trail has %q", text)
		}
		if strings.Contains(d.log.String(), "lint") {
			d.Error("the log has the words")
		}
	})
}

func TestIdleNoticeCanBeRepliedToAfterARefusal(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		look := turnOver("%1")
		n := d.see(look)
		d.tell()
		reply := func() nudge.Answer {
			a := d.says(nudge.ByReply)
			a.ReplyTo = d.find(n.ID).Copies[0].Message
			return a
		}
		d.refuseNext(deliver.Draft)
		d.give(reply(), nudge.Taken)
		if got := d.wantState(n.ID, nudge.Pending); got.Reason != deliver.Draft {
			d.Errorf("refused for %s", got.Reason)
		}
		d.wantKinds(d.tell(), nudge.Reply)
		d.see(look)
		d.refuseNext("")
		d.give(reply(), nudge.Taken)
		d.wantState(n.ID, nudge.Delivered)
	})
}

func TestWordsForAQuestionsTextField(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		p := permission("Which database?")
		p.TextField = true
		n := d.see(asks("%1", p))
		d.tell()
		a := d.says(nudge.ByReply)
		a.ReplyTo = d.find(n.ID).Copies[0].Message
		d.give(a, nudge.Taken)
		d.wantState(n.ID, nudge.Delivered)
		if r := d.typist.asked[0]; r.Text != words || r.Fingerprint != p.Fingerprint {
			d.Errorf("typed %+v", r)
		}
	})
}

func TestTellAPane(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		if v := d.bid("%1", d.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.NotFound || v.Detail == "" {
			d.Errorf("%s: %s", v.Reason, v.Detail)
		}
		look := is("%1", detect.Idle) // no work was seen: there is no notice
		look.Since = time.Now()
		d.see(look)
		a := d.says(nudge.ByFresh)
		v := d.bid("%1", a, nudge.Taken)
		d.wantState(v.Nudge.ID, nudge.Delivered)
		if r := d.typist.asked[0]; r.Text != words || r.Agent != "claude" || r.Process != look.Process || r.Fingerprint != "" {
			d.Errorf("typed %+v", r)
		}
		d.bid("%1", a, nudge.Repeated)
		d.see(look)
		d.wantKinds(d.tell(), nudge.Reply)
		if len(d.typist.asked) != 1 {
			d.Errorf("typed %d times", len(d.typist.asked))
		}
		if queue, _ := d.Queue(); len(queue) != 0 {
			d.Errorf("the queue is %+v", queue)
		}
	})
}

// TestTellClaimsWhatTheIdleNoticeOffers: one pane has one open record, however the words come.
func TestTellClaimsWhatTheIdleNoticeOffers(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(turnOver("%1"))
		d.tell()
		if v := d.bid("%1", d.says(nudge.ByFresh), nudge.Taken); v.Nudge.ID != n.ID {
			d.Errorf("it claims #%s", v.Nudge.ID)
		}
		d.wantState(n.ID, nudge.Delivered)
	})
}

func TestTellNeverGoesIntoAPrompt(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		if v := d.bid("%1", d.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.AwaitingDecision {
			d.Errorf("%s: %s", v.Reason, v.Detail)
		}
		d.wantState(n.ID, nudge.Pending)
		time.Sleep(8 * time.Hour)
		d.tick()
		d.wantState(n.ID, nudge.Expired)
		if v := d.bid("%1", d.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.AwaitingDecision {
			d.Errorf("%s: %s", v.Reason, v.Detail)
		}
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
}

// TestPromptDuringTellIsTold: a prompt appears while words are being typed; the refusal opens the way to it.
func TestPromptDuringTellIsTold(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		d.see(is("%1", detect.Idle))
		d.typist.result = func(context.Context, deliver.Request) deliver.Result {
			time.Sleep(time.Second)
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.AwaitingDecision, Detail: "because"}
		}
		v := d.bid("%1", d.says(nudge.ByFresh), nudge.Taken)
		d.see(shows("%1", permission("make")))
		time.Sleep(2 * time.Second)
		if got := d.wantState(v.Nudge.ID, nudge.Refused); got.Reason != deliver.AwaitingDecision {
			d.Errorf("refused for %s", got.Reason)
		}
		if n := d.see(shows("%1", permission("make"))); n.ID == v.Nudge.ID || n.State != nudge.Pending || n.Again != "" {
			d.Errorf("the prompt is %+v", n)
		}
	})
}

func TestOnlySupervisorsTell(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		d.see(is("%1", detect.Idle))
		a := d.says(nudge.ByFresh)
		a.By.ID = bob
		if v := d.bid("%1", a, nudge.Rejected); v.Reason != deliver.NotOwner {
			d.Errorf("%s: %s", v.Reason, v.Detail)
		}
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
}

// TestPastedTextIsNeverPastedAgain: nod dies between the note that it types and the outcome.
func TestPastedTextIsNeverPastedAgain(t *testing.T) {
	inBubble(t, func(d *desk) {
		hang := make(chan struct{})
		defer close(hang)
		ctx, cancel := context.WithCancel(d.Context())
		defer cancel()
		d.typist.typing = func() { <-hang }
		go d.Run(ctx)
		d.see(is("%1", detect.Idle))
		a := d.says(nudge.ByFresh)
		v := d.bid("%1", a, nudge.Taken)
		d.wantState(v.Nudge.ID, nudge.Typing)
		d.restart()
		d.typist = &typist{}
		d.Keeper = d.keeper()
		d.deliver()
		d.see(is("%1", detect.Idle))
		time.Sleep(2 * time.Minute)
		if got := d.wantState(v.Nudge.ID, nudge.Unknown); !strings.Contains(got.Detail, "not typed again") {
			d.Errorf("says %q", got.Detail)
		}
		d.bid("%1", a, nudge.Repeated)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed again: %v", d.typist.asked)
		}
		d.wantKinds(d.tell(), nudge.Reply)
	})
}

// TestWordsThatWaitedTooLongAreNotTyped: nod was away for a minute between the claim and the first key.
func TestWordsThatWaitedTooLongAreNotTyped(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(is("%1", detect.Idle))
		v := d.bid("%1", d.says(nudge.ByFresh), nudge.Taken)
		d.wantState(v.Nudge.ID, nudge.Claimed)
		time.Sleep(time.Minute)
		d.restart()
		d.deliver()
		d.wantState(v.Nudge.ID, nudge.Refused)
		d.wantKinds(d.tell(), nudge.Reply)
		if len(d.typist.asked) != 0 {
			d.Errorf("typed %v", d.typist.asked)
		}
	})
	inBubble(t, func(d *desk) {
		d.rules.Idle = true
		n := d.see(turnOver("%1"))
		d.tell()
		d.bid("%1", d.says(nudge.ByFresh), nudge.Taken)
		time.Sleep(time.Minute)
		d.restart()
		d.deliver()
		d.wantState(n.ID, nudge.Pending)
		d.wantKinds(d.tell(), nudge.Send)
	})
}

// TestTellIsOneTransaction: where the claim can't be written nothing is noted, so that the words may come again.
func TestTellIsOneTransaction(t *testing.T) {
	inIdleBubble(t, func(d *desk) {
		full := errors.New("the disk is full")
		d.see(is("%1", detect.Idle))
		d.stop()
		d.Keeper = d.keeperOver(failing{d.store, full})
		d.see(is("%1", detect.Idle))
		a := d.says(nudge.ByFresh)
		if _, err := d.Keeper.Tell(pane("%1"), a); !errors.Is(err, full) {
			d.Fatalf("got %v", err)
		}
		d.Keeper = d.keeper()
		d.see(is("%1", detect.Idle))
		d.deliver()
		d.bid("%1", a, nudge.Taken)
	})
}

// failing is a book whose changes fail at the end.
type failing struct {
	nudge.Book
	err error
}

func (b failing) Update(f func(*nudge.Tx) error) error {
	return b.Book.Update(func(tx *nudge.Tx) error { return errors.Join(f(tx), b.err) })
}
