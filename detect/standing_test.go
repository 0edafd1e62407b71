package detect

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
)

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
	alone := agents.Read("claude", screen.Parse(tall)).Prompt
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
		"one more, with no input":    {event(Asks, tallCommand(), ""), event(Asks, "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, ofSession(Submitted))
				send(t, w, events...)
				s.show("%1", tall)
				poll(3)
				if p := prompted(t, a); !p.Partial || p.Source != screen.FromScreen || strings.HasPrefix(p.Subject, "echo tall-line-1 ") {
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
		events := recordedTurn(t, "codex-tall")
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
	sn, p := session{}, agents.Read("codex", screen.Parse(screenOf(t, "codex/0.169.0-tall-80x24.ansi"))).Prompt
	now := time.Now()
	for _, e := range recordedTurn(t, "codex-tall")[:5] {
		sn.hear(e, now)
	}
	stand := standingPrompt{fingerprint: p.Fingerprint, since: now}
	stand.stillStands(&sn, p, now)
	full := stand.withCall(&sn, p)
	if full.Partial || full.Source != screen.FromEvent || full.Fingerprint != p.Fingerprint || !strings.HasPrefix(full.Subject, "echo tall-line-1 ") || len(full.Subject) <= len(p.Subject) {
		t.Errorf("partial %v, from %q:\n%s", full.Partial, full.Source, full.Subject)
	}
	words := ""
	for _, e := range recordedTurn(t, "codex-tall")[5:] {
		sn.hear(e, now)
		words = e.Message
	}
	if len(sn.calls) != 0 || words != "Scenario escalate-tall finished after 1 tool turn(s)." {
		t.Errorf("after the turn %d calls are left, and the words are %q", len(sn.calls), words)
	}
}

// alone is the prompt that a screen of claude's shows, without any event.
func alone(screenText string) *screen.Prompt {
	return agents.Read("claude", screen.Parse(screenText)).Prompt
}

func TestTheCallThatTheAgentsEventTellsIsTheSubject(t *testing.T) {
	const command = "make  -j2\tall"
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, command, "c1"), event(Asks, command, ""))
		s.show("%1", ask(t, "make -j2 all"))
		later()
		p, shown := prompted(t, a), alone(ask(t, "make -j2 all"))
		first, _, _ := strings.Cut(p.Subject, "\n")
		if first != "make  -j2 all" || p.Source != screen.FromEvent || p.Partial || len(p.Doubts) > 0 || p.Lead != 1 || p.Call == "" {
			t.Errorf("%+v", p)
		}
		if p.Fingerprint != shown.Fingerprint || !slices.Equal(p.Approve, shown.Approve) || !slices.Equal(p.Rows, shown.Rows) {
			t.Errorf("what delivery goes by is not the screen's: %+v", p)
		}
	})
}

func TestAScreenThatTellsAnotherCallThanTheEventAsksForConsent(t *testing.T) {
	for name, tt := range map[string]struct {
		asks   HookEvent
		screen string
		says   string
	}{
		"another command":  {event(Asks, "rm x", ""), ask(t, "ls"), "rm x"},
		"a longer one":     {event(Asks, "ls && rm -rf /", ""), ask(t, "ls"), "ls && rm -rf /"},
		"a file":           {writes("/p/x", "evil"), ask(t, "ls"), "/p/x\nevil"},
		"another file":     {writes("/p/x", "evil"), screenOf(t, "claude/2.1.329-write-80x24.ansi"), "/p/x\nevil"},
		"other content":    {writes("/p/rig-new.txt", "evil"), screenOf(t, "claude/2.1.329-write-80x24.ansi"), "/p/rig-new.txt\nevil"},
		"an edit's dialog": {event(Asks, "rm x", ""), screenOf(t, "claude/2.1.329-edit-80x24.ansi"), "rm x"},
	} {
		t.Run(name, func(t *testing.T) {
			onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
				send(t, w, tt.asks)
				s.show("%1", tt.screen)
				later()
				p, shown := prompted(t, a), alone(tt.screen)
				if p.Subject != shown.Subject+"\nthe hook says: "+tt.says || p.Source != screen.FromScreen || p.Call == "" {
					t.Errorf("from %q, call %q, subject %q", p.Source, p.Call, p.Subject)
				}
				if !p.Partial || !slices.Contains(p.Doubts, otherCall) {
					t.Errorf("partial %v, doubts %+v", p.Partial, p.Doubts)
				}
				if p.Fingerprint != shown.Fingerprint || !slices.Equal(p.Approve, shown.Approve) {
					t.Errorf("%+v", p)
				}
			})
		})
	}
}

// writes is a request to write a file.
func writes(path, content string) HookEvent {
	e := event(Asks, "", "")
	e.Tool = "Write"
	e.Input, _ = json.Marshal(map[string]string{"file_path": path, "content": content})
	return e
}

func TestAFileThatTheEventTellsIsTheSubject(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, writes("/p/rig-new.txt", "hello from the rig\nsecond line\n"))
		s.show("%1", screenOf(t, "claude/2.1.329-write-80x24.ansi"))
		later()
		if p := prompted(t, a); p.Subject != "/p/rig-new.txt\nhello from the rig\nsecond line" || p.Source != screen.FromEvent || p.Verb == "" ||
			p.Diff != "@@\n+hello from the rig\n+second line\n" {
			t.Errorf("%+v", p)
		}
	})
}

// TestAPlanIsTheOneThatTheEventTells, whole, where the screen shows a part of it.
func TestAPlanIsTheOneThatTheEventTells(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		e := event(Asks, "", "")
		e.Tool, e.Input = "ExitPlanMode", json.RawMessage(`{"plan":"# First\n\nAll of it."}`)
		send(t, w, e)
		s.show("%1", screenOf(t, "claude/2.1.329-plan-80x24.ansi"))
		later()
		if p := prompted(t, a); p.Plan != "# First\n\nAll of it." || p.Diff != "" {
			t.Errorf("%q, %q", p.Plan, p.Diff)
		}
	})
}

// redrawn are screens that an agent drew one after the other for the same request.
type redrawn struct {
	Scenario, Agent, Permission string
	Input                       json.RawMessage
	Screens                     []string
}

func redrawnScreens(t *testing.T) (all []redrawn) {
	t.Helper()
	f, err := os.Open("testdata/redrawn.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for d := json.NewDecoder(f); d.More(); {
		var r redrawn
		if err := d.Decode(&r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	return all
}

// Some agents draw a dialog before they know all that it shows, and once more then: it is still about the call that waits, so the
// hook that waits for it gets the answer.
func TestADialogThatIsDrawnFurtherIsAboutTheSameCall(t *testing.T) {
	for _, r := range redrawnScreens(t) {
		t.Run(r.Scenario, func(t *testing.T) {
			for seed := range uint64(30) {
				random := rand.New(rand.NewPCG(seed, 9))
				s := newStage(t)
				s.add("%1", r.Agent, "busy")
				watch(t, []*stage{s}, func(w *Watcher, a *audience) {
					poll(1)
					e := event(Asks, "", "")
					e.Agent, e.Event, e.Tool, e.Input = r.Agent, "permission.asked", r.Permission, r.Input
					early := random.IntN(2) == 0
					if early {
						send(t, w, e)
					}
					for _, screen := range r.Screens {
						s.show("%1", screen)
						time.Sleep(time.Duration(random.IntN(1000)) * time.Millisecond)
						if !early {
							send(t, w, e)
							early = true
						}
					}
					poll(2)
					p := prompted(t, a)
					if p.Call != CallName(e) || p.Source != screen.FromEvent || p.Partial {
						t.Errorf("seed %d: %q of %q, partial %t", seed, p.Call, p.Subject, p.Partial)
					}
					// What another call looks like is not about this one.
					s.show("%1", strings.NewReplacer("hello", "bye", "/page", "/other").Replace(r.Screens[len(r.Screens)-1]))
					poll(2)
					if p := prompted(t, a); p.Source == screen.FromEvent {
						t.Errorf("seed %d: another subject is %q", seed, p.Subject)
					}
				})
			}
		})
	}
}

// Without a request nothing says that the one call that is known is what the screen asks about.
func TestACallThatIsOnlyAnnouncedDisputesNothing(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, "rm x", "c1"))
		s.show("%1", ask(t, "ls"))
		later()
		poll(1)
		if p, shown := prompted(t, a), alone(ask(t, "ls")); p.Subject != shown.Subject || p.Partial || p.Call != "" {
			t.Errorf("%+v", p)
		}
	})
}

func TestAHookAfterThePollTellsTheSamePrompt(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		s.show("%1", ask(t, "ls"))
		poll(1)
		later()
		before := prompted(t, a)
		send(t, w, event(Asks, "ls", ""))
		later()
		after := prompted(t, a)
		if before.Call != "" || after.Call == "" || after.Source != screen.FromEvent || !after.Same(before) || !before.Same(after) {
			t.Errorf("before %+v\nafter %+v", before, after)
		}
	})
}

// Two long commands look alike in a pane that shows only their ends.
func TestPromptsThatLookAlikeAreTwoWhereTheirCallsDiffer(t *testing.T) {
	tall, other := screenOf(t, "claude/2.1.329-bash-tall-80x24.ansi"), "rm -rf /\n"+tallCommand()
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		send(t, w, event(Before, tallCommand(), "c1"), event(Asks, tallCommand(), ""))
		s.show("%1", tall)
		later()
		first := prompted(t, a)
		send(t, w, event(Ran, tallCommand(), "c1"), event(Before, other, "c2"), event(Asks, other, ""))
		later()
		heard := a.take()
		last := heard[len(heard)-1]
		if last.Prompt == nil || last.Prompt.Fingerprint != first.Fingerprint || last.Prompt.Same(first) || last.Prompt.Subject != other || last.Prompt.Partial {
			t.Errorf("%+v", last.Prompt)
		}
		told := false
		for _, seen := range heard {
			told = told || seen.Proof == "approved" && seen.Prompt != nil && seen.Prompt.Call == last.Prompt.Call
		}
		if e := a.results(); !told || len(e) != 1 || e[0].Fingerprint != first.Fingerprint {
			t.Errorf("the first one is proven %v, %+v", told, e)
		}
		poll(2)
		if p := prompted(t, a); p.Call != last.Prompt.Call {
			t.Error("the second one does not stay")
		}
	})
}

// A request whose input was cut may be what is on the screen: nothing is certain of another one then.
func TestACutInputProvesNothing(t *testing.T) {
	now := time.Now()
	p := agents.Read("claude", screen.Parse(ask(t, "ls"))).Prompt
	long := event(Asks, strings.Repeat("x", 100), "")
	long.InputCut = true
	sn := session{}
	sn.hear(long, now)
	if c := sn.about(p, now); c != nil {
		t.Error("a prompt is taken to be about a call that is not known whole")
	}
	sn.hear(event(Asks, "ls", ""), now)
	stand := standingPrompt{fingerprint: p.Fingerprint, since: now}
	if stand.withCall(&sn, p) != p {
		t.Error("one of two requests is taken for the one on the screen")
	}
	sn = session{}
	before := event(Before, "make", "c1")
	before.InputCut = true
	sn.hear(before, now)
	if c := sn.hear(event(Ran, "make", "c1"), now); c.provable() {
		t.Error("its end proves something")
	}
}
