package detect

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/screen"
	"nod/internal/host/proc"
)

// atWork is a claude that has asked for permission by its hook and by its screen, has its answer, and works on. Each call of draw has its
// spinner turn and a poll look.
func atWork(t *testing.T, test func(w *Watcher, s *stage, a *audience, draw func(polls int) (spared int))) {
	t.Helper()
	text, spinner := screenOf(t, "claude/2.1.329-working-tool-120x40.ansi"), regexp.MustCompile(`Symbioting….* tokens\)`)
	onePane(t, text, func(w *Watcher, s *stage, a *audience) {
		n := 10
		draw := func(polls int) int {
			s.sparedNow()
			for range polls {
				n++
				s.show("%1", spinner.ReplaceAllString(text, fmt.Sprintf("Symbioting… (%ds · ↓ %d0 tokens)", n, n)))
				poll(1)
			}
			return s.sparedNow()
		}
		if spared := draw(8); spared != 0 {
			t.Fatalf("%d captures are spared before any event", spared)
		}
		send(t, w, ofSession(Submitted), event(Before, "ls", "c1"))
		if spared := draw(8); spared != 0 {
			t.Fatalf("%d captures are spared before the agent has told a question", spared)
		}
		send(t, w, event(Asks, "ls", ""))
		s.show("%1", ask(t, "ls"))
		poll(2)
		prompted(t, a)
		if spared := s.sparedNow(); spared != 0 {
			t.Fatalf("%d captures are spared while it asks", spared)
		}
		send(t, w, event(Ran, "ls", "c1"))
		draw(8)
		a.take()
		test(w, s, a, draw)
	})
}

// sparedNow is how many captures were spared since the last time.
func (s *stage) sparedNow() (spared int) {
	s.do(func() { spared, s.spared = s.spared, 0 })
	return spared
}

// TestHooksThatAreAliveSpareCaptures of what the gate lets through while the agent works, and none where anything else is the case.
func TestHooksThatAreAliveSpareCaptures(t *testing.T) {
	t.Parallel()
	atWork(t, func(w *Watcher, s *stage, _ *audience, draw func(int) int) {
		s.do(func() { s.traced = 0 })
		spared, traced := draw(16), 0
		s.do(func() { traced = s.traced })
		if spared < 11 || traced > 2 {
			t.Fatalf("of 16 captures of an agent whose hooks tell, %d are spared; its processes were asked for %d times", spared, traced)
		}
		pane := w.Panes()[0].Pane
		w.ViewUntil(pane, time.Now().Add(20*time.Second))
		if spared := draw(8); spared != 0 {
			t.Errorf("%d captures of a pane that somebody views are spared", spared)
		}
		send(t, w, event(Before, "pwd", "c2"))
		if spared := draw(16); spared < 11 {
			t.Errorf("of 16 captures once nobody views it, %d are spared", spared)
		}
		time.Sleep(hookSilence)
		if spared := draw(8); spared != 0 {
			t.Errorf("%d captures are spared where the hooks have been silent for long", spared)
		}
		send(t, w, event(Ran, "pwd", "c2"))
		if spared := draw(8); spared < 5 {
			t.Errorf("of 8 captures after the next event, %d are spared", spared)
		}
		other, err := proc.Of(os.Getppid())
		if err != nil {
			t.Fatal(err)
		}
		front := runs("claude")
		front[0].ID = other
		s.run("%1", front)
		draw(2 * wholeEvery)
		if spared := draw(8); spared != 0 {
			t.Errorf("%d captures are spared where another process has sent the events", spared)
		}
	})
}

// TestOnlyAnAgentAtWorkIsSparedCaptures: whatever else it shows and goes on to change is captured at each poll.
func TestOnlyAnAgentAtWorkIsSparedCaptures(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"it asks":                             ask(t, "make"),
		"somebody types into its input":       screenOf(t, "claude/2.1.329-idle-120x40.ansi"),
		"nothing that nod knows is on screen": "what is this?",
	} {
		t.Run(name, func(t *testing.T) {
			atWork(t, func(_ *Watcher, s *stage, _ *audience, draw func(int) int) {
				s.show("%1", text)
				poll(2 * sparedUntil)
				s.sparedNow()
				for n := range 2 * sparedUntil {
					s.show("%1", text+fmt.Sprint("\n", n))
					poll(1)
				}
				if spared := s.sparedNow(); spared > 0 {
					t.Errorf("%d captures are spared", spared)
				}
			})
		})
	}
}

// TestADialogWithoutAHookIsToldThoughCapturesAreSpared, and one with a hook as soon as without: the gate's next look or the event shows it.
func TestADialogWithoutAHookIsToldThoughCapturesAreSpared(t *testing.T) {
	t.Parallel()
	for polls := range sparedUntil {
		for name, hooked := range map[string]bool{"by its hook": true, "without a hook": false} {
			t.Run(fmt.Sprint(polls, " ", name), func(t *testing.T) {
				atWork(t, func(w *Watcher, s *stage, a *audience, draw func(int) int) {
					if draw(8+polls) == 0 {
						t.Fatal("no capture is spared")
					}
					a.take()
					s.show("%1", ask(t, "make"))
					if hooked {
						send(t, w, event(Before, "make", "c3"), event(Asks, "make", ""))
						later()
					} else {
						poll(sparedUntil)
						later()
					}
					if got := prompted(t, a).Subject; !strings.HasPrefix(got, "make\n") {
						t.Errorf("%q is told", got)
					}
				})
			})
		}
	}
}

// TestTheEndOfAQuestionIsToldThoughCapturesAreSpared: the look after the first one without it is not spared.
func TestTheEndOfAQuestionIsToldThoughCapturesAreSpared(t *testing.T) {
	t.Parallel()
	for polls := range sparedUntil {
		atWork(t, func(_ *Watcher, s *stage, a *audience, draw func(int) int) {
			draw(8 + polls)
			s.show("%1", ask(t, "make"))
			poll(sparedUntil + 1)
			prompted(t, a)
			draw(2)
			if heard := a.take(); heard[len(heard)-1].State != screen.Working {
				t.Errorf("after %d polls: heard %s", polls, brief(heard))
			}
		})
	}
}

// TestAnAgentThatEndsWhileItsCapturesAreSparedIsSeenToEnd by the next capture that its shell's prompt leads to.
func TestAnAgentThatEndsWhileItsCapturesAreSparedIsSeenToEnd(t *testing.T) {
	t.Parallel()
	atWork(t, func(_ *Watcher, s *stage, a *audience, draw func(int) int) {
		draw(9)
		a.take()
		s.run("%1", shell())
		s.show("%1", "$ ")
		poll(sparedUntil + 1)
		synctest.Wait()
		if heard := a.take(); len(heard) == 0 || heard[len(heard)-1].State != screen.Shell {
			t.Errorf("heard %s", brief(heard))
		}
	})
}
