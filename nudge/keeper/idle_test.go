package keeper_test

import (
	"slices"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// turnOver is a look at an agent that became idle just now, after work.
func turnOver(id string) detect.Sighting {
	s := is(id, screen.Idle)
	s.Since, s.Worked, s.Words = time.Now(), true, "Done."
	return s
}

// inIdleBubble is inBubble with notices of idle agents on, and the delivery running.
func inIdleBubble(t *testing.T, f func(w *world)) {
	t.Helper()
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		w.deliver()
		f(w)
	})
}

func (w *world) wantKinds(notices []nudge.Notice, want ...nudge.NoticeKind) {
	w.Helper()
	var got []nudge.NoticeKind
	for _, n := range notices {
		got = append(got, n.Kind)
	}
	if !slices.Equal(got, want) {
		w.Fatalf("notices %v, want %v", got, want)
	}
}

// lastWords returns the last words of the agent that n is about.
func lastWords(n nudge.Nudge) string {
	turn, _ := n.About.(nudge.TurnEnded)
	return turn.Words
}

func TestIdleIsToldOnceATurn(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		n := w.see(look)
		sent := w.tell()
		w.wantKinds(sent, nudge.Send)
		if lastWords(n) != "Done." || !sent[0].Silent || len(n.Cadence) != 1 {
			w.Errorf("told %+v", n)
		}
		for range 3 {
			time.Sleep(9 * time.Hour)
			w.tick()
			look.Here = time.Time{}
			w.see(look)
			w.wantKinds(w.tell())
		}
		w.stop()
		w.restart()
		seenLater := is("%1", screen.Idle)
		seenLater.Since = time.Now() // this watcher saw no work
		w.see(seenLater)
		w.wantKinds(w.tell())
		if got := w.newest(pane("%1")); got.ID != n.ID || got.State != nudge.Pending || got.Stuck() {
			w.Errorf("#%s is %s", got.ID, got.State)
		}
	})
}

// TestIdleOutlastsARestart: at the first look after it nobody knows yet that the agent is idle.
func TestIdleOutlastsARestart(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(turnOver("%1"))
		w.wantKinds(w.tell(), nudge.Send)
		w.restart()
		time.Sleep(time.Second)
		first := is("%1", screen.Working)
		first.Since, first.Settling, first.Tail = time.Now(), true, []string{"a wider pane"}
		w.see(first)
		idle := is("%1", screen.Idle)
		idle.Since = time.Now()
		w.see(idle)
		w.wantState(n.ID, nudge.Pending)
		w.wantKinds(w.tell())
		w.see(is("%1", screen.Working))
		w.wantState(n.ID, nudge.Recovered)
	})
}

func TestIdleNoticeIsReplacedByTheNext(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		first := w.see(turnOver("%1"))
		w.tell()
		w.see(is("%1", screen.Working))
		w.wantState(first.ID, nudge.Recovered)
		w.wantKinds(w.tell(), nudge.Close)
		w.see(shows("%1", permission("make")))
		w.tell()
		w.see(is("%1", screen.Working))
		w.see(is("%1", screen.Working))
		w.tell()
		time.Sleep(time.Minute)
		second := w.see(turnOver("%1"))
		if second.ID == first.ID {
			w.Fatal("the next turn is not told")
		}
		said := w.tell()
		w.wantKinds(said, nudge.Send, nudge.Clear)
		if said[1].Nudge().ID != first.ID || said[1].Copy.Message != w.find(first.ID).Copies[0].Message {
			w.Errorf("cleared %+v", said[1])
		}
		w.wantKinds(w.tell())

		// An agent that was not seen at work in between.
		time.Sleep(time.Minute)
		w.see(turnOver("%1"))
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

// TestEditUnderWayDoesNotKeepAReplacedNotice: the notice is replaced while an edit of its message is on the
// way.
func TestEditUnderWayDoesNotKeepAReplacedNotice(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%1"))
		w.tell()
		w.see(is("%1", screen.Working))
		under := w.untold()
		w.wantKinds(under, nudge.Close)
		time.Sleep(time.Second)
		w.see(turnOver("%1"))
		w.told(under[0])
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

func TestIdleThatEndsBeforeItIsToldIsNotTold(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		look.Near = time.Now()
		w.see(look)
		w.wantKinds(w.tell())
		if held := w.Held(); len(held) != 1 {
			w.Errorf("held %+v", held)
		}
		w.see(is("%1", screen.Working))
		time.Sleep(time.Hour)
		w.wantKinds(w.tell())
	})
}

func TestIdleNoticeOfALostPaneLapses(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Idle = true
		n := w.see(turnOver("%1"))
		w.tell()
		w.restart()
		time.Sleep(8 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Gone)
		w.wantKinds(w.tell(), nudge.Close)
	})
}

func TestLoudAndBlockedIdleHaveASound(t *testing.T) {
	for _, c := range []struct {
		idle, loud bool
		blocked    string
		told, mute bool
	}{
		{true, false, "", true, true},
		{true, true, "", true, false},
		{false, false, "", false, false},
		{false, false, "The usage limit is reached until 17:00.", true, false},
	} {
		inIdleBubble(t, func(w *world) {
			w.rules.Idle, w.rules.Loud = c.idle, c.loud
			look := turnOver("%1")
			look.Blocked.Said = c.blocked
			w.see(look)
			sent := w.tell()
			if told := len(sent) == 1; told != c.told || told && sent[0].Silent != c.mute {
				w.Errorf("%+v: sent %+v", c, sent)
			}
		})
	}
}

func TestSilentPaneIsToldOnce(t *testing.T) {
	inBubble(t, func(w *world) {
		look := is("%1", screen.Silent)
		look.Since = time.Now()
		n := w.see(look)
		sent := w.tell()
		w.wantKinds(sent, nudge.Send)
		if n.Kind() != screen.Silent || sent[0].Silent {
			w.Errorf("told %+v", sent[0])
		}
		time.Sleep(24 * time.Hour)
		w.tick()
		w.see(look)
		w.wantKinds(w.tell())
		w.restart()
		w.see(is("%1", screen.Working)) // a watcher that has just started
		later := look
		later.Since = time.Now()
		w.see(later)
		w.wantKinds(w.tell())
		w.wantState(n.ID, nudge.Pending)
		moved := is("%1", screen.Working)
		moved.Tail = []string{"it moves"}
		w.see(moved)
		w.wantState(n.ID, nudge.Recovered)
		w.wantKinds(w.tell(), nudge.Close)
	})
}

func TestWordsThatComeLaterAreTakenOver(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		look.Words = ""
		w.see(look)
		look.Words = "All tests pass."
		if n := w.see(look); lastWords(n) != "All tests pass." {
			w.Errorf("the words are %q", lastWords(n))
		}
		look.Words = ""
		if n := w.see(look); lastWords(n) != "All tests pass." {
			w.Errorf("the words are lost")
		}
	})
}

// TestTurnBetweenTwoLooks: only the agent's last words show that there was a turn.
func TestTurnBetweenTwoLooks(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		look := turnOver("%1")
		first := w.see(look)
		w.tell()
		look.Words = "Linted."
		if n := w.see(look); n.ID == first.ID || lastWords(n) != "Linted." {
			w.Errorf("#%s says %q", n.ID, lastWords(n))
		}
		w.wantKinds(w.tell(), nudge.Send, nudge.Clear)
	})
}

func TestQueueHasIdleLast(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		idle := w.see(turnOver("%1"))
		time.Sleep(time.Second)
		question := w.see(asks("%2", permission("Which one?")))
		time.Sleep(time.Second)
		asked := w.see(shows("%3", permission("make")))
		queue, err := w.Queue()
		if err != nil || len(queue) != 3 || queue[0].ID != question.ID || queue[1].ID != asked.ID || queue[2].ID != idle.ID {
			w.Errorf("the queue is %+v, %v", queue, err)
		}
	})
}

// TestFreshAnswerAfterAnIdleNotice: a bare y never means the notice, and nod asks which nudge is meant.
func TestFreshAnswerAfterAnIdleNotice(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%2"))
		w.tell()
		w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.NothingDue)
		asked := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Second)
		w.see(is("%3", screen.Silent))
		w.tell()
		time.Sleep(time.Hour)
		v := w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.WhichOne)
		if len(v.Among) != 1 || v.Among[0].ID != asked.ID {
			w.Errorf("among %+v", v.Among)
		}
	})
	inIdleBubble(t, func(w *world) {
		w.see(turnOver("%2")) // just before the permission's message: a y can't mean this nudge
		w.tell()
		time.Sleep(time.Second)
		asked := w.see(shows("%1", permission("make")))
		w.tell()
		time.Sleep(time.Second)
		if v := w.give(w.answer(nudge.ByFresh, screen.Approve), nudge.Taken); v.Nudge.ID != asked.ID {
			w.Errorf("it means #%s", v.Nudge.ID)
		}
	})
}
