package keeper_test

import (
	"errors"
	"testing"
	"time"

	"nod/nudge"
	"nod/nudge/keeper"
)

// TestQuestionsInALoopBuryNothing: there is room for more once some are over.
func TestQuestionsInALoopBuryNothing(t *testing.T) {
	inBubble(t, func(w *world) {
		q := nudge.ProgramQuestion{Text: "Deploy?", Options: []string{"yes", "no"}, Timeout: time.Hour, Program: "deploy.sh"}
		var first nudge.Nudge
		asked := 0
		for ; asked < 1000; asked++ {
			n, err := w.Ask(q)
			if errors.Is(err, keeper.ErrTooMany) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if asked == 0 {
				first = n
			}
		}
		if asked == 1000 {
			t.Fatal("a thousand questions wait")
		}
		if err := w.Withdraw(first.ID); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Ask(q); err != nil {
			t.Error(err)
		}
	})
}

// TestAQuestionWhoseAskerIsGoneEnds: of an agent's hook, of a form and of a machine that asks to join, each by itself; a program's own
// question ends with its program, and a young one may not be registered yet.
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
