package bot_test

import (
	"testing"
	"time"

	"nod/detect"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// TestAnAgentThatRunsUnaskedIsToldOnce for as long as it runs, over a restart too; one that is held back by something else is not.
func TestAnAgentThatRunsUnaskedIsToldOnce(t *testing.T) {
	inWorld(t, func(w *world) {
		seen := detect.Sighting{Whereabouts: detect.Whereabouts{Process: proc.ID{PID: 7, Start: 1}, Agent: "claude", Project: "api", Where: "main:0.0"}}
		see := func(pid int, kind reason.Kind) {
			seen.Process.PID, seen.Unasked = pid, []reason.Why{{Kind: reason.HooksOff, What: "x"}, {Kind: kind, What: "bypass permissions"}}
			w.bot.Unasked(seen)
			time.Sleep(2 * time.Second)
		}
		before := len(w.botSaid())
		see(7, reason.GuardDecides)
		see(7, reason.RunsUnasked)
		see(7, reason.RunsUnasked)
		w.restart()
		see(7, reason.RunsUnasked)
		if got := len(w.botSaid()) - before; got != 1 {
			t.Errorf("it was told %d times", got)
		}
		wantText(t, w.last(), "claude in api", "bypass permissions: nothing is asked")
		see(8, reason.RunsUnasked)
		if got := len(w.botSaid()) - before; got != 2 {
			t.Errorf("two agents were told %d times", got)
		}
	})
}
