package nudge_test

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/nudge"
	"nod/store"
)

func TestSamePromptIsTheSameNudge(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		hooked := shows("%1", permission("make"))
		hooked.By = "hook"
		d.see(hooked)
		d.see(shows("%1", permission("make")))
		d.restart()
		d.see(shows("%1", permission("make")))
		if all := d.all(); len(all) != 1 || all[0].ID != n.ID {
			d.Errorf("%d nudges", len(all))
		}
	})
}

// TestLookThatChangesNothingWritesNothing is what makes polling many panes cheap.
func TestLookThatChangesNothingWritesNothing(t *testing.T) {
	inBubble(t, func(d *desk) {
		for range 2 { // the first look opens the nudge, the second finds it open
			d.see(shows("%1", permission("make")))
			d.see(is("%2", detect.Working))
		}
		woken := d.woken.Load()
		d.store.Close() // whoever reads or writes now fails
		for range 10 {
			for _, s := range []detect.Sighting{shows("%1", permission("make")), is("%2", detect.Working)} {
				if err := d.See(s); err != nil {
					d.Fatalf("it read the database: %v", err)
				}
			}
		}
		if d.woken.Load() != woken {
			d.Error("the bot was woken for nothing")
		}
		d.restart()
	})
}

// TestLookThatTellsMoreIsHeard: looks that were settled do not hide what only the next one tells.
func TestLookThatTellsMoreIsHeard(t *testing.T) {
	idle := is("%1", detect.Idle)
	for name, more := range map[string]func(*detect.Sighting){
		"worked":  func(s *detect.Sighting) { s.Worked = true },
		"blocked": func(s *detect.Sighting) { s.Blocked = "The usage limit is reached." },
	} {
		inIdleBubble(t, func(d *desk) {
			d.see(idle)
			d.see(idle)
			look := idle
			more(&look)
			if n := d.see(look); n.Kind != detect.Idle {
				d.Errorf("%s: nobody is told", name)
			}
		})
	}
	for name, more := range map[string]func(*detect.Sighting){
		"since": func(s *detect.Sighting) { s.Since = time.Now() },
		"words": func(s *detect.Sighting) { s.Words = "Linted." },
	} {
		inIdleBubble(t, func(d *desk) {
			look := turnOver("%1")
			d.see(look)
			n := d.see(look)
			time.Sleep(time.Second)
			more(&look)
			if next := d.see(look); next.ID == n.ID {
				d.Errorf("%s: nobody is told of the next turn", name)
			}
		})
	}
	inIdleBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.see(shows("%1", permission("make")))
		more := permission("make")
		more.Subject = "make world"
		if n := d.see(shows("%1", more)); n.Prompt.Subject != "make world" {
			d.Error("the subject is lost")
		}
		more.Partial = true
		d.see(shows("%1", more))
		if n := d.see(shows("%1", more)); !n.Prompt.Partial {
			d.Error("it counts as known whole")
		}
	})
	inIdleBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		for range 4 { // it ends, and then the looks are settled
			d.see(is("%1", detect.Working))
		}
		look := is("%1", detect.Working)
		look.Proof = "approved"
		d.see(look)
		if got := d.wantState(n.ID, nudge.Recovered); got.Proof != "approved" {
			d.Error("the proof is lost")
		}
	})
}

func TestNewPromptClosesTheOldOne(t *testing.T) {
	inBubble(t, func(d *desk) {
		old := d.see(shows("%1", permission("make")))
		d.tell()
		time.Sleep(time.Second)
		next := d.see(shows("%1", permission("rm -rf /")))
		if next.ID == old.ID || next.State != nudge.Pending || next.Number != old.Number+1 {
			d.Errorf("got %+v", next)
		}
		d.wantState(old.ID, nudge.Recovered)
		notices := d.tell()
		if len(kinds(notices, nudge.Close)) != 1 || len(kinds(notices, nudge.Send)) != 1 || notices[0].Kind != nudge.Send {
			d.Errorf("told %+v", notices)
		}
	})
}

func TestOneLookWithoutThePromptEndsNothing(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		for range 5 {
			d.see(is("%1", detect.Working))
			d.wantState(n.ID, nudge.Pending)
			d.see(shows("%1", permission("make")))
		}
		d.see(is("%1", detect.Permission)) // half drawn, or under an overlay, for however long
		d.see(is("%1", detect.Permission))
		d.see(is("%1", detect.Permission))
		d.wantState(n.ID, nudge.Pending)
		d.see(is("%1", detect.Working))
		d.see(is("%1", detect.Working))
		d.wantState(n.ID, nudge.Recovered)
	})
}

func TestPaneIdsOfANewServerAreOtherPanes(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		s := shows("%1", permission("make"))
		s.Pane.Server.Start++
		if other := d.see(s); other.ID == n.ID {
			d.Error("the pane of a new server took over the nudge")
		}
		d.wantState(n.ID, nudge.Pending)
	})
}

func TestAnsweredPromptThatStandsIsAskedAgain(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		late := shows("%1", permission("make"))
		late.At = time.Now()
		time.Sleep(time.Second)
		d.give(d.replyTo(n.ID, detect.Approve), nudge.Taken)
		if got := d.see(late); got.ID != n.ID {
			d.Error("a look from before the answer opened a nudge")
		}
		time.Sleep(time.Second)
		again := d.see(shows("%1", permission("make")))
		if again.ID == n.ID || !strings.Contains(again.Again, "#"+n.ID+" was approved by Ann at ") {
			d.Errorf("#%s says %q", again.ID, again.Again)
		}
	})
}

func TestHeldWhileSomebodyIsThere(t *testing.T) {
	inBubble(t, func(d *desk) {
		n := d.see(shows("%1", permission("make")))
		typing := func() {
			s := shows("%1", permission("make"))
			s.Here, s.Near = time.Now(), time.Now()
			d.see(s)
		}
		typing()
		d.wantReminders()
		if held := d.Held(); len(held) != 1 || held[0].Nudge != n.ID || held[0].Why == "" {
			d.Errorf("held %+v", held)
		}
		time.Sleep(time.Minute - 1)
		d.wantReminders()
		woken := d.woken.Load()
		time.Sleep(time.Nanosecond)
		d.tick()
		if d.woken.Load() == woken {
			d.Error("the bot was not woken when the message was free to go")
		}
		d.wantReminders(1)
		if held := d.Held(); len(held) != 0 {
			d.Errorf("held %+v", held)
		}
	})
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		for range 299 {
			s := shows("%1", permission("make"))
			s.Here = time.Now()
			d.see(s)
			d.wantReminders()
			time.Sleep(time.Second)
		}
		time.Sleep(time.Second - 1)
		d.wantReminders()
		time.Sleep(time.Nanosecond)
		d.wantReminders(2) // by now the second step is due as well, and the two are one
	})
}

func TestSupervisorWhoJoinsGetsWhatIsPending(t *testing.T) {
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		d.wantReminders(1)
		time.Sleep(5 * time.Minute)
		d.wantReminders(2)
		d.rules.Supervisors = []int64{ann, bob}
		sent := kinds(d.tell(), nudge.Send)
		if len(sent) != 1 || sent[0].Chat != bob || sent[0].ReplyTo != 0 {
			d.Errorf("sent %+v", sent)
		}
	})
}

func TestMuteAndQuietMakeSilent(t *testing.T) {
	silent := func(d *desk) bool {
		n := d.untold()
		if len(n) != 1 {
			d.Fatalf("%d notices", len(n))
		}
		return n[0].Silent
	}
	inBubble(t, func(d *desk) {
		d.see(shows("%1", permission("make")))
		if silent(d) {
			d.Error("silent without a reason")
		}
		if err := d.Mute(time.Now().Add(time.Hour)); err != nil {
			d.Fatal(err)
		}
		d.restart()
		if until, err := d.Muted(time.Now()); err != nil || time.Until(until) != time.Hour || !silent(d) {
			d.Errorf("muted until %s, %v", until, err)
		}
		time.Sleep(time.Hour)
		if until, _ := d.Muted(time.Now()); !until.IsZero() || silent(d) {
			d.Errorf("still muted until %s", until)
		}
		allDay := &nudge.Quiet{From: 0, To: 24*time.Hour - time.Minute, Zone: time.UTC}
		d.rules.Quiet = allDay
		if !silent(d) {
			d.Error("the quiet hours of the settings do not hold")
		}
		if err := d.SetQuiet(nil); err != nil {
			d.Fatal(err)
		}
		if q, _ := d.Quiet(); q != nil || silent(d) {
			d.Error("quiet hours were turned off in the chat and hold")
		}
		if err := d.SetQuiet(allDay); err != nil {
			d.Fatal(err)
		}
		d.rules.Quiet = nil
		if q, _ := d.Quiet(); q.String() != allDay.String() || !silent(d) {
			d.Errorf("quiet hours set in the chat: %v", q)
		}
	})
}

func TestQueueAndSkip(t *testing.T) {
	inBubble(t, func(d *desk) {
		want := func(ids ...string) {
			d.Helper()
			queue, err := d.Queue()
			if err != nil {
				d.Fatal(err)
			}
			var got []string
			for _, n := range queue {
				got = append(got, n.ID)
			}
			if strings.Join(got, " ") != strings.Join(ids, " ") {
				d.Fatalf("the queue is %v, want %v", got, ids)
			}
		}
		var ids []string
		for _, pane := range []string{"%1", "%2", "%3"} {
			ids = append(ids, d.see(shows(pane, permission("make "+pane))).ID)
			time.Sleep(time.Second)
		}
		want(ids[0], ids[1], ids[2])
		skip := func(id string) {
			if err := d.Keeper.Skip(id); err != nil {
				d.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		skip(ids[0])
		want(ids[1], ids[2], ids[0])
		fresh := d.see(shows("%4", permission("new"))).ID
		want(ids[1], ids[2], fresh, ids[0])
		skip(ids[1])
		want(ids[2], fresh, ids[0], ids[1])
		d.see(is("%3", detect.Gone))
		want(fresh, ids[0], ids[1])
		if err := d.Keeper.Skip(ids[2]); err == nil {
			d.Error("what is gone was skipped")
		}
	})
}

// nosy is a book in which something happens between a look's reading and its end.
type nosy struct {
	nudge.Book
	then func()
}

func (b *nosy) View(f func(*nudge.Tx) error) error {
	err := b.Book.View(f)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return err
}

// TestLookBesideADelivery: a prompt that stands again must be seen even when the answer to the one
// before it was noted in the middle of a look.
func TestLookBesideADelivery(t *testing.T) {
	inBubble(t, func(d *desk) {
		book := &nosy{Book: d.store}
		d.Keeper = d.keeperOver(book)
		d.deliver()
		n := d.see(shows("%1", permission("make")))
		d.tell()
		reply := d.replyTo(n.ID, detect.Approve)
		book.then = func() { d.give(reply, nudge.Taken) }
		d.see(shows("%1", permission("make")))
		d.wantState(n.ID, nudge.Delivered)
		time.Sleep(2 * time.Second)
		if again := d.see(shows("%1", permission("make"))); again.ID == n.ID {
			d.Error("the prompt stands again and nobody is told")
		}
	})
}

// BenchmarkSee is one look at a pane in which nothing has changed: what every poll costs for each.
func BenchmarkSee(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), "nod.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	d := &desk{TB: b, typist: &typist{}, log: &bytes.Buffer{}}
	d.rules.Cadence, d.rules.Expiry = []time.Duration{0}, time.Hour
	k := d.keeperOver(s)
	look := shows("%1", permission("make"))
	for b.Loop() {
		if err := k.See(look); err != nil {
			b.Fatal(err)
		}
	}
}
