package keeper_test

import (
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/nudge"
)

// TestPanesThatWentWhileNodDidNotRun end their nudges. An unknown pane keeps its nudge.
func TestPanesThatWentWhileNodDidNotRun(t *testing.T) {
	inBubble(t, func(w *world) {
		gone := w.see(shows("%1", permission("ls")))
		shell := w.see(shows("%2", permission("ls")))
		unknown := w.see(shows("%3", permission("ls")))
		w.restart()
		became := map[detect.PaneRef]screen.State{pane("%1"): screen.Gone, pane("%2"): screen.Shell}
		for range 2 { // a single look may have met a redraw
			time.Sleep(2 * time.Second)
			if err := w.Lost(func(p detect.PaneRef) screen.State { return became[p] }, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		w.wantState(gone.ID, nudge.Gone)
		w.wantState(shell.ID, nudge.Recovered)
		w.wantState(unknown.ID, nudge.Pending)
	})
}

// TestAnExpiredQuestionOfAPaneThatWentIsOver: nobody is asked again what no agent asks any more.
func TestAnExpiredQuestionOfAPaneThatWentIsOver(t *testing.T) {
	inBubble(t, func(w *world) {
		gone, shell, unknown := w.see(shows("%1", permission("ls"))), w.see(shows("%2", permission("ls"))), w.see(shows("%3", permission("ls")))
		w.tell()
		time.Sleep(w.rules.Expiry)
		w.tick()
		w.restart()
		became := map[detect.PaneRef]screen.State{pane("%1"): screen.Gone, pane("%2"): screen.Shell}
		for range 2 { // a single look may have met a redraw
			time.Sleep(2 * time.Second)
			if err := w.Lost(func(p detect.PaneRef) screen.State { return became[p] }, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		for _, n := range []nudge.Nudge{gone, shell} {
			if err := w.AskAgain(n.ID); err == nil {
				t.Errorf("#%s was asked again", n.ID)
			}
		}
		if queue, err := w.Queue(); err != nil || len(queue) != 1 || queue[0].ID != unknown.ID {
			t.Errorf("the queue is %v: %v", queue, err)
		}
	})
}
