package keeper_test

import (
	"slices"
	"testing"
	"time"

	"nod/nudge"
)

// TestMonitorNewsIsToldToAll, after an outage and a restart, too: news that could not be told is combined in
// one message.
func TestMonitorNewsIsToldToAll(t *testing.T) {
	inBubble(t, func(w *world) {
		w.rules.Supervisors = []nudge.Place{ann, bob}
		report := func(r nudge.MonitorReport) {
			r.Monitor = "ci"
			if err := w.Report(r); err != nil {
				w.Fatal(err)
			}
		}
		report(nudge.MonitorReport{Count: 2, Lines: []string{"a", "b"}})
		w.restart()
		report(nudge.MonitorReport{Count: 20, Lines: []string{"c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}})
		list := w.untold()
		w.wantKinds(list, nudge.Matched, nudge.Matched)
		if n := list[0].Of.(*nudge.MonitorNews); list[0].Place != ann || n.Count != 22 || len(n.Lines) != 10 || n.Lines[0] != "c" || list[0].Silent {
			w.Errorf("told %+v", n)
		}
		w.told(list[0])
		// News that arrives while a message is on its way is in the next one.
		report(nudge.MonitorReport{Count: 1, Lines: []string{"m"}, Ended: "exit status 1"})
		w.told(list[1])
		for _, n := range w.tell() {
			if m := n.Of.(*nudge.MonitorNews); m.Count != 1 || !slices.Equal(m.Lines, []string{"m"}) || m.Ended != "exit status 1" {
				w.Errorf("%s is told %+v", n.Place, m)
			}
		}
		w.wantKinds(w.tell())
		report(nudge.MonitorReport{Count: 1, Lines: []string{"n"}})
		w.rules.Supervisors = []nudge.Place{ann}
		time.Sleep(2 * time.Hour)
		w.tick()
		w.rules.Supervisors = []nudge.Place{ann, bob}
		w.wantKinds(w.tell(), nudge.Matched) // somebody who is no longer a supervisor is not told
	})
}
