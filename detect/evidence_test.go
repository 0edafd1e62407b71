package detect

import (
	"strings"
	"testing"
	"time"

	"nod/detect/screen"
)

func TestHookMakesNoPrompt(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, _ *stage, a *audience) {
		send(t, w, event(Before, "rm x", "c1"), event(Asks, "rm x", ""))
		poll(5)
		for _, s := range a.take() {
			if s.Prompt != nil || s.State.Asks() {
				t.Errorf("an event alone made %s", brief([]Sighting{s}))
			}
		}
	})
}

func TestHookEndsNoNudgeWhoseFingerprintStands(t *testing.T) {
	onePane(t, ask(t, "ls"), func(w *Watcher, _ *stage, a *audience) {
		send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
		poll(1)
		a.take()
		send(t, w, event(Ran, "ls", "c1"), ofSession(Stopped), ofSession(Submitted), ofSession(Ended))
		poll(3)
		for _, s := range a.take() {
			if s.Proof != "" || s.Unseen || s.Prompt == nil || s.State != screen.Permission {
				t.Errorf("while the prompt stands, heard %s", brief([]Sighting{s}))
			}
		}
		if e := a.results(); len(e) != 0 {
			t.Errorf("while the prompt stands, %+v", e)
		}
	})
}

// The agent asks the same thing again, and nothing reports the second time.
func TestAnEventThatTheScreenContradictsProvesNothing(t *testing.T) {
	for name, told := range map[string]HookEvent{"its call": event(Ran, "ls", "c1"), "its turn": ofSession(Stopped), "its hook": event(Denied, "ls", "")} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, ofSession(Submitted), event(Before, "ls", "c1"), event(Asks, "ls", ""))
				s.show("%1", ask(t, "ls"))
				later()
				send(t, w, told)
				poll(2)
				s.show("%1", "busy")
				poll(2)
				if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
					t.Errorf("proven %q, %+v", got, e)
				}
			})
		})
	}
}

func TestOnlyItsOwnPostEventProves(t *testing.T) {
	ran := func(command, id string) HookEvent { return event(Ran, command, id) }
	failed := ran("ls", "c1")
	failed.Failed, failed.Took = true, 12*time.Second
	other := ran("ls", "c1")
	other.Session = "s2"
	for name, tt := range map[string]struct {
		after  []HookEvent
		proof  string
		effect bool
	}{
		"its own":                   {[]HookEvent{ran("ls", "c1")}, "approved", true},
		"its own, which failed":     {[]HookEvent{failed}, "approved", true},
		"by tool and input":         {[]HookEvent{ran("ls", "")}, "approved", true},
		"another call":              {[]HookEvent{ran("pwd", "c2")}, "", false},
		"another call of its input": {[]HookEvent{ran("ls", "c2")}, "", false},
		"another session's":         {[]HookEvent{other}, "", false},
		"a bare event":              {[]HookEvent{ofSession(Ran)}, "", false},
		"the end of the turn":       {[]HookEvent{ofSession(Stopped)}, "answered", false},
		"the next instruction":      {[]HookEvent{ofSession(Submitted)}, "answered", false},
		"the end of the session":    {[]HookEvent{ofSession(Ended)}, "answered", false},
		"its hook, ended":           {[]HookEvent{event(Denied, "ls", "")}, "denied", false},
		"another hook, ended":       {[]HookEvent{event(Denied, "pwd", "")}, "", false},
		"nothing":                   {nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, ofSession(Submitted), event(Before, "ls", "c1"), event(Asks, "ls", ""))
				s.show("%1", ask(t, "ls"))
				later()
				asked := prompted(t, a)
				s.show("%1", "busy")
				send(t, w, tt.after...)
				later()
				poll(2)
				if got := proofs(a); got != tt.proof {
					t.Errorf("proven %q, want %q", got, tt.proof)
				}
				effects := a.results()
				if len(effects) > 1 || (len(effects) == 1) != tt.effect {
					t.Fatalf("effects %+v", effects)
				}
				if tt.effect {
					e, post := effects[0], tt.after[0]
					if e.Fingerprint != asked.Fingerprint || e.Pane.ID != "%1" || e.Failed != post.Failed || post.Took > 0 && e.Took != post.Took || e.At.IsZero() {
						t.Errorf("effect %+v", e)
					}
				}
			})
		})
	}
}

func TestAProofIsToldForAWhileAndThenNoMore(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
		s.show("%1", ask(t, "ls"))
		later()
		s.show("%1", "busy")
		poll(20)
		a.take()
		send(t, w, event(Ran, "ls", "c1"))
		poll(1)
		if got := proofs(a); got != "approved" {
			t.Errorf("an event long after the prompt: proven %q", got)
		}
		poll(10)
		a.take()
		poll(2)
		s.show("%1", ask(t, "pwd"))
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("long after the event: proven %q", got)
		}
	})
}

func TestAPromptThatReplacesAnotherCarriesItsProof(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
		s.show("%1", ask(t, "ls"))
		later()
		a.take()
		s.show("%1", ask(t, "pwd"))
		send(t, w, event(Ran, "ls", "c1"), event(Before, "pwd", "c2"), event(Asks, "pwd", ""))
		later()
		told := 0
		for _, s := range a.take() {
			if s.Proof == "approved" {
				told++
			}
			if s.Prompt != nil && s.Proof != "" && !strings.HasPrefix(s.Prompt.Subject, "pwd") {
				t.Errorf("a prompt that stands is proven: %s", brief([]Sighting{s}))
			}
		}
		if told == 0 {
			t.Error("the proof was never told")
		}
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("the proof of the prompt before is told of the next one: %q", got)
		}
		s.show("%1", "busy")
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("the second prompt is proven %q", got)
		}
	})
}

func TestAnEffectFollowsTheLookThatShowsThePromptGone(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
		s.show("%1", ask(t, "ls"))
		later()
		a.take()
		seen := 0
		w.cfg.Ran = func(e Effect) {
			for _, s := range a.take() {
				if s.Prompt == nil && s.Proof == "approved" {
					seen++
				}
			}
		}
		s.show("%1", "busy")
		send(t, w, event(Ran, "ls", "c1"))
		later()
		if seen == 0 {
			t.Error("the effect came before the look")
		}
	})
}

func TestALateEffectTellsHowLongItTook(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "make", "c1"), event(Asks, "make", ""))
		s.show("%1", ask(t, "make"))
		later()
		s.show("%1", "busy")
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("proven %q before anything was told", got)
		}
		time.Sleep(time.Minute)
		send(t, w, event(Ran, "make", "c1"))
		later()
		effects := a.results()
		if len(effects) != 1 || effects[0].Took < time.Minute || effects[0].Took > time.Minute+2*interval {
			t.Errorf("effects %+v", effects)
		}
		send(t, w, event(Ran, "make", "c1"))
		later()
		if e := a.results(); len(e) != 0 {
			t.Errorf("an event that came twice: %+v", e)
		}
	})
}

func TestARealTurnIsProven(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		events := recordedTurn(t, "claude-parallel")
		first, second := screenOf(t, "claude/2.1.329-parallel-120x40.ansi"), screenOf(t, "claude/2.1.329-parallel+approved-120x40.ansi")
		send(t, w, events[:5]...)
		s.show("%1", first)
		later()
		asked := prompted(t, a)
		s.show("%1", "busy")
		send(t, w, events[5])
		later()
		if got := proofs(a); got != "approved" {
			t.Errorf("the first call: proven %q", got)
		}
		if e := a.results(); len(e) != 1 || e[0].Fingerprint != asked.Fingerprint || e[0].Took != 121*time.Millisecond {
			t.Errorf("the first call: %+v", e)
		}
		send(t, w, events[6:]...)
		s.show("%1", second)
		later()
		a.take()
		s.show("%1", "busy")
		poll(3)
		if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
			t.Errorf("the second call, of which nothing was told: proven %q, %+v", got, e)
		}
	})
}

func TestSubagentsProveNothing(t *testing.T) {
	part := func(e HookEvent) HookEvent { e.Subagent = true; return e }
	for name, after := range map[string]HookEvent{
		"its tool ran":    part(event(Ran, "pwd", "p1")),
		"it stopped":      part(ofSession(Stopped)),
		"it was prompted": part(ofSession(Submitted)),
		"it ended":        part(ofSession(Ended)),
	} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""), part(event(Before, "pwd", "p1")))
				s.show("%1", ask(t, "ls"))
				later()
				a.take()
				s.show("%1", "busy")
				send(t, w, after)
				poll(2)
				if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
					t.Errorf("proven %q, %+v", got, e)
				}
			})
		})
	}
}

// The end of the main turn comes while a part of it works on and asks (a recorded order of events).
func TestTheTurnsEndProvesNothingOfASubagentsPrompt(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		events := recordedTurn(t, "claude-task")
		send(t, w, events[:8]...)
		s.show("%1", ask(t, "touch rig-simple-ran"))
		later()
		asked := prompted(t, a)
		s.show("%1", "busy")
		stop := events[5]
		send(t, w, stop)
		later()
		if got := proofs(a); got != "" {
			t.Errorf("the main turn's end: proven %q", got)
		}
		s.show("%1", ask(t, "touch rig-simple-ran"))
		later()
		poll(2)
		a.take()
		s.show("%1", "busy")
		send(t, w, events[8:]...)
		later()
		if got := proofs(a); got != "approved" {
			t.Errorf("its own event: proven %q", got)
		}
		if e := a.results(); len(e) != 1 || e[0].Fingerprint != asked.Fingerprint || e[0].Took != 364*time.Millisecond {
			t.Errorf("effects %+v", e)
		}
	})
}

func TestSiblingsAreAmbiguous(t *testing.T) {
	for name, post := range map[string]HookEvent{"with an id": event(Ran, "ls", "c1"), "without": event(Ran, "ls", "")} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""), event(Before, "ls", "c2"), event(Asks, "ls", ""))
				s.show("%1", ask(t, "ls"))
				later()
				a.take()
				s.show("%1", "busy")
				send(t, w, post)
				poll(2)
				if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
					t.Errorf("of two that are alike: proven %q, %+v", got, e)
				}
			})
		})
	}
}

// Two calls that are alike were announced, and one of them asked: the event does not say which.
func TestOneOfTwoThatAreAlikeIsAmbiguous(t *testing.T) {
	for _, id := range []string{"c1", "c2"} {
		onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
			send(t, w, event(Before, "ls", "c1"), event(Before, "ls", "c2"), event(Asks, "ls", ""))
			s.show("%1", ask(t, "ls"))
			later()
			a.take()
			s.show("%1", "busy")
			send(t, w, event(Ran, "ls", id))
			poll(2)
			if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
				t.Errorf("%s: proven %q, %+v", id, got, e)
			}
		})
	}
}

func TestSessionInsideASession(t *testing.T) {
	inside := func(e HookEvent) HookEvent { e.Session, e.Caller = "s2", agentInside; return e }
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, ofSession(Started), ofSession(Submitted), event(Before, "claude -p x", "c1"), event(Asks, "claude -p x", ""))
		s.show("%1", ask(t, "claude -p x"))
		later()
		a.take()
		looks := s.looks()
		send(t, w, inside(ofSession(Started)), inside(ofSession(Submitted)), inside(event(Before, "rm y", "i1")),
			inside(event(Asks, "rm y", "")), inside(event(Ran, "claude -p x", "c1")), inside(ofSession(Stopped)), inside(ofSession(Ended)))
		later()
		if s.looks() != looks {
			t.Errorf("an agent inside the agent caused %d looks", s.looks()-looks)
		}
		s.show("%1", "busy")
		poll(2)
		if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
			t.Errorf("proven %q, %+v", got, e)
		}
		send(t, w, event(Ran, "claude -p x", "c1"))
		later()
		if e := a.results(); len(e) != 1 {
			t.Errorf("the outer session is still known: %+v", e)
		}
	})
}

func TestWhoIsNotTheAgentProvesNothing(t *testing.T) {
	for _, caller := range []int{0, 77, unrelatedProcess, tool} {
		onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
			from := func(e HookEvent) HookEvent { e.Caller = caller; return e }
			send(t, w, from(event(Before, "ls", "c1")), from(event(Asks, "ls", "")))
			s.show("%1", ask(t, "ls"))
			later()
			if got := brief(a.take()); !strings.Contains(got, "%1:permission(ls)@hook") {
				t.Errorf("it is a reason to look all the same: heard %q", got)
			}
			s.show("%1", "busy")
			send(t, w, from(event(Ran, "ls", "c1")), from(ofSession(Stopped)))
			poll(2)
			if got, e := proofs(a), a.results(); got != "" || len(e) != 0 {
				t.Errorf("proven %q, %+v", got, e)
			}
		})
	}
}

func TestAWrapperIsTheAgentItself(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		from := func(e HookEvent) HookEvent { e.Caller = wrapped; return e }
		send(t, w, from(event(Before, "ls", "c1")), from(event(Asks, "ls", "")))
		s.show("%1", ask(t, "ls"))
		later()
		a.take()
		s.show("%1", "busy")
		send(t, w, from(event(Ran, "ls", "c1")))
		later()
		if got := proofs(a); got != "approved" {
			t.Errorf("proven %q", got)
		}
	})
}
