package bot_test

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/internal/botapi"
)

// refusedAway lets an agent on a machine ask, which then goes away, and gives the refusal of Ann's yes.
func (w *world) refusedAway() botapi.Record {
	w.t.Helper()
	p := prompt("make deploy")
	s := sighting(1, screen.Permission, &p)
	s.Pane.Machine = "gpu1"
	w.see(s)
	time.Sleep(3 * time.Second)
	w.away(time.Now())
	w.ann.Say("y")
	time.Sleep(3 * time.Second)
	m := w.last()
	wantText(w.t, m, "Nothing was typed", "gpu1")
	return m
}

// away has the machine go away since a time, or come back; zero.
func (w *world) away(since time.Time) {
	w.t.Helper()
	if err := w.keeper.Away("gpu1", since); err != nil {
		w.t.Fatal(err)
	}
	w.poke()
	time.Sleep(3 * time.Second)
}

// TestAnAnswerWaitsAMinuteForItsMachine: where its writer asks for that, and is typed once, however often they do.
func TestAnAnswerWaitsAMinuteForItsMachine(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.refusedAway()
		w.tap(m, "Wait a minute")
		wantNoButtons(t, w.message(m.ID))
		time.Sleep(20 * time.Second)
		w.wantTyped()
		w.away(time.Time{})
		w.wantTyped(screen.Approve)
		time.Sleep(2 * time.Minute)
		w.wantTyped(screen.Approve)
	})
}

// TestAnAnswerWaitsNoLongerThanAMinute: then it is refused as before, and may be held once more.
func TestAnAnswerWaitsNoLongerThanAMinute(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.refusedAway()
		w.tap(m, "Wait a minute")
		time.Sleep(time.Minute)
		again := w.last()
		if again.ID == m.ID {
			t.Fatalf("nothing was said:\n%s", w.chat())
		}
		wantText(t, again, "Nothing was typed", "gpu1")
		w.away(time.Time{})
		time.Sleep(time.Minute)
		w.wantTyped()
	})
}

// TestAHeldAnswerIsOnlyToWhatWasAsked: on return another dialog may be there.
func TestAHeldAnswerIsOnlyToWhatWasAsked(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tap(w.refusedAway(), "Wait a minute")
		p := prompt("rm -rf build")
		s := sighting(1, screen.Permission, &p)
		s.Pane.Machine = "gpu1"
		w.see(s)
		w.see(s)
		w.away(time.Time{})
		w.wantTyped()
		if !strings.Contains(w.chat(), "Nothing was typed") {
			t.Errorf("nothing was said:\n%s", w.chat())
		}
	})
}

// TestAHeldAnswerIsLostAloud: where nod is stopped meanwhile, its writer is told, once, and nothing is typed when the machine is back.
func TestAHeldAnswerIsLostAloud(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tap(w.refusedAway(), "Wait a minute")
		w.restart()
		const lost = "nod was stopped while your answer waited for gpu1"
		time.Sleep(5 * time.Second)
		wantText(t, w.last(), "Nothing was typed", lost, "make deploy")
		w.away(time.Time{})
		w.wantTyped()
		w.restart()
		time.Sleep(2 * time.Minute)
		w.wantTyped()
		if got := strings.Count(w.chat(), lost); got != 1 {
			t.Errorf("told %d times:\n%s", got, w.chat())
		}
	})
}

// TestAHeldAnswerThatIsGivenIsNotLost: a restart later says nothing of it.
func TestAHeldAnswerThatIsGivenIsNotLost(t *testing.T) {
	inWorld(t, func(w *world) {
		w.tap(w.refusedAway(), "Wait a minute")
		w.away(time.Time{})
		w.wantTyped(screen.Approve)
		w.restart()
		time.Sleep(10 * time.Second)
		if strings.Contains(w.chat(), "was stopped") {
			t.Errorf("it is told as lost:\n%s", w.chat())
		}
	})
}

// TestAHeldAnswerIsLostAloudUnlessItWasGiven: nod may be killed between giving it and forgetting it, and another answer may have been
// given in its place.
func TestAHeldAnswerIsLostAloudUnlessItWasGiven(t *testing.T) {
	for name, another := range map[string]int{"the same": 0, "another": 1} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				w.tap(w.refusedAway(), "Wait a minute")
				held, err := w.store.Memory().Held()
				if err != nil || len(held) != 1 {
					t.Fatalf("%v held, %v", held, err)
				}
				w.away(time.Time{})
				w.wantTyped(screen.Approve)
				held[0].Message += another
				if err := w.store.Memory().SetHeld(held); err != nil {
					t.Fatal(err)
				}
				w.restart()
				time.Sleep(10 * time.Second)
				if said := strings.Contains(w.chat(), "was stopped"); said != (another > 0) {
					t.Errorf("it is told as lost: %t\n%s", said, w.chat())
				}
			})
		})
	}
}

// TestABoxWaitsForItsMachine with the ticks that its writer saw, tapped or named by its number.
func TestABoxWaitsForItsMachine(t *testing.T) {
	for _, reply := range []bool{false, true} {
		inWorld(t, func(w *world) {
			p := boxes(" x")
			s := sighting(1, screen.Question, &p)
			s.Pane.Machine = "gpu1"
			w.see(s)
			m := w.last()
			small, _ := m.Button("☐ Small")
			w.away(time.Now())
			if reply {
				w.ann.ReplyTo(m.ID, "1")
			} else {
				w.ann.TapData(m.ID, small.Data)
			}
			w.tap(w.last(), "Wait a minute")
			w.typed.then(ticked("xx"))
			w.away(time.Time{})
			time.Sleep(5 * time.Second)
			w.wantAsked("0 Small")
		})
	}
}

// TestADenialWithWordsIsNotHeldWithoutThem: its writer gives both again.
func TestADenialWithWordsIsNotHeldWithoutThem(t *testing.T) {
	inWorld(t, func(w *world) {
		p := prompt("make deploy")
		s := sighting(1, screen.Permission, &p)
		s.Pane.Machine = "gpu1"
		w.see(s)
		w.tap(w.last(), "✍ Deny…")
		asked := w.last()
		w.away(time.Now())
		w.ann.ReplyTo(asked.ID, "not on a friday")
		m := w.last()
		wantText(t, m, "Nothing was typed", "gpu1")
		wantNoButtons(t, m)
	})
}
