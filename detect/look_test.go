package detect

import (
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

func TestAHookIsReadAtOnce(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		event := HookEvent{Agent: "claude", Kind: Asks, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}}
		poll(3)
		a.take()
		time.Sleep(100 * time.Millisecond)
		if !w.Hook(event) {
			t.Fatal("the event was not taken")
		}
		time.Sleep(300 * time.Millisecond)
		synctest.Wait()
		expect(t, a, "before the dialog is drawn", "")
		s.show("%1", ask(t, "ls"))
		time.Sleep(2 * dialogInterval)
		synctest.Wait()
		expect(t, a, "the dialog is drawn", "%1:permission(ls)@hook")
		polls := s.looks()
		time.Sleep(time.Second)
		synctest.Wait()
		if s.looks() != polls {
			t.Errorf("%d more looks after the dialog was seen", s.looks()-polls)
		}
	})
}

// TestAPaneThatDrawsIsReadAtOnce where the server says so. One that is not watched is left to the polls.
func TestAPaneThatDrawsIsReadAtOnce(t *testing.T) {
	onePane(t, "still", func(_ *Watcher, s *stage, a *audience) {
		s.do(func() { s.drew = make(chan string, 1) })
		poll(2)
		time.Sleep(100 * time.Millisecond)
		a.take()
		s.show("%1", ask(t, "ls"))
		s.drew <- "%1"
		time.Sleep(3 * fastInterval)
		synctest.Wait()
		expect(t, a, "it has drawn a dialog", "%1:permission(ls)")

		poll(1)
		looks := s.looks()
		s.drew <- "%1"
		for n := range 1000 {
			s.show("%1", fmt.Sprintf("line %d", n))
			time.Sleep(time.Millisecond)
		}
		if got := s.looks() - looks; got < 3 || got > 12 {
			t.Errorf("%d looks within a second for a pane that goes on to draw", got)
		}
		poll(2)
		looks = s.looks()
		time.Sleep(100 * time.Millisecond)
		s.drew <- "%9"
		time.Sleep(3 * fastInterval)
		synctest.Wait()
		close(s.drew)
		time.Sleep(3 * fastInterval)
		synctest.Wait()
		if got := s.looks(); got != looks {
			t.Errorf("%d looks for a pane that is not watched", got-looks)
		}
	})
}

func TestAHookWaitsForAnotherDialogThanTheOneThatStands(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(100 * time.Millisecond)
		a.take()
		w.Hook(HookEvent{Kind: Asks, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}})
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		expect(t, a, "the dialog that stood there", "%1:permission(ls)@hook")
		s.show("%1", ask(t, "rm x"))
		time.Sleep(3 * fastInterval)
		synctest.Wait()
		expect(t, a, "the next one", "%1:permission(rm x)@hook")
	})
}

func TestAHookWithoutADialogGivesUp(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		w.Hook(HookEvent{Kind: Asks, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}})
		time.Sleep(urgentFor + slowInterval)
		synctest.Wait()
		polls := s.looks()
		poll(5)
		if got := s.looks() - polls; got != 5 {
			t.Errorf("%d looks in 5 polls", got)
		}
	})
}

func TestAHookEnrolsAPane(t *testing.T) {
	s := newStage(t)
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(500 * time.Millisecond)
		s.add("%9", "codex", "starting")
		w.Hook(HookEvent{Kind: Started, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%9"}})
		time.Sleep(4 * fastInterval)
		synctest.Wait()
		if p := w.Panes(); len(p) != 1 || p[0].Agent != "codex" {
			t.Errorf("panes %+v after %s", p, brief(a.take()))
		}
	})
}

func TestHooksOfOtherServersChangeNothing(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		poll(1)
		polls := s.looks()
		for _, e := range []HookEvent{
			{Kind: Asks, Origin: Origin{Socket: "/tmp/other", ServerPID: os.Getpid(), Pane: "%1"}},
			{Kind: Asks, Origin: Origin{Socket: "/tmp/s", ServerPID: 1 << 30, Pane: "%1"}},
			{Kind: Asks, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid()}},
			{Kind: Asks},
		} {
			if w.Hook(e) {
				t.Errorf("%+v was taken", e)
			}
		}
		if !w.Hook(HookEvent{Kind: Unrelated, Origin: Origin{Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1"}}) {
			t.Error("an event of a watched server is called another's")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if s.looks() != polls {
			t.Errorf("%d looks", s.looks()-polls)
		}
	})
}

func TestLookSoonReadsUntilTwoLooksAgree(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		time.Sleep(100 * time.Millisecond)
		s.show("%1", ask(t, "ls"))
		a.take()
		polls := s.looks()
		w.LookSoon(PaneRef{Server: s.life, ID: "%1"})
		time.Sleep(2 * fastInterval)
		synctest.Wait()
		expect(t, a, "a look", "%1:permission(ls)")
		elsewhere := s.life
		elsewhere.Socket = "/tmp/other"
		w.LookSoon(PaneRef{Server: elsewhere, ID: "%1"})
		time.Sleep(time.Second)
		synctest.Wait()
		if got := s.looks() - polls; got != 2 {
			t.Errorf("%d looks at a pane that stands still", got)
		}
	})
}

// A pane that is not there costs looks for a while, and nothing is told of it.
func TestLookSoonAtAPaneThatIsNotThere(t *testing.T) {
	s := newStage(t)
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		w.LookSoon(PaneRef{Server: s.life, ID: "%7"})
		time.Sleep(urgentFor + slowInterval)
		synctest.Wait()
		polls := s.looks()
		poll(5)
		if got := s.looks() - polls; got != 5 {
			t.Errorf("%d looks in 5 polls", got)
		}
		expect(t, a, "no pane", "")
	})
}

func TestAPromptThatAPollHasSeenIsLookedAtAgainSoon(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	s.add("%2", "claude", "busy")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		polls := s.looks()
		s.show("%1", ask(t, "ls"))
		poll(1)
		expect(t, a, "the first look at it", "%1:working %2:working")
		time.Sleep(confirmAfter - time.Millisecond)
		synctest.Wait()
		expect(t, a, "a moment later", "")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		expect(t, a, "the second look", "%1:permission(ls)")
		poll(3)
		if got := s.looks() - polls; got != 5 {
			t.Errorf("%d looks, want 4 polls and one look more", got)
		}
	})
}

// The time that a look itself takes is not waited for once more.
func TestTheSecondLookCountsFromTheBeginningOfTheFirst(t *testing.T) {
	s := newStage(t)
	s.slow = 100 * time.Millisecond
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(3)
		s.show("%1", ask(t, "ls"))
		for looked := s.looks(); s.looks() == looked; {
			time.Sleep(time.Millisecond)
			synctest.Wait()
		}
		a.take()
		time.Sleep(confirmAfter - time.Millisecond)
		synctest.Wait()
		expect(t, a, "the second look is not over", "")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		expect(t, a, "the second look", "%1:permission(ls)")
	})
}

func TestAPromptThatNeverStandsStillIsLeftToThePolls(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		polls := s.looks()
		for i := range 100 {
			s.show("%1", ask(t, "ls "+time.Duration(i).String()))
			time.Sleep(interval / 20)
		}
		synctest.Wait()
		if got := s.looks() - polls; got > 10 {
			t.Errorf("%d looks in 5 polls", got)
		}
		for _, seen := range a.take() {
			if seen.Prompt != nil {
				t.Errorf("it was told: %s", seen.Prompt.Subject)
			}
		}
	})
}

func TestStablePollsHoldForTheLooksThatComeSooner(t *testing.T) {
	s := newStage(t)
	s.stable = 4
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.show("%1", ask(t, "ls"))
		poll(1)
		time.Sleep(3*confirmAfter - time.Millisecond)
		synctest.Wait()
		expect(t, a, "three looks", "%1:working")
		time.Sleep(time.Millisecond)
		synctest.Wait()
		expect(t, a, "four", "%1:permission(ls)")
	})
}

// What leaves while it is looked at again was not told, so nobody hears that it is gone.
func TestAPromptThatLeavesBeforeTheSecondLookIsNotTold(t *testing.T) {
	onePane(t, "busy", func(_ *Watcher, s *stage, a *audience) {
		s.show("%1", ask(t, "ls"))
		poll(1)
		a.take()
		s.show("%1", "busy")
		poll(1)
		expect(t, a, "it has left", "%1:working")
	})
}
