package keeper_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/testrun"
	"nod/internal/words"
	"nod/nudge"
)

const someText = "run the tests\nand then\tlint"

// says is an answer in words by Ann.
func (w *world) says(way nudge.Way) nudge.Answer {
	a := w.answer(way, "")
	a.Text = someText
	return a
}

func (w *world) bid(id string, a nudge.Answer, want nudge.VerdictKind) nudge.Verdict {
	w.Helper()
	v, err := w.Keeper.Tell(pane(id), a)
	if err != nil {
		w.Fatal(err)
	}
	if v.Kind != want {
		w.Fatalf("the verdict is %s (%s: %s), want %s", v.Kind, v.Reason, words.Why(v.Detail), want)
	}
	synctest.Wait()
	return v
}

// refuseNext makes the keyboard refuse for that reason; empty: it types again.
func (w *world) refuseNext(code deliver.Reason) {
	w.typist.mu.Lock()
	defer w.typist.mu.Unlock()
	w.typist.result = func(context.Context, deliver.Request) deliver.Result {
		if code == "" {
			return deliver.Result{}
		}
		return deliver.Result{Outcome: deliver.Refused, Reason: code, Detail: reason.Why{Said: "because"}}
	}
}

func TestReplyToAnIdleNoticeIsTheNextInstruction(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		n := w.see(look)
		w.tell()
		a := w.says(nudge.ByReply)
		a.ReplyTo = w.find(n.ID).Copies[0].Message
		w.give(a, nudge.Taken)
		got := w.wantState(n.ID, nudge.Delivered)
		r := w.typist.asked[0]
		if string(r.Instruction) != someText || r.Fingerprint != "" || r.Decision != "" || r.Process != n.Process || got.Claim.Text != someText {
			w.Errorf("typed %+v", r)
		}
		w.wantKinds(w.tell(), nudge.Reply, nudge.Close)
		w.see(look) // a look from before the agent begins
		w.wantKinds(w.tell())
		w.give(a, nudge.Repeated)
		second := w.says(nudge.ByReply)
		second.ReplyTo = a.ReplyTo
		v := w.give(second, nudge.Rejected)
		if v.Reason != deliver.Answered || !strings.Contains(words.Why(v.Detail), "told “run the tests and then lint” by Ann") {
			w.Errorf("%s: %s", v.Reason, words.Why(v.Detail))
		}
		events, err := w.store.Tail(20)
		if err != nil {
			w.Fatal(err)
		}
		var text string
		for _, e := range events {
			text += e.Text
		}
		if text != someText+someText {
			w.Errorf("the audit trail has %q", text)
		}
		if strings.Contains(w.log.String(), "lint") {
			w.Error("the log has the words")
		}
	})
}

func TestIdleNoticeCanBeRepliedToAfterARefusal(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		n := w.see(look)
		w.tell()
		reply := func() nudge.Answer {
			a := w.says(nudge.ByReply)
			a.ReplyTo = w.find(n.ID).Copies[0].Message
			return a
		}
		w.refuseNext(deliver.Draft)
		w.give(reply(), nudge.Taken)
		if got := w.wantState(n.ID, nudge.Pending); got.Reason != deliver.Draft {
			w.Errorf("refused for %s", got.Reason)
		}
		w.wantKinds(w.tell(), nudge.Reply)
		w.see(look)
		w.refuseNext("")
		w.give(reply(), nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
	})
}

func TestWordsForAQuestionsTextField(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		p := permission("Which database?")
		p.TextField = true
		n := w.see(asks("%1", p))
		w.tell()
		a := w.says(nudge.ByReply)
		a.ReplyTo = w.find(n.ID).Copies[0].Message
		w.give(a, nudge.Taken)
		w.wantState(n.ID, nudge.Delivered)
		if r := w.typist.asked[0]; r.Answer.Said() != someText || r.Instruction != "" || r.Fingerprint != p.Fingerprint {
			w.Errorf("typed %+v", r)
		}
	})
}

func TestTellAPane(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		if v := w.bid("%1", w.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.NotFound || v.Detail.IsZero() {
			w.Errorf("%s: %s", v.Reason, words.Why(v.Detail))
		}
		look := is("%1", screen.Idle) // no work was seen, so there is no notice
		look.Since = time.Now()
		w.see(look)
		a := w.says(nudge.ByFresh)
		v := w.bid("%1", a, nudge.Taken)
		w.wantState(v.Nudge.ID, nudge.Delivered)
		if r := w.typist.asked[0]; string(r.Instruction) != someText || r.Agent != "claude" || r.Process != look.Process || r.Fingerprint != "" {
			w.Errorf("typed %+v", r)
		}
		w.bid("%1", a, nudge.Repeated)
		w.see(look)
		w.wantKinds(w.tell(), nudge.Reply)
		if len(w.typist.asked) != 1 {
			w.Errorf("typed %d times", len(w.typist.asked))
		}
		if queue, _ := w.Queue(); len(queue) != 0 {
			w.Errorf("the queue is %+v", queue)
		}
	})
}

// TestTellClaimsWhatTheIdleNoticeOffers: a pane has one open record, whichever way the words come.
func TestTellClaimsWhatTheIdleNoticeOffers(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(turnOver("%1"))
		w.tell()
		if v := w.bid("%1", w.says(nudge.ByFresh), nudge.Taken); v.Nudge.ID != n.ID {
			w.Errorf("it claims #%s", v.Nudge.ID)
		}
		w.wantState(n.ID, nudge.Delivered)
	})
}

func TestTellNeverGoesIntoAPrompt(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		if v := w.bid("%1", w.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.AwaitingDecision {
			w.Errorf("%s: %s", v.Reason, words.Why(v.Detail))
		}
		w.wantState(n.ID, nudge.Pending)
		w.tell()
		time.Sleep(8 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Expired)
		if v := w.bid("%1", w.says(nudge.ByFresh), nudge.Rejected); v.Reason != deliver.AwaitingDecision {
			w.Errorf("%s: %s", v.Reason, words.Why(v.Detail))
		}
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
}

// TestPromptDuringTellIsTold: a prompt appears while words are typed, and is told after the refusal.
func TestPromptDuringTellIsTold(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(is("%1", screen.Idle))
		w.typist.result = func(context.Context, deliver.Request) deliver.Result {
			time.Sleep(time.Second)
			return deliver.Result{Outcome: deliver.Refused, Reason: deliver.AwaitingDecision, Detail: reason.Why{Said: "because"}}
		}
		v := w.bid("%1", w.says(nudge.ByFresh), nudge.Taken)
		w.see(shows("%1", permission("make")))
		time.Sleep(2 * time.Second)
		if got := w.wantState(v.Nudge.ID, nudge.Refused); got.Reason != deliver.AwaitingDecision {
			w.Errorf("refused for %s", got.Reason)
		}
		if n := w.see(shows("%1", permission("make"))); n.ID == v.Nudge.ID || n.State != nudge.Pending || !n.Again.IsZero() {
			w.Errorf("the prompt is %+v", n)
		}
	})
}

func TestOnlySupervisorsTell(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(is("%1", screen.Idle))
		a := w.says(nudge.ByFresh)
		a.By.ID = bob
		if v := w.bid("%1", a, nudge.Rejected); v.Reason != deliver.NotOwner {
			w.Errorf("%s: %s", v.Reason, words.Why(v.Detail))
		}
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
}

// TestPastedTextIsNeverPastedAgain: nod dies after it recorded that it types, before the outcome.
func TestPastedTextIsNeverPastedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		w.hangAtTheKey()
		w.see(is("%1", screen.Idle))
		a := w.says(nudge.ByFresh)
		v := w.bid("%1", a, nudge.Taken)
		w.wantState(v.Nudge.ID, nudge.Typing)
		w.restartHung()
		w.see(is("%1", screen.Idle))
		time.Sleep(2 * time.Minute)
		if got := w.wantState(v.Nudge.ID, nudge.Unknown); !strings.Contains(words.Why(got.Detail), "does not type it again") {
			w.Errorf("says %q", words.Why(got.Detail))
		}
		w.bid("%1", a, nudge.Repeated)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed again: %v", w.typist.asked)
		}
		w.wantKinds(w.tell(), nudge.Reply)
	})
}

// TestWordsThatWaitedTooLongAreNotTyped: nod was away for a minute between the claim and the first key.
func TestWordsThatWaitedTooLongAreNotTyped(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(is("%1", screen.Idle))
		v := w.bid("%1", w.says(nudge.ByFresh), nudge.Taken)
		w.wantState(v.Nudge.ID, nudge.Claimed)
		time.Sleep(time.Minute)
		w.restart()
		w.deliver()
		w.wantState(v.Nudge.ID, nudge.Refused)
		w.wantKinds(w.tell(), nudge.Reply)
		if len(w.typist.asked) != 0 {
			w.Errorf("typed %v", w.typist.asked)
		}
	})
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		n := w.see(turnOver("%1"))
		w.tell()
		w.bid("%1", w.says(nudge.ByFresh), nudge.Taken)
		time.Sleep(time.Minute)
		w.restart()
		w.deliver()
		w.wantState(n.ID, nudge.Pending)
		w.wantKinds(w.tell(), nudge.Send)
	})
}

// TestTellIsOneTransaction: if the claim can't be written nothing is recorded, so the words may come again.
func TestTellIsOneTransaction(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inIdleBubble(t, func(w *world) {
		w.see(is("%1", screen.Idle))
		a := w.says(nudge.ByFresh)
		room := testrun.FillDisk(t)
		if _, err := w.Keeper.Tell(pane("%1"), a); !full(err) {
			w.Fatalf("got %v", err)
		}
		room()
		w.bid("%1", a, nudge.Taken)
	})
}

// TestOnlyTheLastWordsAreGivenAgain: the button under a refusal stays in the chat, and the agent may since have done
// something else.
func TestOnlyTheLastWordsAreGivenAgain(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(turnOver("%1"))
		w.tell()
		a := w.says(nudge.ByReply)
		a.ReplyTo = w.find(n.ID).Copies[0].Message
		w.refuseNext(deliver.CopyMode)
		w.give(a, nudge.Taken)
		n = w.wantState(n.ID, nudge.Pending)
		w.turn("Done with something else.") // of which somebody told it at the terminal
		if w.newest(n.Pane).ID == n.ID {
			w.Fatal("the next turn has no nudge of its own")
		}
		w.refuseNext("")
		tap := w.answer(nudge.ByButton, "")
		tap.Nudge, tap.Repeat, tap.LeaveMode = n.ID, n.Claim.Stamp(), true
		if v := w.give(tap, nudge.Rejected); v.Detail.Kind != reason.OldWords {
			w.Errorf("rejected because %s", words.Why(v.Detail))
		}
		if len(w.typist.asked) != 1 {
			w.Errorf("the old words were given to the agent again: %+v", w.typist.asked)
		}
	})
}
