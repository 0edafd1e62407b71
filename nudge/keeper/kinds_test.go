package keeper_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"nod/deliver"
	"nod/detect/screen"
	"nod/nudge"
)

// TestWordsAreNeverAnInstruction: the words of an answer or a denial reach the agent as such or not at all,
// whatever the typist refused, whichever button is tapped then, and even after a restart.
func TestWordsAreNeverAnInstruction(t *testing.T) {
	t.Parallel()
	reasons := []deliver.Reason{deliver.CopyMode, deliver.Working, deliver.AwaitingDecision, deliver.Draft, deliver.Changed, deliver.Unreadable, ""}
	given := 0
	for seed := range uint64(100) {
		random := rand.New(rand.NewPCG(seed, 8))
		inIdleBubble(t, func(w *world) {
			denied := random.IntN(2) == 0
			answer := func() nudge.Nudge {
				p := permission("Which database?")
				p.TextField = !denied
				look := asks("%1", p)
				if denied {
					look = shows("%1", p)
				}
				n := w.see(look)
				w.tell()
				a := w.says(nudge.ByReply)
				a.ReplyTo = w.find(n.ID).Copies[0].Message
				if denied {
					a.Way, a.Nudge, a.Decision, a.Text, a.Because = nudge.ByButton, n.ID, screen.Deny, "", deliver.Say(someText)
				}
				w.refuseNext(reasons[random.IntN(len(reasons))])
				w.give(a, nudge.Taken)
				return w.find(n.ID)
			}
			tap := func(n nudge.Nudge) nudge.Answer {
				a := w.answer(nudge.ByButton, "")
				a.Nudge, a.Repeat, a.LeaveMode = n.ID, n.Claim.Stamp(), true
				return a
			}
			n := answer()
			if random.IntN(2) == 0 {
				w.restart()
				w.deliver()
			}
			w.refuseNext("")
			for range 6 {
				switch random.IntN(4) {
				case 0:
					w.look(screen.Idle)
				case 1:
					w.look(screen.Working)
				case 2:
					if _, err := w.Answer(tap(n)); err != nil {
						w.Error(err)
					}
				case 3:
					if _, err := w.SubmitRefused(tap(n), time.Hour); err != nil {
						w.Error(err)
					}
				}
				synctest.Wait()
			}
			w.look(screen.Idle)
			time.Sleep(time.Minute)
			w.look(screen.Idle)
			for _, r := range w.typist.asked {
				if r.Instruction != "" {
					w.Errorf("seed %d: %+v", seed, r)
				}
				if !r.Because.IsZero() && r.Decision == "" {
					given++
				}
			}
		})
	}
	if given == 0 {
		t.Error("no reason was ever given to an idle agent: the rounds prove too little")
	}
}
