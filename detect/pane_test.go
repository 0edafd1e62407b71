package detect

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/host/tmux"
)

func TestAPromptIsToldOnceItIsStable(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		expect(t, a, "at first", "%1:working")
		later()
		expect(t, a, "after a second look", "%1:permission(ls)")
		time.Sleep(interval - moment)
		synctest.Wait()
		expect(t, a, "after a third", "%1:permission(ls)")
		s.show("%1", ask(t, "rm x"))
		poll(1)
		expect(t, a, "another prompt, seen once", "%1:permission!")
		later()
		expect(t, a, "another prompt, seen twice", "%1:permission(rm x)")
		if p := w.Panes(); len(p) != 1 || p[0].Prompt == nil || p[0].Where != "main:0.0" || p[0].Agent != "claude" {
			t.Errorf("the panes are %+v", p)
		}
	})
}

func TestAPromptThatLeavesIsUnseenFirst(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.show("%1", "nothing known")
		poll(1)
		expect(t, a, "one look without it", "%1:permission!")
		poll(1)
		expect(t, a, "two", "%1:working")
	})
}

func TestOneLookWithoutThePromptIsNotItsEnd(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(1)
		a.take()
		s.show("%1", "")
		poll(1)
		s.show("%1", ask(t, "ls"))
		poll(1)
		later()
		expect(t, a, "a redraw", "%1:permission! %1:permission %1:permission(ls)")
	})
}

func TestSilentAfterTwoMinutes(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "nothing that is known")
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		began := time.Now()
		time.Sleep(silentAfter - time.Millisecond)
		synctest.Wait()
		for _, heard := range a.take() {
			if heard.State != screen.Working {
				t.Fatalf("after %v it is %s", heard.At.Sub(began), heard.State)
			}
		}
		poll(1)
		expect(t, a, "after two minutes", "%1:silent")
		s.show("%1", "something else")
		poll(1)
		expect(t, a, "output", "%1:working")
	})
}

func TestTypingIntoTheInputBoxIsIdle(t *testing.T) {
	s := newStage(t)
	const draft = "half typed draft"
	idle := screenOf(t, "claude/2.1.329-idle-draft-80x24.txt")
	s.add("%1", "claude", idle)
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		expect(t, a, "at first", "%1:working")
		poll(1)
		expect(t, a, "an input box that is still", "%1:idle")
		for i := range 5 {
			s.show("%1", strings.Replace(idle, draft, draft+strings.Repeat("x", i+1), 1))
			poll(1)
			expect(t, a, "somebody types", "%1:idle")
		}
	})
}

func TestSinceIsWhenTheStateBegan(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		began := time.Now()
		at := began.Add(confirmAfter)
		poll(6)
		heard := a.take()
		if last := heard[len(heard)-1]; !last.Since.Equal(at) || !last.At.Equal(began.Add(6*interval)) {
			t.Errorf("since %v at %v, want since %v", last.Since, last.At, at)
		}
	})
}

func TestPresenceIsTold(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	s.add("%2", "claude", ask(t, "ls"))
	here, near := time.Unix(1000, 0), time.Unix(2000, 0)
	s.clients = []tmux.Client{{Pane: "%1", Activity: here}, {Pane: "%7", Activity: near}}
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		p := w.Panes()
		if !p[0].Here.Equal(here) || !p[0].Near.Equal(near) || !p[1].Here.IsZero() || !p[1].Near.Equal(near) {
			t.Errorf("presence %v %v, %v %v", p[0].Here, p[0].Near, p[1].Here, p[1].Near)
		}
	})
}

func TestAtIsWhenTheScreenWasRead(t *testing.T) {
	s := newStage(t)
	s.slow = 500 * time.Millisecond
	s.add("%1", "claude", "busy")
	var seen []Sighting
	watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
		poll(4)
		seen = a.take()
	})
	for i, got := range seen {
		if got.At.IsZero() || i > 0 && got.At.Before(seen[i-1].At) {
			t.Errorf("look %d is of %v", i, got.At)
		}
	}
	if len(seen) < 2 {
		t.Fatal("too few looks")
	}
	// A screen that is as it was is so since the poll began, at least.
	if late := seen[len(seen)-1].At.Sub(seen[0].At) % interval; late != interval-s.slow {
		t.Errorf("a look that found nothing new is %v off a poll's end", late)
	}
}

// TestAPaneThatSomebodyLooksAtIsReadAtEachPoll, though tmux says that it is as it was, and no longer than somebody looks.
func TestAPaneThatSomebodyLooksAtIsReadAtEachPoll(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, _ *audience) {
		poll(3)
		before := s.read
		poll(3)
		if s.read != before {
			t.Errorf("read %d times while nobody looks", s.read-before)
		}
		w.ViewUntil(w.Panes()[0].Pane, time.Now().Add(3*interval))
		shown := w.Panes()[0].Screen
		poll(6)
		if read := s.read - before; read < 2 || read > 3 {
			t.Errorf("read %d times in three polls with somebody looking, and three without", read)
		}
		if now := w.Panes()[0].Screen; &now[0] != &shown[0] || now[0].Text != "busy" {
			t.Errorf("what did not change is told as another screen: %v", now)
		}
	})
}

// TestASpinnerIsNotReadOnceMore: of an agent at work on whose screen only the spinner has changed it is told what it shows now; the
// screen is read again where anything else has, at another size, and where another program came to the foreground.
func TestASpinnerIsNotReadOnceMore(t *testing.T) {
	text, err := os.ReadFile("agents/testdata/claude/2.1.329-working-tool-120x40.ansi")
	if err != nil {
		t.Fatal(err)
	}
	spinner := regexp.MustCompile(`Symbioting….* tokens\)`)
	if !spinner.Match(text) {
		t.Fatal("the recorded screen shows no spinner")
	}
	shows := func(words string) string { return spinner.ReplaceAllString(string(text), words) }
	reads := 0
	p := newAgentPane(nil, tmux.Pane{ID: "%1"}, "claude", proc.ID{PID: 1}, time.Now())
	look := func(text string, width int) bool {
		before := reads
		p.takeCapture(tmux.Capture{Pane: tmux.Pane{ID: "%1", Width: width, Height: 40}, Text: text, Taken: time.Now()}, func(agent string, s screen.Screen) screen.Reading {
			reads++
			return agents.Read(agent, s)
		})
		return reads > before
	}
	if !look(shows("Symbioting… (11s · ↓ 110 tokens)"), 120) || p.reading.State != screen.Working {
		t.Fatalf("it was not read as work: %+v", p.reading)
	}
	told, looks := p.sighting(screen.Working, time.Now()), p.text.looks
	if look(shows("Symbioting… (12s · ↓ 120 tokens)"), 120) || p.text.looks != looks+1 {
		t.Error("the spinner alone was read, or counted as another screen")
	}
	now := p.sighting(screen.Working, time.Now())
	if !strings.Contains(strings.Join(told.Tail, "\n"), "11s") || !strings.Contains(strings.Join(now.Tail, "\n"), "12s") {
		t.Errorf("told was %q, and now %q", told.Tail, now.Tail)
	}
	if shown := screen.Parse(p.capture.Text).Drawn(nil); !slices.Equal(shown, now.Screen) || slices.Equal(shown, told.Screen) {
		t.Errorf("the screen is told as %v", now.Screen)
	}
	if !look(shows("Symbioting… (12s · ↓ 120 tokens, thinking)"), 120) {
		t.Error("other words were not read")
	}
	if !look(p.capture.Text, 119) {
		t.Error("another size was not read")
	}
	p.among(runs("npm"))
	for range 2 {
		if !look(p.capture.Text, 119) {
			t.Error("the screen was not read with another program in the foreground")
		}
	}
}

// TestACountdownIsOneQuestion: a dialog that says how long it waits, or has waited, is one question, however often it is looked at.
func TestACountdownIsOneQuestion(t *testing.T) {
	for name, shown := range map[string]string{
		"behind the question": "● I will do it.\n\n Run rm? (denied in %ds)\n ❯ Allow once\n   Deny\n\n ↑↓ select · enter confirm\n",
		"in a row":            "● I will do it.\n\n Run rm?\n Denied in %d seconds.\n ❯ Allow once\n   Deny\n\n ↑↓ select · enter confirm\n",
		"in a label":          "● I will do it.\n\n Run rm?\n ❯ Allow once\n   Deny [0:%02d]\n\n ↑↓ select · enter confirm\n",
		"behind a spinner":    "● I will do it.\n\n ⠋ Waiting %ds\n Run rm?\n ❯ Allow once\n   Deny\n\n ↑↓ select · enter confirm\n",
	} {
		for direction, seconds := range map[string]func(d time.Duration) int{
			"down": func(d time.Duration) int { return 59 - int(d.Seconds()) },
			"up":   func(d time.Duration) int { return 1 + int(d.Seconds()) },
		} {
			t.Run(name+" "+direction, func(t *testing.T) {
				s := newStage(t)
				s.add("%1", "goose", fmt.Sprintf(shown, seconds(0)))
				watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
					began, first := time.Now(), ""
					for range 12 {
						later()
						is := prompted(t, a).Fingerprint
						if first = cmp.Or(first, is); is != first {
							t.Errorf("after %v it is another question", time.Since(began))
							return
						}
						for range 2 {
							s.show("%1", fmt.Sprintf(shown, seconds(time.Since(began))))
							time.Sleep(interval / 2)
							synctest.Wait()
						}
					}
					s.show("%1", strings.Replace(fmt.Sprintf(shown, seconds(time.Since(began))), "Run rm", "Run rm -r", 1))
					poll(1)
					later()
					if prompted(t, a).Fingerprint == first {
						t.Error("another command is the same question")
					}
				})
			})
		}
	}
}

// TestTheSameWordsInOtherRowsAreAnotherQuestion: what is asked is told as it is drawn last, though no word of it is another, or only how long it
// waits.
func TestTheSameWordsInOtherRowsAreAnotherQuestion(t *testing.T) {
	for name, ticks := range map[string]int{"at rest": 0, "counting down": 1} {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			asks := func(command string) string {
				left := 59 - ticks*int(time.Since(began).Seconds())
				return fmt.Sprintf("● I will do it.\n\n%s\n\n Run it? (denied in %ds)\n ❯ Allow once\n   Deny\n\n ↑↓ select · enter confirm\n", command, left)
			}
			s := newStage(t)
			s.add("%1", "goose", "")
			watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
				began = time.Now()
				show := func(command string) *screen.Prompt {
					for range 8 {
						s.show("%1", asks(command))
						time.Sleep(interval / 2)
						synctest.Wait()
					}
					return prompted(t, a)
				}
				first := show("   echo a\n   rm -rf b").Fingerprint
				if p := show("   echo a rm -rf b"); p.Fingerprint == first {
					t.Errorf("it is still told as %q", p.Subject)
				}
			})
		})
	}
}

// TestAnotherTimeIsAnotherQuestion: a command with another length of time in it is another question, also if the times are just as far apart
// as the looks were.
func TestAnotherTimeIsAnotherQuestion(t *testing.T) {
	asks := func(seconds int) string {
		return fmt.Sprintf("● I will do it.\n\n Run sleep %ds?\n ❯ Allow once\n   Deny\n\n ↑↓ select · enter confirm\n", seconds)
	}
	for name, other := range map[string]func(waited int) int{
		"longer":                func(int) int { return 600 },
		"shorter":               func(int) int { return 1 },
		"less by what passed":   func(waited int) int { return 60 - waited },
		"longer by what passed": func(waited int) int { return 60 + waited },
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t)
			s.add("%1", "goose", asks(60))
			watch(t, []*stage{s}, func(_ *Watcher, a *audience) {
				began := time.Now()
				poll(3)
				first := prompted(t, a).Fingerprint
				s.show("%1", asks(other(int(time.Since(began).Seconds()))))
				poll(3)
				later()
				if prompted(t, a).Fingerprint == first {
					t.Error("it is taken for the question before")
				}
			})
		})
	}
}
