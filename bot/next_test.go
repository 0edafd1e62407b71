package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/reason"
	"nod/nudge"
)

// works has the one agent, in pane 1, be at work.
func works(w *world) {
	w.mu.Lock()
	w.panes = []detect.Sighting{sighting(1, screen.Working, nil)}
	w.mu.Unlock()
	w.look()
}

var atWork = deliver.Result{Outcome: deliver.Refused, Reason: deliver.Working, Detail: reason.Why{Kind: reason.NotIdle, Agent: "claude", Pane: "%1"}}

// queue has Ann queue a text by the button that /tell offers, and gives what she hears.
func (w *world) queue(text string) botapi.Record {
	w.t.Helper()
	w.typed.then(atWork)
	w.ann.Say("/tell api1 " + text)
	offer := w.last()
	wantText(w.t, offer, "🚫", text, "not waiting for text")
	w.tap(offer, "Queue it")
	wantNoButtons(w.t, w.message(offer.ID))
	return w.last()
}

func TestTellOffersToQueue(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		m := w.queue("run the tests")
		wantText(t, m, "⏳ claude in api1: run the tests\nQueued: it is next. claude is at work.", "\nmain:1.0 · #")
		m = w.queue("open the PR")
		wantText(t, m, "Queued: number 2.")
		w.wantTold("run the tests", "open the PR") // as they were refused
		w.done(1, "Compiled.")                     // the turn before
		w.wantTold("run the tests", "open the PR", "run the tests")
		time.Sleep(time.Second)
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(time.Second)
		m = w.done(1, "All pass.")
		wantText(t, m, "✔ claude in api1: run the tests\n", "Done after", "All pass.", "Next: open the PR")
		if !m.Silent {
			t.Error("it rings")
		}
		w.wantTold("run the tests", "open the PR", "run the tests", "open the PR")
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(time.Second)
		m = w.done(1, "Opened.")
		wantText(t, m, "💤 claude in api1 is done: Opened.", "“open the PR” · nothing is queued behind it", "Reply with the next instruction.")
		if !m.Silent {
			t.Error("it rings")
		}
	})
}

func TestNextListsDropsAndMovesUp(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.ann.Say("/next api1")
		wantText(t, w.last(), "Nothing is queued for claude in api1")
		for _, text := range []string{"one", "two", "three"} {
			w.queue(text)
		}
		w.ann.Say("/next api1")
		list := w.last()
		wantText(t, list, "Next for claude in api1\n", "1. “one”\n    held: claude is at work.\n2. “two”\n3. “three”")
		w.tap(list, "Move 3 up")
		wantText(t, w.message(list.ID), "1. “one”", "2. “three”", "3. “two”")
		w.tap(w.message(list.ID), "Drop 1")
		wantText(t, w.message(list.ID), "1. “three”", "2. “two”")
		queued, err := w.keeper.Instructions(nil)
		if err != nil || len(queued) != 2 || queued[0].Text != "three" {
			t.Fatalf("queued %+v, %v", queued, err)
		}
		w.tap(w.message(list.ID), "Drop 2")
		w.tap(w.message(list.ID), "Drop 1")
		wantText(t, w.message(list.ID), "Nothing is queued")
		wantNoButtons(t, w.message(list.ID))
	})
}

func TestEditedAndForwardedWordsAreNotQueued(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		said := w.ann.Say("hello")
		if err := w.ann.Edit(said.ID, "/tell api1 rm -rf /"); err != nil {
			t.Fatal(err)
		}
		if _, err := w.ann.Forward(w.ann.Say("not a command: /tell api1 x").ID); err != nil {
			t.Fatal(err)
		}
		w.wantTold()
		if queued, err := w.keeper.Instructions(nil); err != nil || len(queued) != 0 {
			t.Errorf("queued %+v, %v", queued, err)
		}
	})
}

// TestAQueueButtonQueuesOnce: a second tap comes with an update of its own, and data that nod did not make does nothing.
func TestAQueueButtonQueuesOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.typed.then(atWork)
		w.ann.Say("/tell api1 one")
		offer := w.last()
		data := offer.Markup.Rows[0][0].Data
		w.ann.TapData(offer.ID, data)
		w.ann.TapData(offer.ID, data)
		forged := []byte(data)
		forged[len(forged)-1] ^= 1
		w.ann.TapData(offer.ID, string(forged))
		time.Sleep(5 * time.Second)
		queued, err := w.keeper.Instructions(nil)
		if err != nil || len(queued) != 1 {
			t.Fatalf("queued %+v, %v", queued, err)
		}
		parts := strings.SplitN(data, ":", 2)
		w.ann.TapData(offer.ID, "x:"+parts[1]) // the nudge's own seal drops no instruction
		w.ann.TapData(offer.ID, "x:"+queued[0].ID+":"+strings.Repeat("A", 22))
		time.Sleep(5 * time.Second)
		if queued, err := w.keeper.Instructions(nil); err != nil || len(queued) != 1 {
			t.Errorf("queued %+v, %v", queued, err)
		}
	})
}

func TestWhatBecameOfAnInstructionIsTold(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.queue("sleep")
		w.done(1, "")
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(nudge.InstructionTimeout + time.Minute)
		m := w.last()
		wantText(t, m, "⌛ claude in api1: sleep", "Still at work after 10m")
		if !m.Silent {
			t.Error("it rings")
		}
		w.restart()
		m = w.last()
		wantText(t, m, "⚠ claude in api1: sleep", "Interrupted: nod was stopped")
		w.queue("one")
		w.queue("two")
		w.see(sighting(1, screen.Gone, nil))
		m = w.last()
		wantText(t, m, "🚫 claude in api1: one", "Dropped, nothing was typed: The pane is gone", "With it:", "· two")
	})
}

func TestTheShortPreviewKeepsInstructionsOffTheLockScreen(t *testing.T) {
	inWorld(t, func(w *world) {
		w.set(func(s *bot.Settings) { s.Preview = "minimal" })
		works(w)
		w.typed.then(atWork)
		w.ann.Say("/tell api1 the plan")
		w.tap(w.last(), "Queue it")
		w.ann.Say("/next api1")
		w.last()
		w.done(1, "")
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(nudge.InstructionTimeout + time.Minute)
		w.done(1, "secret words")
		for _, m := range w.botSaid() {
			if strings.Contains(m.Text, "plan") || strings.Contains(m.Text, "secret") {
				t.Errorf("it says:\n%s", m.Text)
			}
		}
	})
}

// What drops an instruction or stops waiting for it goes when it is over, from its own message, from lists, and from the
// message that it takes long; over a restart too.
func TestButtonsOfAnInstructionGoWithIt(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		one, two := w.queue("one"), w.queue("two")
		w.ann.Say("/next api1")
		old := w.last()
		w.ann.Say("/next api1")
		list := w.last()
		wantNoButtons(t, w.message(old.ID))
		w.done(1, "Compiled.") // the first is sent
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(11 * time.Minute)
		late := w.holding(ann, "Still at work")
		if late.Markup == nil || w.message(one.ID).Markup == nil || len(rowsOf(w.message(list.ID))) != 2 {
			t.Error("buttons went before it was over")
		}
		w.done(1, "One is done.") // the second is sent
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(5 * time.Second)
		wantNoButtons(t, w.message(one.ID))
		wantNoButtons(t, w.message(late.ID))
		if got := rowsOf(w.message(list.ID)); len(got) != 1 || w.message(two.ID).Markup == nil {
			t.Errorf("the list has the buttons %q", got)
		}
		w.restart() // nobody saw what became of it
		wantNoButtons(t, w.message(two.ID))
		wantNoButtons(t, w.message(list.ID))
	})
}

// TestAQueuedInstructionOutlastsALimitByATapOfItsAuthor: then it goes when the limit has ended; nothing else does.
func TestAQueuedInstructionOutlastsALimitByATapOfItsAuthor(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.queue("run the tests")
		w.queue("open the PR")
		told := []string{"run the tests", "open the PR"} // as they were refused
		s := sighting(1, screen.Idle, nil)
		end := time.Now().UTC().Truncate(time.Hour).Add(2 * time.Hour)
		s.Worked, s.Since, s.Blocked = true, time.Now(), reason.Why{Kind: reason.LimitUntil, What: end.Format("3pm") + " (UTC)"}
		w.see(s)
		wantText(t, w.last(), "⛔ claude in api1 stopped: The usage limit is reached; it ends:")
		w.ann.Say("/next api1")
		list := w.last()
		wantText(t, list, "1. “run the tests”\n    held: claude has stopped at its usage limit, which ends: "+end.Format("3pm"), "Nothing goes on by itself")
		w.sleep(time.Until(end) - 2*time.Minute)
		time.Sleep(time.Until(end) - time.Second)
		w.tap(list, "1 after the limit")
		wantText(t, w.message(list.ID), "1. “run the tests” · goes on after the limit", "It goes on when the usage limit has ended")
		w.wantTold(told...)
		time.Sleep(3 * time.Minute)
		w.wantTold(append(told, "run the tests")...)
		w.see(sighting(1, screen.Working, nil))
		time.Sleep(time.Minute)
		s.At, s.Since, s.Blocked = time.Now(), time.Now(), reason.Why{Kind: reason.LimitUntil, What: end.Add(time.Hour).Format("3pm") + " (UTC)"}
		w.see(s)
		w.sleepHours(3)
		w.wantTold(append(told, "run the tests")...)
	})
}
