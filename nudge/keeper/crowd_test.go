package keeper_test

import (
	"fmt"
	"testing"
	"time"

	"nod/detect"
	"nod/nudge"
)

// TestNewsOfSoManyMonitorsWaits for each machine, this one too. More of a monitor whose news waits is always taken.
func TestNewsOfSoManyMonitorsWaits(t *testing.T) {
	inBubble(t, func(w *world) {
		const most = 50
		for _, machine := range []string{"gpu1:", "gpu2:", ""} {
			for i := range most + 1 {
				err := w.Report(nudge.MonitorReport{Monitor: fmt.Sprint(machine, "m", i), Count: 1, Lines: []string{"x"}})
				if (err == nil) != (i < most) {
					w.Fatalf("the %d. monitor of %q: %v", i+1, machine, err)
				}
			}
			for _, name := range []string{"m0", fmt.Sprint("m", most-1)} {
				if err := w.Report(nudge.MonitorReport{Monitor: machine + name, Count: 1}); err != nil {
					w.Errorf("more of %s of %q: %v", name, machine, err)
				}
			}
		}
	})
}

// TestTheLogSaysWhatAMonitorSaw: a match, an end, or both, and nothing else.
func TestTheLogSaysWhatAMonitorSaw(t *testing.T) {
	inBubble(t, func(w *world) {
		for _, c := range []struct {
			report         nudge.MonitorReport
			matched, ended int
		}{{nudge.MonitorReport{Monitor: "a", Count: 2}, 1, 0}, {nudge.MonitorReport{Monitor: "b", Ended: "exit status 1"}, 0, 1}, {nudge.MonitorReport{Monitor: "c", Count: 1, Ended: "exit status 1"}, 1, 1}} {
			if err := w.Report(c.report); err != nil {
				w.Fatal(err)
			}
			events, err := w.store.Tail(100)
			if err != nil {
				w.Fatal(err)
			}
			matched, ended := 0, 0
			for _, e := range events {
				switch {
				case e.Monitor != c.report.Monitor:
				case e.Kind == nudge.MonitorMatched && e.Count == c.report.Count:
					matched++
				case e.Kind == nudge.MonitorEnded && e.State == c.report.Ended:
					ended++
				}
			}
			if matched != c.matched || ended != c.ended {
				w.Errorf("%+v is noted %d and %d times", c.report, matched, ended)
			}
		}
	})
}

// TestAPaneIsAttendedForAWhile after somebody was seen there, if NOD_PRESENCE is on.
func TestAPaneIsAttendedForAWhile(t *testing.T) {
	inBubble(t, func(w *world) {
		now := time.Now()
		s := w.look("working")
		s.Here = now
		w.see(s)
		for _, c := range []struct {
			pane     detect.PaneRef
			after    time.Duration
			presence time.Duration
			attended bool
		}{{s.Pane, 0, time.Minute, true}, {s.Pane, time.Minute - 1, time.Minute, true}, {s.Pane, time.Minute, time.Minute, false}, {s.Pane, 0, 0, false}, {s.Pane, -time.Second, 0, false}, {detect.PaneRef{ID: "%99"}, 0, time.Minute, false}} {
			w.rules.Presence = c.presence
			if w.Attended(c.pane, now.Add(c.after)) != c.attended {
				w.Errorf("%+v", c)
			}
		}
	})
}
