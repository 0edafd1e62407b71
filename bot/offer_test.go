package bot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/bot"
	"nod/deliver"
	"nod/detect/screen"
	"nod/internal/botapi"
	"nod/internal/testrun"
)

// live are the bot's messages to Ann that have buttons now.
func (w *world) live() (list []string) {
	for _, m := range w.botSaid() {
		if m.Markup != nil && !m.Deleted {
			list = append(list, fmt.Sprintf("%d %q %q", m.ID, m.Text, rowsOf(m)))
		}
	}
	return list
}

// wantNoneLive fails unless all buttons are gone within five seconds.
func (w *world) wantNoneLive() {
	w.t.Helper()
	time.Sleep(5 * time.Second)
	if live := w.live(); len(live) > 0 {
		w.t.Errorf("there are still buttons under:\n%s", strings.Join(live, "\n"))
	}
}

// What nod asks back, refuses or lists has buttons about a question too. They go when that is over, within five seconds and
// over a restart.
func TestButtonsBesideAQuestionGoWithIt(t *testing.T) {
	for name, ask := range map[string]struct {
		do   func(w *world, m botapi.Record)
		says string
	}{
		"which one": {func(w *world, _ botapi.Record) { w.ask(2, prompt("make two")); w.ann.Say("y") }, "Which one is meant"},
		"a second tap": {func(w *world, _ botapi.Record) {
			p := prompt("make two")
			p.Approve, p.Options[0].Scope = nil, screen.Session
			w.tap(w.ask(2, p), "1. Yes")
		}, "Allows more than this once"},
		"copy mode": {func(w *world, m botapi.Record) {
			w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode})
			w.ann.ReplyTo(m.ID, "y")
		}, "Nothing was typed"},
		"n because": {func(w *world, m botapi.Record) { w.ann.ReplyTo(m.ID, "n because it is late") }, "To deny it and give your words"},
		"queue":     {func(w *world, _ botapi.Record) { w.ask(2, prompt("make two")); w.ann.Say("/queue") }, "2 wait for your answer"},
		"no answer to a choice": {func(w *world, _ botapi.Record) {
			p := prompt("which?")
			p.Approve, p.Deny = nil, nil
			w.see(sighting(2, screen.Question, &p))
			w.ann.ReplyTo(w.last().ID, "y")
		}, "Nothing was typed"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				ask.do(w, w.ask(1, prompt("make one")))
				said := w.last()
				wantText(t, said, ask.says)
				w.restart()
				if now := w.message(said.ID); now.Markup == nil {
					t.Fatal("its buttons went while the question stands")
				}
				for _, n := range []int{1, 2} {
					w.see(sighting(n, screen.Working, nil))
					w.see(sighting(n, screen.Working, nil))
				}
				w.wantNoneLive()
				if now := w.message(said.ID); now.Text != said.Text && !strings.Contains(now.Text, "Nothing waits") {
					t.Errorf("it says now:\n%s", now.Text)
				}
			})
		})
	}
}

// Which one is meant is no question any more once one of those that it names has its answer.
func TestWhichOneIsOverWithTheFirstOfThem(t *testing.T) {
	inWorld(t, func(w *world) {
		one := w.ask(1, prompt("make one"))
		two := w.ask(2, prompt("make two"))
		w.ann.Say("y")
		which := w.last()
		w.ann.ReplyTo(two.ID, "n")
		wantNoButtons(t, w.message(which.ID))
		if now := w.message(one.ID); now.Markup == nil {
			t.Error("the question that stands has lost its buttons")
		}
		w.wantTyped(screen.Deny)
	})
}

// A list of what waits keeps the buttons of what still does, and only the newest list has any.
func TestAListKeepsTheButtonsOfWhatWaits(t *testing.T) {
	inWorld(t, func(w *world) {
		one, two := w.ask(1, prompt("make one")), w.ask(2, prompt("make two"))
		w.ann.Say("/queue")
		old := w.last()
		w.ann.Say("/queue")
		list := w.last()
		wantNoButtons(t, w.message(old.ID))
		w.ask(3, prompt("make three"))
		w.leave(1)
		if got, want := rowsOf(w.message(list.ID)), []string{"👁 #" + idOf(t, two)}; !slices.Equal(got, want) {
			t.Errorf("the buttons are %q, want %q", got, want)
		}
		wantText(t, w.message(list.ID), "1 waits for your answer")
		w.ann.Say("/queue")
		list = w.last()
		w.tap(list, "Skip #"+idOf(t, two))
		w.leave(2)
		w.leave(3)
		if strings.Contains(strings.Join(w.live(), ""), idOf(t, one)) {
			t.Errorf("still there: %q", w.live())
		}
		w.wantNoneLive()
	})
}

// An old list gets no buttons again when a question ends whose newest list it is: what still waits is in a newer one. In which
// order the chat hears of both is up to chance.
func TestAnOldListGetsNoButtonsAgain(t *testing.T) {
	for range testrun.Rounds(5, 20) {
		inWorld(t, func(w *world) {
			for pane := 1; pane <= 3; pane++ {
				w.ask(pane, prompt("make"))
			}
			w.ann.Say("/queue")
			old := w.last()
			w.tg.Fail(botapi.Fault{Method: "editMessageText", Code: 500, Times: -1})
			w.leave(2)
			w.ann.Say("/queue")
			time.Sleep(3 * time.Second)
			w.tg.Heal()
			list := w.last()
			time.Sleep(2 * time.Minute)
			wantNoButtons(t, w.message(old.ID))
			if got := rowsOf(w.message(list.ID)); len(got) != 2 {
				t.Errorf("the newest list has the buttons %q", got)
			}
		})
	}
}

// An expired question that stands can be asked again wherever nod offers that, and nowhere once it was.
func TestAskAgainGoesOnceItWas(t *testing.T) {
	inWorld(t, func(w *world) {
		m := w.ask(1, prompt("make test"))
		w.sleepHours(9)
		w.ann.ReplyTo(m.ID, "y")
		refused := w.last()
		w.tap(refused, "Ask again")
		again := w.last()
		wantText(t, again, "⚠ claude in api1: make test")
		wantNoButtons(t, w.message(refused.ID))
		w.ann.ReplyTo(again.ID, "n")
		w.wantTyped(screen.Deny)
		w.wantNoneLive()
	})
}

// Words that met copy mode can be given once more until something newer is told of that pane.
func TestWordsCanBeGivenAgainUntilSomethingNewerIsTold(t *testing.T) {
	inWorld(t, func(w *world) {
		works(w)
		w.typed.then(deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode})
		w.ann.Say("/tell api1 run the tests")
		refused := w.last()
		w.restart()
		if w.message(refused.ID).Markup == nil {
			t.Fatal("the words can't be given again")
		}
		asked := w.ask(1, prompt("make test"))
		wantNoButtons(t, w.message(refused.ID))
		w.ann.ReplyTo(asked.ID, "y")
		w.wantTyped(screen.Approve)
		w.wantNoneLive()
	})
}

// Who may answer no more loses these buttons with the others.
func TestButtonsBesideAQuestionOfAFormerSupervisor(t *testing.T) {
	inWorld(t, func(w *world) {
		w.ask(1, prompt("make one"))
		w.ask(2, prompt("make two"))
		w.ann.Say("y")
		w.last()
		w.ann.Say("/queue")
		w.last()
		w.set(func(s *bot.Settings) { s.Supervisors = []int64{bob} })
		w.wantNoneLive()
	})
}

// Many messages for several that are over at once take one edit each: an edit for each nudge would keep dead buttons for
// longer than Telegram's limits do.
func TestManyRemindersThatAreOverAtOnce(t *testing.T) {
	t.Parallel()
	inWorldWith(t, botapi.Options{Token: token, Flood: true}, func(w *world) {
		for i := 1; i <= 8; i++ {
			p := prompt(fmt.Sprint("make ", i))
			w.see(sighting(i, screen.Permission, &p))
			time.Sleep(2 * time.Second)
		}
		w.sleepHours(5)
		if n := len(w.live()); n < 13 {
			t.Fatalf("only %d messages have buttons", n)
		}
		for _, method := range []string{"editMessageText", "editMessageReplyMarkup"} {
			w.tg.Fail(botapi.Fault{Method: method, Delay: 100 * time.Millisecond, Times: -1})
		}
		for i := 1; i <= 8; i++ {
			w.see(sighting(i, screen.Working, nil))
			w.see(sighting(i, screen.Working, nil))
		}
		w.wantNoneLive()
	})
}
