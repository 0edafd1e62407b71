package detect

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"nod/detect/screen"
	"nod/internal/host/tmux"
)

// TestWhatIsNotWatchedIsListed: a poll for it can't go by the listing before.
func TestWhatIsNotWatchedIsListed(t *testing.T) {
	t.Parallel()
	s := &serverWatcher{}
	s.allCaptured, s.listing = time.Now(), tmux.Listing{Taken: time.Now()}
	if s.lastListing().Taken.IsZero() {
		t.Error("a poll of watched panes lists all")
	}
	s.urgent = map[string]*urgentLook{"%1": {}}
	if !s.lastListing().Taken.IsZero() {
		t.Error("a look at a pane that is not watched goes by the listing before")
	}
}

func TestAClockThatWasSetIsSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		byClock, took time.Duration
		want          bool
	}{
		{time.Second, time.Second, false},
		{999500 * time.Microsecond, time.Second, false},
		{990 * time.Millisecond, time.Second, true},
		{time.Hour, time.Second, true}, // set forth, maybe after it was set back, or the machine slept
		{-time.Hour, time.Second, true},
		{500 * time.Millisecond, time.Second, true},
	} {
		if got := stepped(tt.byClock, tt.took); got != tt.want {
			t.Errorf("%v by the clock in %v: %v", tt.byClock, tt.took, got)
		}
	}
}

// byClockAhead is a moment as a clock tells it that is ahead by so many whole seconds. Only the clock that nobody sets tells that it is the
// same moment, and package time lets nobody set one of the two alone.
func byClockAhead(t time.Time, ahead time.Duration) time.Time {
	const secondsAt = 30 // in the first word of a time.Time that has both clocks
	*(*uint64)(unsafe.Pointer(&t)) += uint64(ahead/time.Second) << secondsAt
	return t
}

// TestAStepOfTheClockIsFollowedByALookAtAll: tmux dates what is drawn by the clock, so after a step no poll may go by the one before, and each
// pane is captured.
func TestAStepOfTheClockIsFollowedByALookAtAll(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, time.Second, time.Hour, -time.Second, -time.Hour} {
		at := time.Now()
		before := byClockAhead(at, ahead)
		if before.Round(0).Sub(at.Round(0)) != ahead || before.Sub(at) != 0 {
			t.Fatal("this test can't set a clock any more")
		}
		s := &serverWatcher{}
		s.allCaptured, s.listing = time.Now(), tmux.Listing{Taken: before}
		if got := s.lastListing().Taken.IsZero(); got != (ahead != 0) {
			t.Errorf("after a step of %v a poll goes by nothing of before: %v", -ahead, got)
		}
		if got := s.allCaptured.IsZero(); got != (ahead != 0) {
			t.Errorf("after a step of %v all panes are captured: %v", -ahead, got)
		}
	}
}

// TestAPaneThatTicksKeepsItsProcesses has an agent at work draw its spinner at each poll. Its processes are asked for when all panes are
// listed, and at once where anything else on its screen has changed.
func TestAPaneThatTicksKeepsItsProcesses(t *testing.T) {
	t.Parallel()
	text := screenOf(t, "claude/2.1.329-working-tool-120x40.ansi")
	spinner := regexp.MustCompile(`Symbioting….* tokens\)`)
	onePane(t, text, func(_ *Watcher, s *stage, a *audience) {
		n := 10
		traced := func(polls int) (traced int) {
			s.do(func() { s.traced = 0 })
			for range polls {
				n++
				s.show("%1", spinner.ReplaceAllString(text, fmt.Sprintf("Symbioting… (%ds · ↓ %d0 tokens)", n, n)))
				poll(1)
			}
			s.do(func() { traced = s.traced })
			return traced
		}
		traced(2)
		if got := traced(3 * wholeEvery); got < 3 || got > 5 { // with those of the captures of all panes
			t.Errorf("the processes were asked for %d times within three listings of all panes", got)
		}
		a.take()
		text = strings.Replace(text, "esc to interrupt", "esc to interrupt!", 1)
		if got := traced(2); got < 1 {
			t.Error("the processes were not asked for where more than the spinner has changed")
		}
		s.run("%1", shell())
		a.take()
		traced(wholeEvery)
		if heard := a.take(); heard[len(heard)-1].State != screen.Shell {
			t.Errorf("that the agent has ended is told as %s", brief(heard))
		}
	})
}

// TestALookThatWasAskedForBeforehand is waited for, and says nothing of what was drawn since it was taken.
func TestALookThatWasAskedForBeforehand(t *testing.T) {
	t.Parallel()
	onePane(t, "busy", func(w *Watcher, s *stage, _ *audience) {
		s.do(func() { s.taken, s.next = 30*time.Millisecond, interval+500*time.Millisecond })
		poll(1)
		before := s.looks()
		time.Sleep(10*interval + 5*time.Second)
		synctest.Wait()
		if got := s.looks() - before; got != 10 {
			t.Errorf("%d polls in the time of ten looks", got)
		}
		polled, at := w.Polled(), w.Panes()[0].At
		if old := polled.Sub(at); old < 30*time.Millisecond {
			t.Errorf("the screen is told as of %v before the poll", old)
		}
	})
}

// TestAPollFollowsTheLookThatHasCome, and comes by itself where the look is long overdue.
func TestAPollFollowsTheLookThatHasCome(t *testing.T) {
	onePane(t, "still", func(_ *Watcher, s *stage, a *audience) {
		const overdue = time.Minute
		s.do(func() { s.came, s.next = make(chan struct{}, 1), overdue })
		poll(1)
		for range 3 {
			before := s.looks()
			time.Sleep(overdue / 2)
			if got := s.looks(); got != before {
				t.Fatalf("%d polls before the look has come", got-before)
			}
			s.came <- struct{}{}
			synctest.Wait()
			if got := s.looks() - before; got != 1 {
				t.Fatalf("%d polls once it has come", got)
			}
		}
		before := s.looks()
		time.Sleep(overdue + time.Second)
		if got := s.looks() - before; got != 1 {
			t.Errorf("%d polls where no look comes", got)
		}
	})
}
