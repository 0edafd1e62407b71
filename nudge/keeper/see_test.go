package keeper_test

import (
	"bytes"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/internal/words"
	"nod/nudge"
	"nod/store"
)

func TestSamePromptIsTheSameNudge(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		hooked := shows("%1", permission("make"))
		hooked.By = "hook"
		w.see(hooked)
		w.see(shows("%1", permission("make")))
		w.restart()
		w.see(shows("%1", permission("make")))
		if all := w.all(); len(all) != 1 || all[0].ID != n.ID {
			w.Errorf("%d nudges", len(all))
		}
	})
}

// TestLookThatChangesNothingWritesNothing: this makes polling many panes cheap.
func TestLookThatChangesNothingWritesNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		for range 2 { // the first look opens the nudge, the second one finds it open
			w.see(shows("%1", permission("make")))
			w.see(is("%2", screen.Working))
		}
		woken := w.woken.Load()
		w.store.Close() // any read or write would now fail
		for range 10 {
			for _, s := range []detect.Sighting{shows("%1", permission("make")), is("%2", screen.Working)} {
				if err := w.See(s); err != nil {
					w.Fatalf("it read the database: %v", err)
				}
			}
		}
		if w.woken.Load() != woken {
			w.Error("the bot was woken for nothing")
		}
		w.restart()
	})
}

// TestLookThatTellsMoreIsTakenIn: settled looks do not hide something that only the next look shows.
func TestLookThatTellsMoreIsTakenIn(t *testing.T) {
	idle := is("%1", screen.Idle)
	for name, more := range map[string]func(*detect.Sighting){
		"worked":  func(s *detect.Sighting) { s.Worked = true },
		"blocked": func(s *detect.Sighting) { s.Blocked = reason.Why{Said: "The usage limit is reached."} },
	} {
		inIdleBubble(t, func(w *world) {
			w.see(idle)
			w.see(idle)
			look := idle
			more(&look)
			if n := w.see(look); n.Kind() != screen.Idle {
				w.Errorf("%s: nobody is told", name)
			}
		})
	}
	for name, more := range map[string]func(*detect.Sighting){
		"since": func(s *detect.Sighting) { s.Since = time.Now() },
		"words": func(s *detect.Sighting) { s.Words = "Linted." },
	} {
		inIdleBubble(t, func(w *world) {
			look := turnOver("%1")
			w.see(look)
			n := w.see(look)
			time.Sleep(time.Second)
			more(&look)
			if next := w.see(look); next.ID == n.ID {
				w.Errorf("%s: nobody is told of the next turn", name)
			}
		})
	}
	inIdleBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.see(shows("%1", permission("make")))
		more := permission("make")
		more.Subject = "make world"
		if n := w.see(shows("%1", more)); n.Prompt().Subject != "make world" {
			w.Error("the subject is lost")
		}
		more.Partial = true
		w.see(shows("%1", more))
		if n := w.see(shows("%1", more)); !n.Prompt().Partial {
			w.Error("it counts as known whole")
		}
	})
	inIdleBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.see(shows("%1", permission("make")))
		moved := shows("%1", permission("make"))
		moved.Where = "other:9.0"
		if n := w.see(moved); n.Where != "other:9.0" {
			w.Errorf("it is told to be in %q", n.Where)
		}
	})
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		for range 4 { // it ends, and later looks are settled
			w.see(is("%1", screen.Working))
		}
		look := is("%1", screen.Working)
		look.Proof = "approved"
		w.see(look)
		if got := w.wantState(n.ID, nudge.Recovered); got.Proof != "approved" {
			w.Error("the proof is lost")
		}
	})
}

func TestNewPromptClosesTheOldOne(t *testing.T) {
	inBubble(t, func(w *world) {
		old := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Second)
		next := w.see(shows("%1", permission("rm -rf /")))
		if next.ID == old.ID || next.State != nudge.Pending || next.Number != old.Number+1 {
			w.Errorf("got %+v", next)
		}
		w.wantState(old.ID, nudge.Recovered)
		notices := w.tell()
		if len(kinds(notices, nudge.Close)) != 1 || len(kinds(notices, nudge.Send)) != 1 || notices[0].Kind != nudge.Send {
			w.Errorf("told %+v", notices)
		}
	})
}

func TestOneLookWithoutThePromptEndsNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		for range 5 {
			w.see(is("%1", screen.Working))
			w.wantState(n.ID, nudge.Pending)
			w.see(shows("%1", permission("make")))
		}
		w.see(is("%1", screen.Permission)) // half drawn, or under an overlay, for any time
		w.see(is("%1", screen.Permission))
		w.see(is("%1", screen.Permission))
		w.wantState(n.ID, nudge.Pending)
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		w.wantState(n.ID, nudge.Recovered)
	})
}

func TestPaneIdsOfANewServerAreOtherPanes(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		s := shows("%1", permission("make"))
		s.Pane.Server.Start++
		if other := w.see(s); other.ID == n.ID {
			w.Error("the pane of a new server took over the nudge")
		}
		w.wantState(n.ID, nudge.Pending)
	})
}

func TestAnsweredPromptThatStandsIsAskedAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		late := shows("%1", permission("make"))
		late.At = time.Now()
		time.Sleep(time.Second)
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		if got := w.see(late); got.ID != n.ID {
			w.Error("a look from before the answer opened a nudge")
		}
		time.Sleep(time.Second)
		again := w.see(shows("%1", permission("make")))
		if again.ID == n.ID || !strings.Contains(words.Why(again.Again), "#"+n.ID+" was approved by Ann.") {
			w.Errorf("#%s says %q", again.ID, words.Why(again.Again))
		}
	})
}

func TestHeldWhileSomebodyIsThere(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		typing := func() {
			s := shows("%1", permission("make"))
			s.Here, s.Near = time.Now(), time.Now()
			w.see(s)
		}
		typing()
		w.wantReminders()
		if held := w.Held(); len(held) != 1 || held[0].Nudge != n.ID || held[0].Why == "" {
			w.Errorf("held %+v", held)
		}
		time.Sleep(time.Minute - 1)
		w.wantReminders()
		woken := w.woken.Load()
		time.Sleep(time.Nanosecond)
		w.tick()
		if w.woken.Load() == woken {
			w.Error("the bot was not woken when the message was free to go")
		}
		if held := w.Held(); len(held) != 0 {
			w.Errorf("free to go, held %+v", held)
		}
		w.wantReminders(1)
		typing()
		if held := w.Held(); len(held) != 0 {
			w.Errorf("sent, held %+v", held)
		}
	})
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		for range 299 {
			s := shows("%1", permission("make"))
			s.Here = time.Now()
			w.see(s)
			w.wantReminders()
			time.Sleep(time.Second)
		}
		time.Sleep(time.Second - 1)
		w.wantReminders()
		time.Sleep(time.Nanosecond)
		w.wantReminders(2) // the second step's time has come too, and the two become one
	})
}

func TestSupervisorWhoJoinsGetsWhatIsPending(t *testing.T) {
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.wantReminders(1)
		time.Sleep(5 * time.Minute)
		w.wantReminders(2)
		w.rules.Supervisors = []nudge.Place{ann, bob}
		sent := kinds(w.tell(), nudge.Send)
		if len(sent) != 1 || sent[0].Place != bob || sent[0].Of.(nudge.OfNudge).ReplyTo != 0 {
			w.Errorf("sent %+v", sent)
		}
	})
}

func TestMuteAndQuietMakeSilent(t *testing.T) {
	silent := func(w *world) bool {
		n := w.untold()
		if len(n) != 1 {
			w.Fatalf("%d notices", len(n))
		}
		return n[0].Silent
	}
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		if silent(w) {
			w.Error("silent without a reason")
		}
		if err := w.Mute(time.Now().Add(time.Hour)); err != nil {
			w.Fatal(err)
		}
		w.restart()
		if until, err := w.Muted(time.Now()); err != nil || time.Until(until) != time.Hour || !silent(w) {
			w.Errorf("muted until %s, %v", until, err)
		}
		time.Sleep(time.Hour)
		if until, _ := w.Muted(time.Now()); !until.IsZero() || silent(w) {
			w.Errorf("still muted until %s", until)
		}
		allDay := &nudge.Quiet{From: 0, To: 24*time.Hour - time.Minute, Zone: time.UTC}
		w.rules.Quiet = allDay
		if !silent(w) {
			w.Error("the quiet hours of the settings do not hold")
		}
		if err := w.SetQuiet(nil); err != nil {
			w.Fatal(err)
		}
		if q, _ := w.Quiet(); q != nil || silent(w) {
			w.Error("quiet hours were turned off in the chat and hold")
		}
		if err := w.SetQuiet(allDay); err != nil {
			w.Fatal(err)
		}
		w.rules.Quiet = nil
		if q, _ := w.Quiet(); q.String() != allDay.String() || !silent(w) {
			w.Errorf("quiet hours set in the chat: %v", q)
		}
	})
}

func TestQueueAndSkip(t *testing.T) {
	inBubble(t, func(w *world) {
		want := func(ids ...string) {
			w.Helper()
			queue, err := w.Queue()
			if err != nil {
				w.Fatal(err)
			}
			var got []string
			for _, n := range queue {
				got = append(got, n.ID)
			}
			if strings.Join(got, " ") != strings.Join(ids, " ") {
				w.Fatalf("the queue is %v, want %v", got, ids)
			}
		}
		var ids []string
		for _, pane := range []string{"%1", "%2", "%3"} {
			ids = append(ids, w.see(shows(pane, permission("make "+pane))).ID)
			time.Sleep(time.Second)
		}
		want(ids[0], ids[1], ids[2])
		skip := func(id string) {
			if err := w.Keeper.Skip(id); err != nil {
				w.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		skip(ids[0])
		want(ids[1], ids[2], ids[0])
		fresh := w.see(shows("%4", permission("new"))).ID
		want(ids[1], ids[2], fresh, ids[0])
		skip(ids[1])
		want(ids[2], fresh, ids[0], ids[1])
		w.see(is("%3", screen.Gone))
		want(fresh, ids[0], ids[1])
		if err := w.Keeper.Skip(ids[2]); err == nil {
			w.Error("what is gone was skipped")
		}
	})
}

// TestLookBesideADelivery: a prompt that appears again must be noticed even if the answer to the previous one
// arrived in the middle of a look.
func TestLookBesideADelivery(t *testing.T) {
	inBubble(t, func(w *world) {
		w.deliver()
		n := w.see(shows("%1", permission("make")))
		w.tell()
		reply := w.replyTo(n.ID, screen.Approve)
		answered := make(chan struct{})
		w.onRules = func() { // while the look is processed
			go func() {
				defer close(answered)
				w.give(reply, nudge.Taken)
			}()
		}
		w.see(shows("%1", permission("make")))
		<-answered
		w.wantState(n.ID, nudge.Delivered)
		time.Sleep(2 * time.Second)
		if again := w.see(shows("%1", permission("make"))); again.ID == n.ID {
			w.Error("the prompt stands again and nobody is told")
		}
	})
}

// BenchmarkSee measures a look at a pane without changes, which every poll takes for each pane.
func BenchmarkSee(b *testing.B) {
	s, err := store.Open(filepath.Join(b.TempDir(), "nod.db"))
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	w := &world{TB: b, store: s, typist: &typist{}, log: &bytes.Buffer{}}
	w.logger = slog.New(slog.NewTextHandler(w.log, nil))
	w.rules.Cadence, w.rules.Expiry = []time.Duration{0}, time.Hour
	k := w.keeper()
	look := shows("%1", permission("make"))
	for b.Loop() {
		if err := k.See(look); err != nil {
			b.Fatal(err)
		}
	}
}

// drawn returns a permission with the rows of its dialog as drawn for a width.
func drawn(width int, rows ...string) *screen.Prompt {
	p := permission("make")
	p.Rows, p.Width = rows, width
	return p
}

// TestOtherRowsAreAnotherPrompt: a prompt with the same fingerprint that is drawn otherwise at the same width
// was not told yet.
func TestOtherRowsAreAnotherPrompt(t *testing.T) {
	for _, c := range []struct {
		name        string
		first, then *screen.Prompt
		same        bool
	}{
		{"the same rows", drawn(80, "make", "1. Yes"), drawn(80, "make", "1. Yes"), true},
		{"other rows", drawn(80, "make", "1. Yes"), drawn(80, "rm -rf /", "1. Yes"), false},
		{"a row more", drawn(80, "make", "1. Yes"), drawn(80, "make", "", "1. Yes"), false},
		{"another width", drawn(80, "make all", "1. Yes"), drawn(40, "make", "all", "1. Yes"), true},
		{"rows that were not read", drawn(0), drawn(80, "make", "1. Yes"), true},
		{"rows that are not read", drawn(80, "make", "1. Yes"), drawn(0), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				n := w.see(shows("%1", c.first))
				w.tell()
				w.see(shows("%1", c.first)) // looks like it are settled
				reply := w.replyTo(n.ID, screen.Approve)
				next := w.see(shows("%1", c.then))
				if same := next.ID == n.ID; same != c.same {
					w.Fatalf("it is the same nudge: %t", same)
				}
				if c.same {
					w.give(reply, nudge.Taken)
					return
				}
				w.wantState(n.ID, nudge.Recovered)
				if next.State != nudge.Pending || len(kinds(w.tell(), nudge.Send)) != 1 || !strings.Contains(words.Why(next.Again), n.ID) {
					w.Errorf("#%s is %s, says %q", next.ID, next.State, words.Why(next.Again))
				}
				w.give(reply, nudge.Rejected)
				if len(w.typist.asked) != 0 {
					w.Errorf("typed %v", w.typist.asked)
				}
			})
		})
	}
}

// TestRequestHasTheRowsThatWereTold: the typist compares them with the screen.
func TestRequestHasTheRowsThatWereTold(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", drawn(80, "make", "1. Yes")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		if r := w.typist.asked[0]; r.Width != 80 || !slices.Equal(r.Rows, []string{"make", "1. Yes"}) {
			w.Errorf("asked for %+v", r)
		}
	})
}
