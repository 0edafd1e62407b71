package detect

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"nod/detect/agents"
	"nod/detect/screen"
	"nod/internal/host/proc"
	"nod/internal/reason"
)

// TestAnEqualCaptureIsNotReadAgain: each minute every pane is captured. What shows the same is read again only where something else has
// changed that the reading goes by: the pane's size, the dialogs that people taught, or another program in the foreground of its terminal.
func TestAnEqualCaptureIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.add("%1", "acme", "● Ich räume auf.\n\n Werkzeug: Shell\n\n   rm -rf build\n\n Soll dieser Befehl ausgeführt werden?\n ❯ Ja\n   Ja, immer\n   Nein\n\n Esc zum Abbrechen\n")
	s.do(func() {
		p := s.panes["%1"]
		p.Agent = "acme"
		s.panes["%1"] = p
	})
	var taught atomic.Pointer[[]agents.Taught]
	taught.Store(new([]agents.Taught))
	watchWith(t, []*stage{s}, func(w *Watcher) { w.cfg.Taught = taught.Load }, func(w *Watcher, a *audience) {
		poll(2)
		last := prompted(t, a)
		readAgain := func(after time.Duration) bool {
			t.Helper()
			time.Sleep(after)
			synctest.Wait()
			before := last
			last = prompted(t, a)
			return last != before
		}
		s.do(func() { s.read = 0 })
		if readAgain(3*captureAllEvery) || s.read < 3 {
			t.Errorf("of %d equal captures one was read again", s.read)
		}
		s.do(func() {
			p := s.panes["%1"]
			p.Width = 60
			s.panes["%1"] = p
		})
		if !readAgain(captureAllEvery) {
			t.Error("the capture of another width was not read")
		}
		now := []agents.Taught{{
			Name: "shell", Agent: "acme", Head: "Werkzeug: Shell", Labels: []string{"Ja", "Ja, immer", "Nein"}, Once: "Ja", No: "Nein", On: time.Now(),
		}}
		taught.Store(&now)
		if !readAgain(2*interval) || w.Panes()[0].State != screen.Permission {
			t.Errorf("what was taught since is told as %s", brief(w.Panes()))
		}
		if readAgain(captureAllEvery) {
			t.Error("what was taught is read again and again")
		}
		s.do(func() {
			pid := s.panes["%1"].PID
			s.fronts[pid] = append(s.fronts[pid], proc.Process{ID: proc.ID{PID: 1 << 30}, Comm: "cat"})
		})
		if !readAgain(2*interval) || !readAgain(captureAllEvery) {
			t.Error("beside another program the pane was not read again")
		}
	})
}

// TestAScreenOnWhichTheReaderFailsIsSaid, until the pane shows another one. The other panes are read.
func TestAScreenOnWhichTheReaderFailsIsSaid(t *testing.T) {
	onePane(t, "busy", func(w *Watcher, s *stage, a *audience) {
		s.add("%2", "claude", "busy")
		poll(2)
		s.do(func() {
			for _, id := range []string{"%2", "%1"} {
				w.serverAt("/tmp/s").panes[id].reading.Fault = "index out of range"
			}
		})
		poll(1)
		if said := w.Health(); len(said) != 1 || said[0] != (reason.Why{Kind: reason.ScreenFault, Pane: "%1", What: "index out of range"}) {
			t.Errorf("it is said %+v", said)
		}
		a.take()
		s.show("%1", ask(t, "ls"))
		s.show("%2", "idle")
		poll(2)
		if heard := brief(a.take()); len(w.Health()) != 0 || !strings.Contains(heard, "%1:permission(ls)") {
			t.Errorf("afterwards it is said %+v, and heard %q", w.Health(), heard)
		}
	})
}
