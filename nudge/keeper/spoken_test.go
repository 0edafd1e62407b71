package keeper_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/detect/screen"
	"nod/internal/reason"
	"nod/nudge"
	"nod/nudge/keeper"
)

// TestTheReasonOfADenialFollowsIt at once and before other words, if the key was typed and the agent did not hear it otherwise.
func TestTheReasonOfADenialFollowsIt(t *testing.T) {
	for name, c := range map[string]struct {
		because string
		result  deliver.Result
		follows bool
		says    reason.Kind
	}{
		"typed":              {"too late", deliver.Result{Outcome: deliver.Delivered, Keys: []string{"4"}}, true, reason.WordsFollow},
		"told by its hook":   {"too late", deliver.Result{Outcome: deliver.Delivered, Door: true, Said: true}, false, reason.WordsGiven},
		"without a reason":   {"", deliver.Result{Outcome: deliver.Delivered, Keys: []string{"4"}}, false, ""},
		"refused":            {"too late", deliver.Result{Outcome: deliver.Refused, Reason: deliver.CopyMode}, false, ""},
		"perhaps typed":      {"too late", deliver.Result{Outcome: deliver.Unknown}, false, ""},
		"too long to queue":  {strings.Repeat("x", 1<<20), deliver.Result{Outcome: deliver.Delivered, Keys: []string{"4"}}, false, reason.WordsNotQueued},
		"handed to its hook": {"", deliver.Result{Outcome: deliver.Delivered, Door: true}, false, ""},
	} {
		inBubble(t, func(w *world) {
			w.rules.Presence = 0
			w.deliver()
			n := w.see(shows("%1", permission("make")))
			w.tell()
			w.queue("then commit")
			a := w.replyTo(n.ID, screen.Deny)
			a.Because = deliver.Say(c.because)
			w.typist.after = c.result
			w.give(a, nudge.Taken)
			if got := w.find(n.ID).Detail.Kind; c.says != "" && got != c.says || c.says == "" && (got == reason.WordsFollow || got == reason.WordsNotQueued) {
				t.Errorf("%s: it says %q", name, got)
			}
			list, err := w.Instructions(nil)
			if err != nil || (len(list) == 2) != c.follows || len(list) > 0 && (list[0].Because.IsZero() == c.follows || list[0].Position != 1) {
				t.Errorf("%s: queued are %+v, %v", name, list, err)
			}
		})
	}
}

// TestWordsOfAPaneAreListed with those of the others, or alone. Those that are over are not.
func TestWordsOfAPaneAreListed(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		w.see(is("%2", screen.Working))
		gone, one := w.queue("gone"), w.queue("one")
		a := w.answer(nudge.ByFresh, "")
		a.Text = "two"
		two, err := w.Submit(pane("%2"), a, nudge.InstructionTimeout)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.CancelInstruction(gone.ID, nudge.Person{ID: ann}); err != nil {
			t.Fatal(err)
		}
		at := pane("%1")
		for name, c := range map[string]struct {
			ref  *detect.PaneRef
			want []string
		}{"all": {nil, []string{one.ID, two.ID}}, "one": {&at, []string{one.ID}}, "the other": {&two.Pane, []string{two.ID}}} {
			list, err := w.Instructions(c.ref)
			if err != nil || len(list) != len(c.want) {
				t.Errorf("%s: %+v, %v", name, list, err)
				continue
			}
			for i, id := range c.want {
				if list[i].ID != id || list[i].Position != 1 || list[i].Held.IsZero() {
					t.Errorf("%s: %+v, want %s", name, list[i], id)
				}
			}
		}
	})
}

// TestAMoveOfWordsIsStored, and words that are the next ones can't be moved.
func TestAMoveOfWordsIsStored(t *testing.T) {
	inBubble(t, func(w *world) {
		w.look(screen.Working)
		one, two := w.queue("one"), w.queue("two")
		moved, err := w.MoveUp(two.ID)
		if err != nil || moved.ID != two.ID {
			t.Errorf("moved is %+v, %v", moved, err)
		}
		list, err := w.Instructions(nil)
		if err != nil || len(list) != 2 || list[0].ID != two.ID || list[1].ID != one.ID {
			t.Errorf("queued are %+v, %v", list, err)
		}
		for _, id := range []string{two.ID, "none"} {
			if moved, err := w.MoveUp(id); err == nil || moved.ID != "" {
				t.Errorf("moved is %+v", moved)
			}
			if _, err := w.Outlast(id, nudge.Person{ID: bob}); err == nil {
				t.Error("somebody else lets it wait for the end of a limit")
			}
		}
		if chosen, err := w.Outlast(one.ID, nudge.Person{ID: ann}); err != nil || !chosen.AfterLimit || !w.wantInstruction(one.ID, nudge.Queued).AfterLimit {
			t.Errorf("chosen is %+v, %v", chosen, err)
		}
	})
}

// TestWordsInAPanesTopicAnswerNoQuestion: they are an instruction, or nothing.
func TestWordsInAPanesTopicAnswerNoQuestion(t *testing.T) {
	for name, c := range map[string]struct {
		look  detect.Sighting
		topic bool
		want  nudge.VerdictKind
	}{
		"idle":                        {turnOver("%1"), true, nudge.Taken},
		"nothing yet":                 {is("%1", screen.Working), true, nudge.Taken},
		"asks":                        {asks("%1", withText()), true, nudge.Rejected},
		"asks, and the pane is named": {asks("%1", withText()), false, nudge.Taken},
	} {
		inBubble(t, func(w *world) {
			w.rules.Idle = true
			w.see(c.look)
			a := w.says(nudge.ByFresh)
			if c.topic {
				at := pane("%1")
				a.Pane = &at
			}
			v, err := w.Keeper.Tell(pane("%1"), a)
			if err != nil || v.Kind != c.want {
				t.Errorf("%s: %s (%s), %v", name, v.Kind, v.Reason, err)
			}
		})
	}
	inBubble(t, func(w *world) { // what was asked before is over
		w.rules.Idle = true
		n := w.see(shows("%1", permission("make")))
		for range 3 {
			w.see(is("%1", screen.Working))
		}
		w.wantState(n.ID, nudge.Recovered)
		at := pane("%1")
		a := w.says(nudge.ByFresh)
		a.Pane = &at
		v, err := w.Keeper.Tell(at, a)
		if err != nil || v.Kind != nudge.Taken || v.Nudge.ID == n.ID {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// withText is a question that takes words.
func withText() *screen.Prompt {
	p := permission("Which database?")
	p.TextField = true
	return p
}

// TestAwaitLastsUntilTheKeyIsKnown, not only until it is typed.
func TestAwaitLastsUntilTheKeyIsKnown(t *testing.T) {
	inBubble(t, func(w *world) {
		w.typist.typing = func() { time.Sleep(5 * time.Second) }
		n := w.claimed(permission("make"))
		w.deliver()
		w.wantState(n.ID, nudge.Typing)
		over, err := w.Await(w.Context(), n.ID)
		if err != nil || over.State != nudge.Delivered {
			t.Errorf("got %s, %v", over.State, err)
		}
	})
}

// TestAwaitInstructionWaitsAMomentForWords of a turn that is over, and not for those of an earlier one.
func TestAwaitInstructionWaitsAMomentForWords(t *testing.T) {
	inIdleBubble(t, func(w *world) {
		w.look(screen.Idle)
		i := w.queue("one")
		w.turn("")
		w.wantInstruction(i.ID, nudge.Completed)
		ended := time.Now()
		for _, wait := range []time.Duration{time.Second, 0} {
			begin := time.Now()
			got, err := w.AwaitInstruction(w.Context(), i.ID)
			if err != nil || got.State != nudge.Completed || time.Since(begin) != wait {
				t.Errorf("%s after its end it takes %s, %v", begin.Sub(ended), time.Since(begin), err)
			}
		}
		other := w.queue("two")
		if _, err := w.CancelInstruction(other.ID, nudge.Person{ID: ann}); err != nil {
			t.Fatal(err)
		}
		begin := time.Now()
		if got, err := w.AwaitInstruction(w.Context(), other.ID); err != nil || got.State != nudge.Cancelled || time.Since(begin) != 0 {
			t.Errorf("%s after %s, %v", got.State, time.Since(begin), err)
		}
		if _, err := w.AwaitInstruction(w.Context(), "none"); err == nil {
			t.Error("an instruction that is not there has ended")
		}
	})
}

// TestSkipAndSnoozeOfNothing say so, and a skipped nudge comes last.
func TestSkipAndSnoozeOfNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		first, second := w.see(shows("%1", permission("make"))), w.see(shows("%2", permission("ls")))
		if w.Keeper.Skip("none") == nil || w.Snooze("none", time.Now().Add(time.Hour)) == nil || w.AskAgain("none") == nil {
			t.Error("what is not there is put off")
		}
		if err := w.Keeper.Skip(first.ID); err != nil {
			t.Fatal(err)
		}
		if queue, err := w.Queue(); err != nil || len(queue) != 2 || queue[0].ID != second.ID {
			t.Errorf("the queue is %+v, %v", queue, err)
		}
	})
}

// TestAProgramsQuestionIsAwaited until it has an answer, is withdrawn, or was answered without nod.
func TestAProgramsQuestionIsAwaited(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(w *world, id string) error
		want nudge.State
	}{
		"withdrawn": {func(w *world, id string) error { return w.Withdraw(id) }, nudge.Gone},
		"recovered": {func(w *world, id string) error { return w.Recover(id, reason.Why{Kind: reason.WordsFollow}) }, nudge.Recovered},
		"answered": {func(w *world, id string) error {
			w.give(nudge.Answer{Said: nudge.Said{Decision: screen.Approve}, Nudge: id, Way: nudge.ByCommand}, nudge.Taken)
			return nil
		}, nudge.Delivered},
	} {
		inBubble(t, func(w *world) {
			q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
			n, err := w.Ask(q)
			if err != nil {
				t.Fatal(err)
			}
			over := make(chan nudge.Nudge, 1)
			go func() {
				n, err := w.AwaitAnswer(w.Context(), n.ID)
				if err != nil {
					t.Error(err)
				}
				over <- n
			}()
			synctest.Wait()
			if len(over) > 0 {
				t.Fatal("it is over before it is answered")
			}
			for range 2 { // what is over stays so
				if err := c.end(w, n.ID); err != nil {
					t.Fatal(name, err)
				}
				if name == "answered" {
					break
				}
			}
			if got := <-over; got.State != c.want || got.ID != n.ID {
				t.Errorf("%s: %s is %s", name, got.ID, got.State)
			}
		})
	}
}

// TestWhatNoProgramAskedIsNotWithdrawn: an agent's prompt, or nothing.
func TestWhatNoProgramAskedIsNotWithdrawn(t *testing.T) {
	inBubble(t, func(w *world) {
		n := w.see(shows("%1", permission("make")))
		for _, id := range []string{n.ID, "none"} {
			_, awaited := w.AwaitAnswer(w.Context(), id)
			for name, err := range map[string]error{"withdrawn": w.Withdraw(id), "recovered": w.Recover(id, reason.Why{}), "attended": w.Attend(id, true), "awaited": awaited} {
				if !errors.Is(err, keeper.ErrNoQuestion) {
					t.Errorf("%s is %s: %v", id, name, err)
				}
			}
		}
		time.Sleep(time.Minute)
		if err := w.EndDoors(func(string) bool { return false }, time.Now()); err != nil {
			t.Error(err)
		}
		w.wantState(n.ID, nudge.Pending)
	})
}

// TestSoManyQuestionsAndNoMore: twenty of an agent, a hundred of all, and sixty that are withdrawn within an hour. A hook, a form and a
// machine that joins are not kept out by what others withdraw.
func TestSoManyQuestionsAndNoMore(t *testing.T) {
	ask := func(w *world, change func(*nudge.ProgramQuestion)) (nudge.Nudge, error) {
		q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: 10 * time.Hour, Program: "deploy.sh"}
		change(&q)
		return w.Ask(q)
	}
	of := func(pid int) func(*nudge.ProgramQuestion) {
		return func(q *nudge.ProgramQuestion) { q.Agent.PID, q.Agent.Start = pid, 1 }
	}
	inBubble(t, func(w *world) {
		asked := 0
		for pid := 1; pid <= 6; pid++ {
			n := 0
			for ; ; n++ {
				if _, err := ask(w, of(pid)); err != nil {
					break
				}
			}
			if asked += n; n != 20 && pid < 6 || asked > 100 {
				t.Errorf("%d questions of agent %d wait, %d of all", n, pid, asked)
			}
		}
	})
	inBubble(t, func(w *world) {
		w.see(shows("%1", permission("make"))) // an agent's own prompt is no program's question
		withdrawn := func() (n int) {
			for ; ; n++ {
				q, err := ask(w, func(*nudge.ProgramQuestion) {})
				if err != nil {
					return n
				}
				if err := w.Withdraw(q.ID); err != nil {
					t.Fatal(err)
				}
			}
		}
		if n := withdrawn(); n != 60 {
			t.Errorf("%d were withdrawn", n)
		}
		for name, change := range map[string]func(*nudge.ProgramQuestion){
			"a hook": func(q *nudge.ProgramQuestion) { q.Door, q.Call = true, &nudge.Call{Subject: "make", Lead: 1} },
			"a form": func(q *nudge.ProgramQuestion) { q.Form = true },
			"a join": func(q *nudge.ProgramQuestion) { q.Join = true },
		} {
			if _, err := ask(w, change); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		time.Sleep(time.Hour)
		if n := withdrawn(); n != 60 {
			t.Errorf("an hour later %d were withdrawn", n)
		}
	})
	inBubble(t, func(w *world) { // what somebody answers is not withdrawn, and no longer waits, though its message is still to be edited
		for range 70 {
			n, err := ask(w, func(*nudge.ProgramQuestion) {})
			if err != nil {
				t.Fatal(err)
			}
			w.tell()
			w.give(nudge.Answer{Said: nudge.Said{Decision: screen.Approve}, Nudge: n.ID, Way: nudge.ByCommand}, nudge.Taken)
		}
	})
}

// TestALateOutcomeWithoutAKeyIsNoKey, and one of a nudge that is not known is nothing.
func TestALateOutcomeWithoutAKeyIsNoKey(t *testing.T) {
	inBubble(t, func(w *world) {
		there := shows("%1", permission("make"))
		there.Pane.Machine = "gpu1"
		n := w.see(there)
		w.tell()
		w.typist.after = deliver.Result{Outcome: deliver.Unknown}
		w.deliver()
		w.give(w.replyTo(n.ID, screen.Approve), nudge.Taken)
		w.wantState(n.ID, nudge.Unknown)
		if err := w.Learned("gpu1", "none", deliver.Result{Outcome: deliver.Delivered}); err != nil {
			t.Error(err)
		}
		if err := w.Learned("gpu1", n.ID, deliver.Result{Outcome: deliver.Delivered, Door: true}); err != nil {
			t.Error(err)
		}
		w.wantState(n.ID, nudge.Delivered)
		for _, kind := range w.notedOf(n.ID) {
			if kind == nudge.KeyTyped+" by Ann" {
				t.Error("a key is noted that nobody has typed")
			}
		}
	})
}
