package bot_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
	"nod/nudge"
)

// typedInOrder are the decisions and texts that the typist was handed.
func (w *world) typedInOrder() (all []string) {
	for _, r := range w.typed.all() {
		if text := told(r); text != "" {
			all = append(all, text)
		} else {
			all = append(all, string(r.Decision))
		}
	}
	return all
}

func (w *world) wantInOrder(want ...string) {
	w.t.Helper()
	time.Sleep(10 * time.Second)
	if got := w.typedInOrder(); !slices.Equal(got, want) {
		w.t.Fatalf("typed %q, want %q; the chat:\n%s", got, want, w.chat())
	}
}

// idleAgain is what a look shows when the denial ended the agent's turn: its input box is empty.
func (w *world) idleAgain(n int) {
	w.t.Helper()
	s := sighting(n, screen.Idle, nil)
	s.Worked, s.Tail = true, []string{"❯ "}
	w.mu.Lock()
	w.panes = []detect.Sighting{s}
	w.mu.Unlock()
	w.see(s)
	time.Sleep(3 * time.Second)
	s.At = time.Now()
	w.see(s)
}

// askWhy taps ✍ and gives the message that asks for the words.
func (w *world) askWhy(m botapi.Record) botapi.Record {
	w.t.Helper()
	w.tap(m, "✍ Deny…")
	asked := w.last()
	wantText(w.t, asked, "✍ Deny, and say why: claude in api1: make test", "nod denies, and passes it on")
	if asked.Markup == nil || !asked.Markup.ForceReply {
		w.t.Error("the reply field is not opened")
	}
	return asked
}

// The denial is typed at once, the words only when the agent is idle with an empty input box, and both once.
func TestDenyWithAReason(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		asked := w.askWhy(m)
		w.wantInOrder()
		reply := w.ann.ReplyTo(asked.ID, "use the cache\nand run it again")
		w.wantInOrder("deny")
		wantText(t, w.last(), "Denied by Ann", "It gets your words next, as “Denied: …”")
		if now := w.message(reply.ID); now.Reaction != "👎" {
			t.Errorf("the reaction is %q", now.Reaction)
		}
		wantNoButtons(t, w.message(asked.ID))
		wantNoButtons(t, w.message(m.ID))
		w.see(sighting(1, screen.Working, nil))
		w.wantInOrder("deny")
		w.idleAgain(1)
		w.wantInOrder("deny", "Denied: use the cache and run it again")
		w.idleAgain(1)
		w.wantInOrder("deny", "Denied: use the cache and run it again")
	})
}

// Words that went with the denial are not given again.
func TestReasonGivenWithTheDenialIsNotRepeated(t *testing.T) {
	inWorld(t, func(w *world) {
		w.typed.then(deliver.Result{Outcome: deliver.Delivered, Keys: []string{"4", "(text)", "Enter"}, Said: true})
		m := w.ask(1, prompt("make test"))
		reply := w.ann.ReplyTo(w.askWhy(m).ID, "use the cache")
		w.wantInOrder("deny")
		wantText(t, w.last(), "Denied by Ann", "It was told: “use the cache”")
		if now := w.message(reply.ID); now.Reaction != "👎" {
			t.Errorf("the reaction is %q", now.Reaction)
		}
		if got := w.typed.all()[0].Because.Said(); got != "use the cache" {
			t.Errorf("the denial came with %q", got)
		}
		w.idleAgain(1)
		w.wantInOrder("deny")
	})
}

// Words that are in their field unsent are not said to be gone.
func TestReasonThatIsNotSeenInItsFieldIsSaidOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		const detail = "Your words were typed into their field in pane %1, and were not sent: they are not seen to stand there alone. Send or delete them there."
		w.typed.then(deliver.Result{Outcome: deliver.Unknown, Reason: deliver.Unsure, Detail: reason.Why{Said: detail}, Keys: []string{"4", deliver.TypedWords}})
		m := w.ask(1, prompt("make test"))
		w.ann.ReplyTo(w.askWhy(m).ID, "use the cache")
		w.wantInOrder("deny")
		wantText(t, w.last(), detail)
		if strings.Contains(w.last().Text, "Your words were not sent.") {
			t.Errorf("it says twice:\n%s", w.last().Text)
		}
		w.idleAgain(1)
		w.wantInOrder("deny")
	})
}

// The words of a denial go before what was queued earlier.
func TestReasonGoesBeforeTheQueue(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		a := nudge.Answer{By: nudge.Person{ID: "4242", Name: "Ann"}, Way: nudge.ByCommand, Said: nudge.Said{Text: "then tidy up"}}
		if _, err := w.keeper.Submit(sighting(1, screen.Idle, nil).Pane, a, time.Hour); err != nil {
			t.Fatal(err)
		}
		w.ann.ReplyTo(w.askWhy(m).ID, "use the cache")
		w.wantInOrder("deny")
		w.idleAgain(1)
		w.wantInOrder("deny", "Denied: use the cache", "then tidy up")
	})
}

// No word in reply to the question why approves: yes is refused, no denies without words.
func TestReasonNeverApproves(t *testing.T) {
	for _, c := range []struct {
		say  string
		want []string
	}{
		{"y", nil}, {"Yes", nil}, {"a", nil}, {"approve", nil}, {"n", []string{"deny"}}, {"deny", []string{"deny"}}, {"yes, but later", []string{"deny"}},
		{"   ", nil}, {strings.Repeat("x", 17<<10)[:4096], []string{"deny"}},
	} {
		t.Run(c.say[:min(len(c.say), 10)], func(t *testing.T) {
			inWorld(t, func(w *world) {
				m := w.ask(1, prompt("make test"))
				w.ann.ReplyTo(w.askWhy(m).ID, c.say)
				w.wantInOrder(c.want...)
			})
		})
	}
}

// Words follow a denial that was proven, and no other.
func TestReasonIsNotSentWhereTheDenialWasNot(t *testing.T) {
	for _, outcome := range []deliver.Result{
		{Outcome: deliver.Refused, Reason: deliver.Changed}, {Outcome: deliver.Refused, Reason: deliver.CopyMode}, {Outcome: deliver.Unknown, Reason: deliver.Unsure},
	} {
		inWorld(t, func(w *world) {
			m := w.ask(1, prompt("make test"))
			w.typed.then(outcome)
			w.ann.ReplyTo(w.askWhy(m).ID, "use the cache")
			w.wantInOrder("deny")
			wantText(t, w.last(), "Your words were not sent.")
			w.idleAgain(1)
			w.wantInOrder("deny")
		})
	}
}

// The question why is known by nod's record, after a restart too, and by its button where nod never learnt that it was sent.
func TestReasonAfterARestart(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		asked := w.askWhy(m)
		w.restart()
		w.ann.ReplyTo(asked.ID, "use the cache")
		w.wantInOrder("deny")
	})
}

func TestUnlearntQuestionWhyIsKnownByItsButton(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.tg.Fail(botapi.Fault{Method: "sendMessage", DropAfter: true})
		w.tap(m, "✍ Deny…")
		time.Sleep(10 * time.Second)
		said := w.botSaid()
		lost := said[len(said)-2]
		wantText(t, lost, "Deny, and say why")
		w.ann.ReplyTo(lost.ID, "use the cache")
		w.wantInOrder("deny")
		wantNoButtons(t, w.message(lost.ID))
	})
}

// The question why of what is over says so, and a fresh y behind it asks which is meant.
func TestReasonOfWhatIsOver(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		asked := w.askWhy(m)
		w.ann.Say("y")
		w.wantInOrder()
		wantText(t, w.last(), "Which one is meant?")
		w.leave(1)
		w.ann.ReplyTo(asked.ID, "use the cache")
		w.wantInOrder()
		wantText(t, w.last(), "is over")
	})
}

func TestNBecauseIsToldHow(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		for _, said := range []string{"n because it is slow", "no, use the cache", "No: cache"} {
			w.ann.ReplyTo(m.ID, said)
			hint := w.last()
			wantText(t, hint, "Nothing was typed", "tap ✍ Deny…")
			w.wantInOrder()
		}
		w.tap(w.last(), "✍ Deny…")
		w.ann.ReplyTo(w.last().ID, "use the cache")
		w.wantInOrder("deny")
	})
}

// An older server ignores the wish for a reply, and the message is the same.
func TestReasonOnAnOlderServer(t *testing.T) {
	inWorldWith(t, botapi.Options{Token: token, Version: 1002}, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.tap(m, "✍ Deny…")
		asked := w.last()
		if asked.Markup == nil || asked.Markup.ForceReply {
			t.Errorf("the buttons are %+v", asked.Markup)
		}
		w.ann.ReplyTo(asked.ID, "use the cache")
		w.wantInOrder("deny")
		wantNoButtons(t, w.message(asked.ID))
	})
}
