package nudge_test

import (
	"testing"
	"time"

	"nod/detect"
	"nod/nudge"
)

// reminders are the reminders that were sent, in order.
func reminders(notices []nudge.Notice) (steps []int) {
	for _, n := range kinds(notices, nudge.Send) {
		steps = append(steps, n.Nudge.Reminder)
	}
	return steps
}

func (d *desk) wantReminders(want ...int) {
	d.Helper()
	d.tick()
	got := reminders(d.tell())
	if len(got) != len(want) {
		d.Fatalf("at %s: sent %v, want %v", time.Now().Format(time.TimeOnly), got, want)
	}
	for i := range want {
		if got[i] != want[i] {
			d.Fatalf("at %s: sent %v, want %v", time.Now().Format(time.TimeOnly), got, want)
		}
	}
}

func TestRemindersFollowTheCadence(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		began := time.Now()
		d.wantReminders(1)
		for i, step := range d.rules.Cadence[1:] {
			time.Sleep(time.Until(began.Add(step)) - 1)
			d.wantReminders()
			if n := d.find(n.ID); n.Stuck() {
				d.Fatalf("stuck before the last reminder, at %s", step)
			}
			time.Sleep(time.Nanosecond)
			d.wantReminders(i + 2)
			d.wantReminders()
		}
		if n := d.find(n.ID); !n.Stuck() {
			d.Error("all reminders are out and the agent does not count as stuck")
		}
		time.Sleep(time.Until(began.Add(d.rules.Expiry)) - 1)
		d.tick()
		d.wantState(n.ID, nudge.Pending)
		time.Sleep(time.Nanosecond)
		d.tick()
		d.wantState(n.ID, nudge.Expired)
	})
}

func TestReminderIsAReplyToTheFirst(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		first := d.find(n.ID).Copies[0].Message
		time.Sleep(5 * time.Minute)
		d.wantReminders(2)
		if got := d.chat[len(d.chat)-1].ReplyTo; got != first {
			d.Errorf("reminder 2 replies to %d, want %d", got, first)
		}
	})
}

func TestCadenceGoesOnAfterARestart(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		time.Sleep(14 * time.Minute)
		d.wantReminders(2)
		d.restart()
		d.wantReminders()
		time.Sleep(time.Minute - 1)
		d.wantReminders()
		time.Sleep(time.Nanosecond)
		d.wantReminders(3)
	})
}

func TestMissedRemindersBecomeOne(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		d.restart()
		time.Sleep(50 * time.Minute) // steps 2, 3 and 4 pass unheard, in a stopped nod or a sleeping machine
		d.wantReminders(4)
		d.wantReminders()
		time.Sleep(70*time.Minute - 1)
		d.wantReminders()
		time.Sleep(time.Nanosecond)
		d.wantReminders(5)
	})
}

func TestTelegramOutageBecomesOneReminder(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		for range 20 { // nothing can be sent, so nothing is reported as told
			d.tick()
			d.untold()
			time.Sleep(time.Minute)
		}
		d.wantReminders(3)
		d.wantReminders()
	})
}

func TestSetClockMovesWhatWaits(t *testing.T) {
	for _, by := range []time.Duration{time.Hour, -time.Hour, 24 * 365 * time.Hour} {
		inBubble(t, func(d *desk) {
			n := d.see(shows("%1", permission("make")))
			d.wantReminders(1)
			tickAt := func() {
				if err := d.Tick(time.Now().Add(by)); err != nil {
					d.Fatal(err)
				}
			}
			time.Sleep(4 * time.Minute) // and then somebody sets the clock
			tickAt()
			if got := d.find(n.ID).Reminder; got != 1 {
				d.Fatalf("after the clock moved by %s the nudge is at reminder %d", by, got)
			}
			time.Sleep(time.Minute - 1)
			tickAt()
			if got := d.find(n.ID).Reminder; got != 1 {
				d.Fatalf("by %s: reminder %d came early", by, got)
			}
			time.Sleep(time.Nanosecond)
			tickAt()
			if got := d.find(n.ID).Reminder; got != 2 {
				d.Fatalf("by %s: the nudge is at reminder %d, want 2", by, got)
			}
			if since := time.Now().Add(by).Sub(d.find(n.ID).Detected); since != 5*time.Minute {
				d.Errorf("it seems to wait for %s", since)
			}
		})
	}
}

func TestSleepingMachineIsNoSetClock(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		d.up = 3 * time.Hour // both clocks went on while the machine slept
		if err := d.Tick(time.Now().Add(3 * time.Hour)); err != nil {
			d.Fatal(err)
		}
		if got := d.find(n.ID).Reminder; got != 5 {
			d.Errorf("after three hours asleep the nudge is at reminder %d, want 5", got)
		}
	})
}

func TestChangedCadenceHoldsForLaterNudges(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.rules.Cadence = []time.Duration{0, time.Minute}
		d.wantReminders(1)
		time.Sleep(2 * time.Minute)
		d.wantReminders()
		d.see(shows("%2", permission("go test")))
		d.wantReminders(1)
		time.Sleep(time.Minute)
		d.wantReminders(2)
	})
}

func TestExpiredStandsUntilItLeaves(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		time.Sleep(8 * time.Hour)
		d.tick()
		d.see(shows("%1", permission("make")))
		expired := d.wantState(n.ID, nudge.Expired)
		if len(d.all()) != 1 || !expired.Standing || !expired.Stuck() {
			d.Fatalf("%d nudges, standing %t, stuck %t", len(d.all()), expired.Standing, expired.Stuck())
		}
		if queue, _ := d.Queue(); len(queue) != 1 {
			d.Error("the queue does not list it")
		}
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		if d.find(n.ID).Standing {
			d.Error("it still stands after the agent went on")
		}
		if err := d.AskAgain(n.ID); err == nil {
			d.Error("what has left was asked again")
		}
		time.Sleep(2 * time.Second)
		if again := d.see(shows("%1", permission("make"))); again.ID == n.ID || again.State != nudge.Pending {
			d.Errorf("the prompt came back and #%s is %s", again.ID, again.State)
		}
	})
}

func TestAskAgainOpensANewNudge(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		time.Sleep(8 * time.Hour)
		d.tick()
		if err := d.AskAgain(n.ID); err != nil {
			d.Fatal(err)
		}
		again := d.newest(n.Pane)
		if again.ID == n.ID || again.State != nudge.Pending || again.Again == "" || again.Reminder != 1 {
			d.Errorf("got %+v", again)
		}
		if err := d.AskAgain(n.ID); err == nil {
			d.Error("a second tap asked a second time")
		}
		d.see(shows("%1", permission("make")))
		if len(d.all()) != 2 {
			d.Errorf("%d nudges, want 2", len(d.all()))
		}
	})
}

func TestRecordsEndAfterAMonth(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		d.see(is("%1", detect.Gone))
		time.Sleep(nudge.Kept - 1)
		d.tick()
		d.wantState(n.ID, nudge.Gone)
		time.Sleep(time.Nanosecond)
		d.tick()
		if _, found, _ := d.Find(n.ID); found {
			d.Error("it is kept for ever")
		}
	})
}
