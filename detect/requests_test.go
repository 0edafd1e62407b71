package detect

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/internal/proc"
)

// Who sends an event in these tests: a hook of the agent that the stage runs, or of one further down.
const (
	own = iota + 1
	wrapped
	agentInside
	unrelatedProcess
)

// lineage is the ancestors of a sender.
func lineage(pid int) ([]proc.Process, error) {
	agent := runs("claude")[0]
	agent.Group = 1
	hook := proc.Process{ID: proc.ID{PID: 1<<30 - 1}, Comm: "sh", Exe: "/bin/sh", Args: []string{"sh", "-c", "nod hook claude"}}
	child := proc.Process{ID: proc.ID{PID: 1<<30 - 2}, Group: 1, Comm: "claude", Exe: "/opt/claude", Args: []string{"claude"}}
	switch pid {
	case own:
		return []proc.Process{hook, agent}, nil
	case wrapped:
		return []proc.Process{hook, child, agent}, nil
	case agentInside:
		shell := proc.Process{ID: proc.ID{PID: 1<<30 - 3}, Group: 2, Comm: "bash", Exe: "/bin/bash", Args: []string{"bash", "-c", "claude -p x"}}
		child.Group = 2
		return []proc.Process{hook, child, shell, agent}, nil
	case unrelatedProcess:
		return []proc.Process{hook}, nil
	}
	return nil, errors.New("no such process")
}

// turn is the recorded events of a real agent, in order.
func turn(t *testing.T, name string) []HookEvent {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "turns", name+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var events []HookEvent
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r recorded
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		e, err := ParseHook(r.Agent, r.In, fmt.Sprintf("/tmp/s,%d,0", os.Getpid()), "%1")
		if err != nil {
			t.Fatal(err)
		}
		e.Caller = own
		events = append(events, e)
	}
	return events
}

// event is one of claude's, about one call.
func event(kind HookKind, command, id string) HookEvent {
	e := HookEvent{
		Agent: "claude", Kind: kind, Session: "s1", Tool: "Bash", Call: id, Caller: own,
		Socket: "/tmp/s", ServerPID: os.Getpid(), Pane: "%1",
	}
	if command != "" {
		e.Input, _ = json.Marshal(map[string]string{"command": command, "description": "What it is for"})
	}
	if kind == Asks {
		e.Event, e.Call = "PermissionRequest", ""
	}
	return e
}

// ofSession is an event of no call.
func ofSession(kind HookKind) HookEvent {
	e := event(kind, "", "")
	e.Tool = ""
	return e
}

// send gives the watcher events, one after the other.
func send(t *testing.T, w *Watcher, events ...HookEvent) {
	t.Helper()
	for _, e := range events {
		if !w.Hook(e) {
			t.Fatalf("%s of %s was not taken", e.Kind, e.Socket)
		}
		synctest.Wait()
	}
}

// proofs are the proofs among what was heard since the last time. A proof is told at every look until another
// prompt stands there.
func proofs(a *audience) string {
	var all []string
	for _, s := range a.take() {
		if s.Proof != "" && !slices.Contains(all, s.Proof) {
			all = append(all, s.Proof)
		}
	}
	return strings.Join(all, " ")
}

// onePane is a stage with one claude, met and polled.
func onePane(t *testing.T, screen string, test func(w *Watcher, s *stage, a *audience)) {
	t.Helper()
	s := newStage(t)
	s.add("%1", "claude", screen)
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		test(w, s, a)
	})
}

// later lets a moment pass that is shorter than a poll's interval.
func later() {
	time.Sleep(300 * time.Millisecond)
	synctest.Wait()
}

// prompted is the last prompt that was heard of.
func prompted(t *testing.T, a *audience) *Prompt {
	t.Helper()
	var last *Prompt
	for _, s := range a.take() {
		if s.Prompt != nil {
			last = s.Prompt
		}
	}
	if last == nil {
		t.Fatal("no prompt was heard of")
	}
	return last
}

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
			if s.Proof != "" || s.Unseen || s.Prompt == nil || s.State != Permission {
				t.Errorf("while the prompt stands, heard %s", brief([]Sighting{s}))
			}
		}
		if e := a.results(); len(e) != 0 {
			t.Errorf("while the prompt stands, %+v", e)
		}
	})
}

// The agent asks the same thing again, and nothing tells of the second time.
func TestAnEventThatTheScreenContradictsProvesNothing(t *testing.T) {
	for name, told := range map[string]HookEvent{"its call": event(Ran, "ls", "c1"), "its turn": ofSession(Stopped)} {
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
			if s.Prompt != nil && s.Proof != "" && s.Prompt.Subject != "pwd" {
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
		events := turn(t, "claude-parallel")
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
		events := turn(t, "claude-task")
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

func TestWhoCannotBeToldProvesNothing(t *testing.T) {
	for _, caller := range []int{0, 77, unrelatedProcess} {
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

// tallCommand is the one that the recorded tall dialogs ask about.
func tallCommand() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "echo tall-line-%d >> rig-tall.txt\n", i+1)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestAHookTellsTheWholeSubject(t *testing.T) {
	tall := screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi")
	alone := Read("claude", ParseScreen(tall)).Prompt
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""))
		s.show("%1", tall)
		later()
		p := prompted(t, a)
		if p.Partial || p.Subject != tallCommand() || p.Fingerprint != alone.Fingerprint || !alone.Partial {
			t.Errorf("partial %v, fingerprint kept %v, subject:\n%s", p.Partial, p.Fingerprint == alone.Fingerprint, p.Subject)
		}
	})
}

func TestPartialStaysPartialWithTwoRequests(t *testing.T) {
	tall := screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi")
	part := func(e HookEvent) HookEvent { e.Subagent = true; return e }
	for name, events := range map[string][]HookEvent{
		"two requests": {
			event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""),
			part(event(Before, "pwd", "c2")), part(event(Asks, "pwd", "")),
		},
		"two of the same": {event(Asks, tallCommand(), ""), event(Asks, tallCommand(), "")},
		"none":            nil,
		"one that is over": {
			event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""), event(Ran, tallCommand(), "c1"),
		},
		"one of a turn that is over": {event(Asks, tallCommand(), ""), ofSession(Submitted)},
		"another command":            {event(Asks, "rm -rf /", "")},
		"another order":              {event(Asks, strings.Replace(tallCommand(), "line-50", "line-05", 1), "")},
		"an event with no input":     {ofSession(Asks)},
	} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, ofSession(Submitted))
				send(t, w, events...)
				s.show("%1", tall)
				poll(3)
				if p := prompted(t, a); !p.Partial || strings.Contains(p.Subject, "tall-line-1 ") {
					t.Errorf("partial %v, subject:\n%s", p.Partial, p.Subject)
				}
			})
		})
	}
}

// What is hidden may be another thing by now, although what is visible is the same.
func TestASecondRequestMakesAWholeSubjectPartialAgain(t *testing.T) {
	tall := screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi")
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""))
		s.show("%1", tall)
		later()
		if p := prompted(t, a); p.Partial {
			t.Fatal("the subject is not whole")
		}
		poll(2)
		send(t, w, event(Before, "rm -rf /\n"+tallCommand(), "c2"), event(Asks, "rm -rf /\n"+tallCommand(), ""))
		later()
		if p := prompted(t, a); !p.Partial {
			t.Errorf("a second request waits, and the subject is still whole:\n%s", p.Subject)
		}
	})
}

func TestARealCodexTurnFillsTheSubject(t *testing.T) {
	s := newStage(t)
	s.add("%1", "codex", "busy")
	watch(t, []*stage{s}, func(w *Watcher, a *audience) {
		poll(1)
		// The lineage of these tests is a claude's; to a codex that would be another agent.
		events := turn(t, "codex-tall")
		for i := range events {
			events[i].Caller = unrelatedProcess
		}
		send(t, w, events[:5]...)
		s.show("%1", screenOf(t, "codex/0.169.0-tall-80x24.ansi"))
		later()
		if p := prompted(t, a); !p.Partial {
			t.Error("a stranger's event filled the subject")
		}
	})
	sn, p := session{}, Read("codex", ParseScreen(screenOf(t, "codex/0.169.0-tall-80x24.ansi"))).Prompt
	now := time.Now()
	for _, e := range turn(t, "codex-tall")[:5] {
		sn.hear(e, now)
	}
	stand := standing{print: p.Fingerprint, drawn: now}
	stand.on(&sn, p, now)
	full, disagree := stand.fuller(&sn, p)
	if full.Partial || disagree || full.Fingerprint != p.Fingerprint || !strings.HasPrefix(full.Subject, "echo tall-line-1 ") || len(full.Subject) <= len(p.Subject) {
		t.Errorf("partial %v, disagree %v:\n%s", full.Partial, disagree, full.Subject)
	}
	for _, e := range turn(t, "codex-tall")[5:] {
		sn.hear(e, now)
	}
	if len(sn.calls) != 0 || sn.words != "Scenario escalate-tall finished after 1 tool turn(s)." {
		t.Errorf("after the turn %d calls are left, and the words are %q", len(sn.calls), sn.words)
	}
}

func TestScreenAndHookThatDisagreeAreBothShown(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "rm x", "c1"), event(Asks, "rm x", ""))
		s.show("%1", ask(t, "ls"))
		later()
		p, screen := prompted(t, a), Read("claude", ParseScreen(ask(t, "ls"))).Prompt
		if p.Subject != "ls\nthe hook says: rm x" || p.Fingerprint != screen.Fingerprint || strings.Join(p.Approve, " ") != strings.Join(screen.Approve, " ") {
			t.Errorf("%+v", p)
		}
	})
}

func TestStateOfADeadSessionIsForgotten(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, _ *audience) {
		l := w.lookout("/tmp/s")
		fill := func() {
			send(t, w, event(Before, "ls", "c1"), event(Asks, "ls", ""))
			if got := l.sessions["%1"]; got == nil || len(got.calls) != 1 {
				t.Fatalf("the session is %+v", got)
			}
		}
		forgotten := func(when string) {
			t.Helper()
			synctest.Wait()
			if len(l.sessions) != 0 {
				t.Errorf("%s: %+v", when, l.sessions["%1"])
			}
		}
		fill()
		s.run("%1", shell())
		poll(1)
		forgotten("the agent has exited")
		s.run("%1", runs("claude"))
		poll(2)
		fill()
		s.do(func() { s.life.Start++; s.owner = "" })
		poll(1)
		forgotten("the server was started anew")
		poll(1)
		fill()
		s.do(func() { delete(s.panes, "%1") })
		poll(1)
		forgotten("the pane is closed")
	})
	sn := &session{}
	now := time.Now()
	for i := range 10 * callsLimit {
		sn.hear(event(Asks, fmt.Sprint("cmd", i), ""), now)
	}
	if len(sn.calls) > callsLimit || len(sn.open(now)) != 0 {
		t.Errorf("%d calls are kept, %d count", len(sn.calls), len(sn.open(now)))
	}
	sn.hear(ofSession(Before), now.Add(callAge+time.Hour))
	if len(sn.calls) != 1 {
		t.Errorf("%d calls are kept for ever", len(sn.calls))
	}
	for range 10 {
		sn.hear(HookEvent{Kind: Asks, Session: "s1", Input: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}, now)
	}
	size := 0
	for _, c := range sn.calls {
		size += len(c.input)
	}
	if size > inputLimit {
		t.Errorf("%d bytes are kept", size)
	}
}

func TestANewSessionReplacesTheOld(t *testing.T) {
	next := func(e HookEvent) HookEvent { e.Session = "s2"; return e }
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, ofSession(Started), event(Before, "old", "c1"), event(Asks, "old", ""))
		send(t, w, next(ofSession(Started)), next(event(Before, tallCommand(), "c2")), next(event(Asks, tallCommand(), "")))
		s.show("%1", screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"))
		later()
		if p := prompted(t, a); p.Partial {
			t.Error("the old session's request still counts")
		}
		s.show("%1", "busy")
		send(t, w, ofSession(Stopped))
		poll(2)
		if got := proofs(a); got != "" {
			t.Errorf("the old session's end proves %q", got)
		}
	})
}

func TestEventsThatAreLostProveNothing(t *testing.T) {
	sn := &session{}
	now := time.Now()
	sn.hear(event(Asks, "ls", ""), now)
	sn.overflow()
	sn.hear(event(Asks, "pwd", ""), now)
	if open := sn.open(now); len(open) != 0 {
		t.Errorf("%d calls count as all there are", len(open))
	}
	sn.hear(ofSession(Stopped), now)
	sn.hear(event(Asks, "pwd", ""), now)
	if open := sn.open(now); len(open) != 1 {
		t.Errorf("after the turn %d calls count", len(open))
	}
	b := newInbox()
	for range inboxEvents + 1 {
		b.put(heard{HookEvent: event(Before, "ls", "c1")})
	}
	if events, lost := b.take(); len(events) != inboxEvents || !lost {
		t.Errorf("%d events, lost %v", len(events), lost)
	}
	if events, lost := b.take(); len(events) != 0 || lost {
		t.Errorf("then %d events, lost %v", len(events), lost)
	}
}
