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
