package keeper_test

import (
	"cmp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/words"
	"nod/nudge"
)

func TestNeverSentWhileAQuestionStands(t *testing.T) {
	for _, look := range []detect.Sighting{shows("%1", permission("make")), asks("%1", permission("Which?"))} {
		inIdleBubble(t, func(w *world) {
			n := w.see(look)
			i := w.queue("one")
			if !strings.Contains(words.Why(i.Held), "question") {
				w.Errorf("held for %q", words.Why(i.Held))
			}
			time.Sleep(time.Minute)
			w.wantTexts()
			// A single look is not enough: the question may still be there.
			idle := is("%1", screen.Idle)
			idle.Since, idle.At = time.Now(), time.Now()
			if err := w.See(idle); err != nil {
				w.Fatal(err)
			}
			synctest.Wait()
			w.wantTexts()
			w.see(idle)
			w.see(idle)
			synctest.Wait()
			w.wantTexts("one")
			w.wantState(n.ID, nudge.Recovered)
		})
	}
}

// TestNeverSentWhileAnExpiredQuestionStands: nobody is reminded of the question any more, but it is still on
// the screen.
func TestNeverSentWhileAnExpiredQuestionStands(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		w.queue("one")
		w.tell()
		time.Sleep(9 * time.Hour)
		w.tick()
		w.wantState(n.ID, nudge.Expired)
		idle := is("%1", screen.Idle)
		idle.Since = time.Now()
		w.see(idle)
		synctest.Wait()
		w.wantTexts()
	})
}

func TestNeverSentOverADraft(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.refuseNext(deliver.Draft)
		w.look(screen.Idle)
		i := w.queue("one")
		time.Sleep(12 * time.Second)
		w.wantInstruction(i.ID, nudge.Queued)
		list, err := w.Instructions(nil)
		if err != nil || len(list) != 1 || list[0].Held.Said != "because" {
			w.Fatalf("listed %+v, %v", list, err)
		}
		w.wantTexts("one", "one", "one") // the pane was asked three times in 12 s
		events, _ := w.store.Tail(20)
		refused := 0
		for _, e := range events {
			if e.Kind == nudge.AnswerRefused {
				refused++
			}
		}
		if refused != 1 {
			w.Errorf("noted %d times", refused)
		}
		w.typist.mu.Lock()
		if len(w.typist.began) != 0 {
			w.Error("it counted as sent")
		}
		w.typist.mu.Unlock()
		w.refuseNext("")
		time.Sleep(6 * time.Second)
		w.wantInstruction(i.ID, nudge.Sent)
	})
}

func TestNeverSentWhileSomebodyIsAtThePane(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		s := is("%1", screen.Idle)
		s.Since, s.Here = time.Now(), time.Now()
		w.see(s)
		if i := w.queue("one"); !strings.Contains(words.Why(i.Held), "Somebody") {
			w.Errorf("held for %q", words.Why(i.Held))
		}
		time.Sleep(59 * time.Second)
		w.wantTexts()
		time.Sleep(2 * time.Second)
		w.wantTexts("one")
	})
}

// TestAQueueThatWaitsForATimeIsLookedAtEachMinute: a timer for that time would stand still while the machine sleeps.
func TestAQueueThatWaitsForATimeIsLookedAtEachMinute(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.rules.Presence = 8 * time.Hour
		s := is("%1", screen.Idle)
		s.Since, s.Here = time.Now(), time.Now()
		w.see(s)
		w.queue("one")
		w.see(s)
		time.Sleep(time.Hour)
		w.wantTexts()
		s.Here = time.Now().Add(-8 * time.Hour) // as if the other seven hours were over, of which no timer knows
		w.see(s)
		synctest.Wait()
		w.wantTexts()
		time.Sleep(time.Minute)
		w.wantTexts("one")
	})
}

func TestNeverSentIntoAnotherAgentSessionOrProject(t *testing.T) {
	for name, change := range map[string]func(*detect.Sighting){
		"process": func(s *detect.Sighting) { s.Process = proc.ID{PID: 8, Start: 80} },
		"agent":   func(s *detect.Sighting) { s.Agent = "codex" },
		"session": func(s *detect.Sighting) { s.Session = "other" },
		"shell":   func(s *detect.Sighting) { s.State = screen.Shell },
		"gone":    func(s *detect.Sighting) { s.State = screen.Gone },
	} {
		t.Run(name, func(t *testing.T) {
			inIdleBubble(t, func(w *world) {
				s := is("%1", screen.Working)
				s.Session, s.Since = "mine", time.Now()
				w.see(s)
				first, second := w.queue("one"), w.queue("two")
				time.Sleep(time.Second)
				s.State, s.At, s.Since = screen.Idle, time.Time{}, time.Now()
				change(&s)
				w.see(s)
				time.Sleep(time.Minute)
				w.wantTexts()
				i := w.wantInstruction(first.ID, nudge.Cancelled)
				w.wantInstruction(second.ID, nudge.Cancelled)
				told := w.outcomes()
				if len(told) != 1 || told[0].Of.(*nudge.Instruction).ID != first.ID || strings.Join(i.Also, "") != "two" || i.Detail.IsZero() {
					w.Errorf("told %+v", told)
				}
			})
		})
	}
	t.Run("project", func(t *testing.T) {
		inIdleBubble(t, func(w *world) {
			w.look(screen.Working)
			i := w.queue("one")
			time.Sleep(time.Second)
			s := is("%1", screen.Idle)
			s.Project, s.Since = "other", time.Now()
			w.see(s)
			time.Sleep(time.Minute)
			w.wantTexts()
			w.wantInstruction(i.ID, nudge.Queued)
			if list, _ := w.Instructions(nil); !strings.Contains(words.Why(list[0].Held), "other") {
				w.Errorf("held for %+v", list[0].Held)
			}
		})
	})
}

// TestAQuestionIsTheHoldThatIsNamed: of all that holds a queue, a question is what a person can act on.
func TestAQuestionIsTheHoldThatIsNamed(t *testing.T) {
	for _, look := range []detect.Sighting{shows("%1", permission("make")), asks("%1", permission("Which?"))} {
		for name, before := range map[string]func(*world){
			"another is in flight": func(w *world) { w.look(screen.Idle); w.queue("zero") },
			"at work":              func(w *world) { w.look(screen.Working) },
			"another project": func(w *world) {
				s := is("%1", screen.Working)
				s.Project = "other"
				w.see(s)
			},
		} {
			t.Run(name, func(t *testing.T) {
				inIdleBubble(t, func(w *world) {
					before(w)
					w.queue("one")
					time.Sleep(time.Second)
					w.see(look)
					list, err := w.Instructions(nil)
					if err != nil || len(list) == 0 || !strings.Contains(words.Why(list[len(list)-1].Held), "question") {
						w.Errorf("listed %+v, %v", list, err)
					}
				})
			})
		}
	}
}

// TestAQueueThatAPersonMustFreeHidesNoIdleAgent: the agent is done, and nobody would hear of it.
func TestAQueueThatAPersonMustFreeHidesNoIdleAgent(t *testing.T) {
	for name, c := range map[string]struct {
		refusal deliver.Reason
		project string
		told    bool
	}{
		"a draft":          {deliver.Draft, "", true},
		"copy mode":        {deliver.CopyMode, "", true},
		"another project":  {"", "other", true},
		"it works":         {deliver.Working, "", false},
		"it can't be read": {deliver.Unreadable, "", false},
	} {
		inIdleBubble(t, func(w *world) {
			w.look(screen.Working)
			i := w.queue("one")
			w.refuseNext(c.refusal)
			time.Sleep(time.Second)
			idle := is("%1", screen.Idle)
			idle.Since, idle.Worked, idle.Project = time.Now(), true, cmp.Or(c.project, idle.Project)
			for range 10 {
				w.see(idle)
				time.Sleep(2 * time.Second)
			}
			n := w.newest(pane("%1"))
			if told := n.ID != "" && n.TakesInstruction(); told != c.told {
				t.Errorf("%s: told %t, by #%s", name, told, n.ID)
			}
			w.refuseNext("")
			idle.Project = is("%1", screen.Idle).Project
			w.see(idle)
			time.Sleep(6 * time.Second)
			w.wantInstruction(i.ID, nudge.Sent)
			if w.look(screen.Working); c.told {
				w.wantState(n.ID, nudge.Recovered)
			}
		})
	}
}

// TestNothingIsSentOfWhoMayNotAnswerAnyMore: what they queued is held until somebody drops it. What the owner queues at the machine
// goes on.
func TestNothingIsSentOfWhoMayNotAnswerAnyMore(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.rules.Presence = 0
		w.look(screen.Working)
		theirs := w.queue("one")
		owners, err := w.Submit(pane("%1"), nudge.Answer{Way: nudge.ByCommand, Said: nudge.Said{Text: "two"}}, nudge.InstructionTimeout)
		if err != nil || owners.Position != 2 {
			t.Fatalf("%+v, %v", owners, err)
		}
		synctest.Wait()
		w.rules.Supervisors = []nudge.Place{"1002"}
		w.look(screen.Idle)
		time.Sleep(time.Minute)
		w.wantTexts()
		list, err := w.Instructions(nil)
		if err != nil || len(list) != 2 || !strings.Contains(words.Why(list[0].Held), "Ann") {
			t.Errorf("%+v, %v", list, err)
		}
		if n := w.newest(pane("%1")); !n.TakesInstruction() || n.State != nudge.Pending {
			t.Errorf("nobody is told that the agent waits: %+v", n)
		}
		if _, err := w.CancelInstruction(theirs.ID, nudge.Person{}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		w.wantTexts("two")
	})
}

// TestAnInstructionThatIsRefusedOnceItCountedAsSentIsTriedLessAndLess, as on another machine whose input box holds a draft: each try
// is written down, and the trail says what became of it.
func TestAnInstructionThatIsRefusedOnceItCountedAsSentIsTriedLessAndLess(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.rules.Presence = 0
		w.look(screen.Idle)
		w.typist.after = deliver.Result{Outcome: deliver.Refused, Reason: deliver.Draft}
		i := w.queue("one")
		time.Sleep(time.Hour)
		w.wantInstruction(i.ID, nudge.Queued)
		events, err := w.store.Tail(1000)
		tries := 0
		for at, e := range events {
			if e.Kind != nudge.InstructionSent {
				continue
			}
			if tries++; at+1 == len(events) || events[at+1].Kind != nudge.AnswerRefused {
				t.Fatal("the trail does not say that it was refused")
			}
		}
		if err != nil || tries < 50 || tries > 70 {
			t.Errorf("tried %d times in an hour, %v", tries, err)
		}
		w.typist.mu.Lock()
		w.typist.after = deliver.Result{}
		w.typist.mu.Unlock()
		time.Sleep(time.Minute)
		w.wantInstruction(i.ID, nudge.Sent)
	})
}
