package keeper_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"nod/detect/screen"
	"nod/nudge"
)

// reminders returns the reminders that were sent, in order.
func reminders(notices []nudge.Notice) (steps []int) {
	for _, n := range kinds(notices, nudge.Send) {
		steps = append(steps, n.Nudge().Reminder)
	}
	return steps
}

func (w *world) wantReminders(want ...int) {
	w.Helper()
	w.tick()
	got := reminders(w.tell())
	if len(got) != len(want) {
		w.Fatalf("at %s: sent %v, want %v", time.Now().Format(time.TimeOnly), got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			w.Fatalf("at %s: sent %v, want %v", time.Now().Format(time.TimeOnly), got, want)
		}
	}
}

func TestRemindersFollowTheCadence(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		began := time.Now()
		w.wantReminders(1)
		for i, step := range w.rules.Cadence[1:] {
			time.Sleep(time.Until(began.Add(step)) - 1)
			w.wantReminders()
			if n := w.find(n.ID); n.Stuck() {
				w.Fatalf("stuck before the last reminder, at %s", step)
			}
			time.Sleep(time.Nanosecond)
			w.wantReminders(i + 2)
			w.wantReminders()
		}
		if n := w.find(n.ID); !n.Stuck() {
			w.Error("all reminders are out and the agent does not count as stuck")
		}
		time.Sleep(time.Until(began.Add(w.rules.Expiry)) - 1)
		w.tick()
		w.wantState(n.ID, nudge.Pending)
		time.Sleep(time.Nanosecond)
		w.tick()
		w.wantState(n.ID, nudge.Expired)
	})
}

func TestReminderIsAReplyToTheFirst(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		first := w.find(n.ID).Copies[0].Message
		time.Sleep(5 * time.Minute)
		w.wantReminders(2)
		if got := w.chat[len(w.chat)-1].Of.(nudge.OfNudge).ReplyTo; got != first {
			w.Errorf("reminder 2 replies to %d, want %d", got, first)
		}
	})
}

func TestCadenceGoesOnAfterARestart(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		time.Sleep(14 * time.Minute)
		w.wantReminders(2)
		w.restart()
		w.wantReminders()
		time.Sleep(time.Minute - 1)
		w.wantReminders()
		time.Sleep(time.Nanosecond)
		w.wantReminders(3)
	})
}

func TestMissedRemindersBecomeOne(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		w.restart()
		time.Sleep(50 * time.Minute) // steps 2, 3 and 4 pass without a tick, while nod is stopped or the machine sleeps
		w.wantReminders(4)
		w.wantReminders()
		time.Sleep(70*time.Minute - 1)
		w.wantReminders()
		time.Sleep(time.Nanosecond)
		w.wantReminders(5)
	})
}

func TestTelegramOutageBecomesOneReminder(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		for range 20 { // nothing can be sent, so nothing is reported as told
			w.tick()
			w.untold()
			time.Sleep(time.Minute)
		}
		w.wantReminders(3)
		w.wantReminders()
	})
}

func TestSetClockMovesWhatWaits(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour, 24 * 365 * time.Hour} {
		inBubble(t, func(w *world) {
			n := w.see(shows("%1", permission("make")))
			w.wantReminders(1)
			tickAt := func() {
				if err := w.Tick(time.Now().Add(by)); err != nil {
					w.Fatal(err)
				}
			}
			time.Sleep(4 * time.Minute) // then somebody sets the clock
			tickAt()
			if got := w.find(n.ID).Reminder; got != 1 {
				w.Fatalf("after the clock moved by %s the nudge is at reminder %d", by, got)
			}
			time.Sleep(time.Minute - 1)
			tickAt()
			if got := w.find(n.ID).Reminder; got != 1 {
				w.Fatalf("by %s: reminder %d came early", by, got)
			}
			time.Sleep(time.Nanosecond)
			tickAt()
			if got := w.find(n.ID).Reminder; got != 2 {
				w.Fatalf("by %s: the nudge is at reminder %d, want 2", by, got)
			}
			if since := time.Now().Add(by).Sub(w.find(n.ID).Detected); since != 5*time.Minute {
				w.Errorf("it seems to wait for %s", since)
			}
		})
	}
}

// TestAClockThatWasSetBackWhileNodWasAway: the times in the records are then in the future. Every wait keeps
// its length, once, and continues when the clock is corrected.
func TestAClockThatWasSetBackWhileNodWasAway(t *testing.T) {
	for range 20 {
		away := time.Hour + time.Duration(rand.Int64N(int64(60*365*24*time.Hour)))
		path := filepath.Join(t.TempDir(), "nod.db")
		var id string
		inBubbleAt(t, path, func(w *world) {
			time.Sleep(away)
			id = w.see(shows("%1", permission("make"))).ID
			w.wantReminders(1)
		})
		inBubbleAt(t, path, func(w *world) {
			for range 3 { // nod is started again
				w.tick()
				if n := w.find(id); n.Detected.After(time.Now()) || n.Expires.After(time.Now().Add(8*time.Hour)) || n.Due.After(time.Now().Add(5*time.Minute)) {
					w.Fatalf("set back by %s, it was seen at %s, is due at %s and ends at %s", away, n.Detected, n.Due, n.Expires)
				}
				w.restart()
			}
			time.Sleep(5*time.Minute + time.Second)
			if err := w.Tick(time.Now()); err != nil {
				w.Fatal(err)
			}
			if got := w.find(id).Reminder; got != 2 {
				w.Errorf("it is at reminder %d", got)
			}
			if err := w.Tick(time.Now().Add(away)); err != nil {
				w.Fatal(err)
			}
			if n := w.find(id); n.Reminder != 2 || n.State != nudge.Pending {
				w.Errorf("set right again, it is %s at reminder %d", n.State, n.Reminder)
			}
		})
	}
}

func TestSleepingMachineIsNoSetClock(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		w.up = 3 * time.Hour // both clocks continued while the machine slept
		if err := w.Tick(time.Now().Add(3 * time.Hour)); err != nil {
			w.Fatal(err)
		}
		if got := w.find(n.ID).Reminder; got != 5 {
			w.Errorf("after three hours asleep the nudge is at reminder %d, want 5", got)
		}
	})
}

func TestChangedCadenceHoldsForLaterNudges(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.rules.Cadence = []time.Duration{0, time.Minute}
		w.wantReminders(1)
		time.Sleep(2 * time.Minute)
		w.wantReminders()
		w.see(shows("%2", permission("go test")))
		w.wantReminders(1)
		time.Sleep(time.Minute)
		w.wantReminders(2)
	})
}

// TestAPromptThatNobodyWasToldOfDoesNotExpire: a machine that sleeps, or a network that is down, for longer
// than a prompt waits loses no question, nor does it if only people who can't answer were told. If nobody is to be
// told, or the pane is gone, the prompt ends as usual.
func TestAPromptThatNobodyWasToldOfDoesNotExpire(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		time.Sleep(14 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Pending)
		if list := w.tell(); len(list) != 1 || list[0].Kind != nudge.Send {
			w.Errorf("after 14 h it is told as %+v", list)
		}
		time.Sleep(w.rules.Expiry)
		w.tick()
		w.wantState(n.ID, nudge.Expired)

		w.rules.Watchers = []nudge.Place{"watcher"}
		n = w.see(shows("%3", permission("make")))
		for _, notice := range w.untold() {
			if notice.Watch {
				w.told(notice) // the network is gone before a supervisor is told
			}
		}
		time.Sleep(14 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Pending)

		w.rules.Supervisors = nil
		n = w.see(shows("%2", permission("make")))
		time.Sleep(w.rules.Expiry)
		w.tick()
		w.wantState(n.ID, nudge.Expired)
	})
}

func TestExpiredStandsUntilItLeaves(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		time.Sleep(8 * time.Hour)
		w.tick()
		w.see(shows("%1", permission("make")))
		expired := w.wantState(n.ID, nudge.Expired)
		if len(w.all()) != 1 || !expired.Standing || !expired.Stuck() {
			w.Fatalf("%d nudges, standing %t, stuck %t", len(w.all()), expired.Standing, expired.Stuck())
		}
		if queue, _ := w.Queue(); len(queue) != 1 {
			w.Error("the queue does not list it")
		}
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		if w.find(n.ID).Standing {
			w.Error("it still stands after the agent went on")
		}
		if err := w.AskAgain(n.ID); err == nil {
			w.Error("what has left was asked again")
		}
		time.Sleep(2 * time.Second)
		if again := w.see(shows("%1", permission("make"))); again.ID == n.ID || again.State != nudge.Pending {
			w.Errorf("the prompt came back and #%s is %s", again.ID, again.State)
		}
	})
}

func TestAskAgainOpensANewNudge(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		time.Sleep(8 * time.Hour)
		w.tick()
		if err := w.AskAgain(n.ID); err != nil {
			w.Fatal(err)
		}
		again := w.newest(n.Pane)
		if again.ID == n.ID || again.State != nudge.Pending || again.Again.IsZero() || again.Reminder != 1 {
			w.Errorf("got %+v", again)
		}
		if err := w.AskAgain(n.ID); err == nil {
			w.Error("a second tap asked a second time")
		}
		w.see(shows("%1", permission("make")))
		if len(w.all()) != 2 {
			w.Errorf("%d nudges, want 2", len(w.all()))
		}
	})
}

func TestRecordsEndAfterAMonth(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.see(is("%1", screen.Gone))
		time.Sleep(nudge.Kept - 1)
		w.tick()
		w.wantState(n.ID, nudge.Gone)
		time.Sleep(time.Nanosecond)
		w.tick()
		if _, found, _ := w.Find(n.ID); found {
			w.Error("it is kept for ever")
		}
	})
}
