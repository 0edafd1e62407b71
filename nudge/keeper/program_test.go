package keeper_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"nod/internal/host/proc"
	"nod/nudge"
	"nod/nudge/keeper"
)

// TestQuestionsInALoopBuryNothing: an asker in a loop is refused until some of its questions are over. Nobody
// else is.
func TestQuestionsInALoopBuryNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		plain := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
		of := func(pid int, change func(*nudge.ProgramQuestion)) nudge.ProgramQuestion {
			q := plain
			q.Agent = proc.ID{PID: pid, Start: 1}
			change(&q)
			return q
		}
		itself := func(*nudge.ProgramQuestion) {}
		request := func(q *nudge.ProgramQuestion) { q.Door, q.Call = true, &nudge.Call{Subject: "make", Lead: 1} }
		fill := func(q nudge.ProgramQuestion) (first nudge.Nudge) {
			for asked := range 1000 {
				n, err := w.Ask(q)
				switch {
				case errors.Is(err, keeper.ErrTooMany):
					return first
				case err != nil:
					t.Fatal(err)
				case asked == 0:
					first = n
				}
			}
			t.Fatal("a thousand questions wait")
			return first
		}
		first := fill(of(1, itself))
		for name, q := range map[string]nudge.ProgramQuestion{"another agent's": of(2, itself), "a program's": plain, "a machine's": of(0, func(q *nudge.ProgramQuestion) { q.Machine = "gpu1" })} {
			if _, err := w.Ask(q); err != nil {
				t.Errorf("%s question: %v", name, err)
			}
		}
		if err := w.Withdraw(first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Ask(of(1, itself)); err != nil {
			t.Error(err)
		}
		for pid := 3; pid < 20; pid++ {
			fill(of(pid, itself))
		}
		if _, err := w.Ask(plain); !errors.Is(err, keeper.ErrTooMany) {
			t.Errorf("of however many agents questions wait: %v", err)
		}
		fill(of(30, request))
		for name, q := range map[string]nudge.ProgramQuestion{"what an agent's hook asks": of(31, request), "a form": of(31, func(q *nudge.ProgramQuestion) { q.Form = true }), "a machine that joins": of(0, func(q *nudge.ProgramQuestion) { q.Join = true })} {
			if _, err := w.Ask(q); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// TestAQuestionWhoseAskerIsGoneEnds: an agent's hook, a form, and a machine that asks to join each end by
// themselves. A program's own question ends with its program; a new one may not be registered yet.
func TestAQuestionWhoseAskerIsGoneEnds(t *testing.T) {
	for name, c := range map[string]struct {
		mark func(*nudge.ProgramQuestion)
		age  time.Duration
		ends bool
	}{
		"hook":    {func(q *nudge.ProgramQuestion) { q.Door = true }, time.Minute, true},
		"form":    {func(q *nudge.ProgramQuestion) { q.Form = true }, time.Minute, true},
		"join":    {func(q *nudge.ProgramQuestion) { q.Join = true }, time.Minute, true},
		"program": {func(*nudge.ProgramQuestion) {}, time.Minute, false},
		"young":   {func(q *nudge.ProgramQuestion) { q.Door = true }, time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(w *world) {
				q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
				c.mark(&q)
				n, err := w.Ask(q)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(c.age)
				waits := func(id string) bool { return id == n.ID }
				for _, has := range []func(string) bool{waits, func(string) bool { return false }} {
					if err := w.EndDoors(has, time.Now()); err != nil {
						t.Fatal(err)
					}
					open, err := w.List(false)
					if err != nil {
						t.Fatal(err)
					}
					if ended := len(open) == 0; ended != (c.ends && !has(n.ID)) {
						t.Errorf("the asker waits: %v; ended: %v", has(n.ID), ended)
					}
				}
			})
		})
	}
}

// TestAQuestionWhoseAskerDiedWithNodEnds: it waited when nod ended, and does not come back within a minute of the next start, as
// after a reboot. Nobody is told then that its program has the answer.
func TestAQuestionWhoseAskerDiedWithNodEnds(t *testing.T) {
	for back, want := range map[bool]nudge.State{true: nudge.Pending, false: nudge.Gone} {
		inBubble(t, func(w *world) {
			n, err := w.Ask(nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: 24 * time.Hour, Program: "deploy.sh"})
			if err != nil {
				t.Fatal(err)
			}
			attend := func() {
				t.Helper()
				if err := w.Attend(n.ID, true); err != nil {
					t.Fatal(err)
				}
			}
			attend()
			time.Sleep(time.Hour)
			w.tick()
			w.restart()
			w.deliver()
			if w.wantState(n.ID, nudge.Pending); back {
				time.Sleep(30 * time.Second)
				attend()
			}
			time.Sleep(time.Minute)
			w.tick()
			w.wantState(n.ID, want)
		})
	}
}

// TestAQuestionThatIsWithdrawnAgainAndAgain: a loop that asks and withdraws fills neither chats nor the disk,
// and keeps nobody else from asking.
func TestAQuestionThatIsWithdrawnAgainAndAgain(t *testing.T) {
	inBubble(t, func(w *world) {
		diff := strings.Repeat("+ a line\n", 20_000)
		loop := nudge.ProgramQuestion{Text: "Deploy?", File: diff, Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
		other := loop
		other.Agent = proc.ID{PID: 2, Start: 1}
		asked := 0
		for ; asked < 1000; asked++ {
			n, err := w.Ask(loop)
			if errors.Is(err, keeper.ErrWithdrawn) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if err := w.Withdraw(n.ID); err != nil {
				t.Fatal(err)
			}
		}
		if asked == 1000 {
			t.Fatal("a thousand questions were withdrawn")
		}
		n, err := w.Ask(other)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, err := w.Find(n.ID); err != nil || !strings.Contains(n.Prompt().Subject, "+ a line") {
			t.Errorf("the question of another lacks its file: %v", err)
		}
		var kept bytes.Buffer
		for _, read := range []func() (any, error){func() (any, error) { return w.List(true) }, func() (any, error) { return w.store.Tail(1000) }} {
			all, err := read()
			if err == nil {
				err = json.NewEncoder(&kept).Encode(all)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if kept.Len() > len(diff)+asked*2000 {
			t.Errorf("%d bytes are kept of %d questions with %d bytes each", kept.Len(), asked, len(diff))
		}
		time.Sleep(time.Hour)
		if _, err := w.Ask(loop); err != nil {
			t.Errorf("an hour later: %v", err)
		}
	})
}
