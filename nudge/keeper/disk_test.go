package keeper_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
	"nod/nudge"
)

// ownProcess is set in the child process of a test that fills the disk.
const ownProcess = "NOD_TEST_OWN_PROCESS"

// inOwnProcess reports whether the test runs in a process of its own, where a full disk affects nothing else.
// If not, it runs the test in one.
func inOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv(ownProcess) != "" {
		return true
	}
	child := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	child.Env = append(os.Environ(), ownProcess+"=1")
	if said, err := child.CombinedOutput(); err != nil {
		t.Errorf("%v:\n%s", err, said)
	}
	return false
}

// full reports whether err says that the disk is full. bbolt returns some of these errors as text only.
func full(err error) bool { return err != nil && strings.Contains(err.Error(), "is full") }

// lost gives the keeper a look that can't be stored.
func (w *world) lost(s detect.Sighting) {
	w.Helper()
	if s.At.IsZero() {
		s.At = time.Now()
	}
	if err := w.See(s); !full(err) {
		w.Fatalf("a look on a full disk: %v", err)
	}
}

// TestPromptIsToldWhenTheDiskHasRoomAgain: a prompt that appeared while nothing could be stored is told then.
func TestPromptIsToldWhenTheDiskHasRoomAgain(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		for range 3 {
			w.see(is("%1", screen.Working))
		}
		room := testrun.FillDisk(t)
		for range 5 {
			w.lost(shows("%1", permission("make")))
			time.Sleep(2 * time.Second)
		}
		w.wantHealth("could not be stored", "free some space")
		room()
		n := w.see(shows("%1", permission("make")))
		if sent := kinds(w.tell(), nudge.Send); n.State != nudge.Pending || len(sent) != 1 {
			w.Errorf("#%s is %s, sent %+v", n.ID, n.State, sent)
		}
		w.wantHealth()
	})
}

// TestEndOfAPaneIsStoredWhenTheDiskHasRoomAgain, although no other look at that pane will come.
func TestEndOfAPaneIsStoredWhenTheDiskHasRoomAgain(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		room := testrun.FillDisk(t)
		w.lost(is("%1", screen.Gone))
		room()
		w.wantHealth("could not be stored")
		w.tick()
		w.wantState(n.ID, nudge.Gone)
		w.wantHealth()
	})
}

// partial returns a permission of which a part can't be seen.
func partial(subject string) *screen.Prompt {
	p := permission(subject)
	p.Partial = true
	return p
}

// TestLostLookEndsConsent: no record says whether the dialog came up again or disappeared.
func TestLostLookEndsConsent(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	asked := shows("%1", partial("make"))
	asked.By = "hook"
	for name, look := range map[string]detect.Sighting{"a permission event": asked, "a look without it": is("%1", screen.Working)} {
		consent := func(w *world, n nudge.Nudge, want nudge.VerdictKind) {
			a := w.answer(nudge.ByButton, screen.Approve)
			a.Nudge, a.Unseen = n.ID, true
			w.give(a, want)
		}
		begin := func(w *world) nudge.Nudge {
			n := w.see(shows("%1", partial("make")))
			w.tell()
			w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
			time.Sleep(time.Second)
			return n
		}
		t.Run(name+", before the next look", func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				n := begin(w)
				room := testrun.FillDisk(t)
				w.lost(look)
				room()
				consent(w, n, nudge.AskUnseen)
				consent(w, n, nudge.Taken) // after it was asked for again
			})
		})
		t.Run(name+", after the next look", func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				n := begin(w)
				room := testrun.FillDisk(t)
				w.lost(look)
				room()
				w.see(shows("%1", partial("make")))
				consent(w, n, nudge.AskUnseen)
			})
		})
		t.Run(name+", before the first key", func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				n := begin(w)
				w.typist.result = func(context.Context, deliver.Request) deliver.Result {
					room := testrun.FillDisk(t)
					w.lost(look)
					room()
					return deliver.Result{}
				}
				consent(w, n, nudge.Taken)
				if len(w.typist.began) != 0 {
					w.Error("a key was typed")
				}
			})
		})
	}
}

func TestProofIsNotLostOnAFullDisk(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		look := is("%1", screen.Working)
		look.Proof = "approved"
		room := testrun.FillDisk(t)
		w.lost(look)
		room()
		w.see(is("%1", screen.Working))
		if got := w.wantState(n.ID, nudge.Recovered); got.Proof != "approved" {
			w.Errorf("the proof is %q", got.Proof)
		}
	})
}

func TestEffectIsNotLostOnAFullDisk(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inIdleBubble(t, func(w *world) {
		n := w.answered("make", screen.Approve)
		room := testrun.FillDisk(t)
		err := w.Ran(detect.Effect{Pane: pane("%1"), Fingerprint: "fp:make", Took: time.Second})
		if !full(err) {
			w.Fatal(err)
		}
		w.wantHealth("could not be stored")
		room()
		w.tick()
		if w.find(n.ID).Effect == nil {
			w.Error("the effect is lost")
		}
		w.wantHealth()
	})
}

// TestSetClockIsNotLostOnAFullDisk: the step counts once, when it can be stored.
func TestSetClockIsNotLostOnAFullDisk(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.tick()
		room := testrun.FillDisk(t)
		for range 3 {
			time.Sleep(time.Second)
			if err := w.Tick(time.Now().Add(time.Hour)); !full(err) {
				w.Fatalf("a tick on a full disk: %v", err)
			}
		}
		w.wantHealth("can't do its scheduled work")
		room()
		for range 2 {
			time.Sleep(time.Second)
			if err := w.Tick(time.Now().Add(time.Hour)); err != nil {
				w.Fatal(err)
			}
		}
		if since := time.Now().Add(time.Hour).Sub(w.find(n.ID).Detected); since != 5*time.Second {
			w.Errorf("it seems to wait for %s", since)
		}
		w.wantHealth()
	})
}

// TestSweepIsTriedAgain: old events are dropped at the next tick, not an hour later.
func TestSweepIsTriedAgain(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make")))
		w.see(is("%1", screen.Gone))
		w.tick()
		time.Sleep(90*24*time.Hour - time.Hour)
		w.tick() // an hour too early for the events
		time.Sleep(2 * time.Hour)
		w.see(shows("%1", permission("late")))
		room := testrun.FillDisk(t)
		if err := w.Tick(time.Now()); !full(err) {
			w.Fatalf("a tick on a full disk: %v", err)
		}
		room()
		w.tick()
		if lines, err := w.store.Tail(9); err != nil || len(lines) != 1 {
			w.Errorf("the audit trail has %+v, %v", lines, err)
		}
	})
}

// TestFailedAnswerLeavesTheClaimBeforeItAlone: a second answer that can't be stored does not make the first
// one older.
func TestFailedAnswerLeavesTheClaimBeforeItAlone(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", partial("make")))
		w.tell()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.AskUnseen)
		a := w.answer(nudge.ByButton, screen.Approve)
		a.Nudge, a.Unseen = n.ID, true
		w.give(a, nudge.Taken) // nobody types yet
		room := testrun.FillDisk(t)
		if _, err := w.Answer(w.replyTo(n.ID, screen.Deny)); !full(err) {
			w.Fatalf("an answer on a full disk: %v", err)
		}
		room()
		w.deliver()
		w.wantState(n.ID, nudge.Delivered)
	})
}

// TestAKeyIsNotForgottenOnAFullDisk: the disk fills up while a key is typed. The answer stays one that may have been typed, no other takes its
// place, and what became of it is stored when the disk has room again; a nod that ends before then does not know.
func TestAKeyIsNotForgottenOnAFullDisk(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	for name, restarts := range map[string]bool{"nod goes on": false, "nod ends before": true} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				n := w.see(shows("%1", permission("make")))
				w.tell()
				room := func() {}
				w.typist.typing = func() { room = testrun.FillDisk(t) }
				w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
				w.deliver()
				w.wantState(n.ID, nudge.Typing)
				w.wantHealth("can't be stored")
				time.Sleep(time.Minute)
				if again, err := w.Answer(w.replyTo(n.ID, screen.Deny)); err == nil && again.Kind == nudge.Taken {
					w.Error("a second answer was taken")
				}
				want := nudge.Delivered
				if restarts {
					w.stop()
					want = nudge.Unknown
					room()
					w.restart()
					w.deliver()
				} else {
					room()
					time.Sleep(time.Minute)
				}
				w.wantState(n.ID, want)
				w.wantHealth()
				if len(w.typist.began) != 1 {
					w.Errorf("it was typed %d times", len(w.typist.began))
				}
			})
		})
	}
}
