package bot_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
)

// TestAPaneIsNamedByAButton: /screen without a name, or with one that several have, has one for each that fits, which shows its screen.
func TestAPaneIsNamedByAButton(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(10) {
		r := rand.New(rand.NewPCG(seed, round))
		inWorld(t, func(w *world) {
			w.noPictures()
			var panes []detect.Sighting
			for i := range 2 + r.IntN(14) {
				s := sighting(i+1, screen.Idle, nil)
				s.Project, s.Where = "proj", fmt.Sprintf("s%02d:%d.0", i, r.IntN(9))
				panes = append(panes, s)
			}
			r.Shuffle(len(panes), func(i, j int) { panes[i], panes[j] = panes[j], panes[i] })
			w.mu.Lock()
			w.panes, w.screen = panes, []string{"$ make test"}
			w.mu.Unlock()
			w.ann.Say([]string{"/screen", "/screen proj", "/screen nothere"}[r.IntN(3)])
			m := w.last()
			if got := len(m.Markup.Rows); got != min(len(panes), 12) {
				t.Fatalf("%d buttons for %d panes", got, len(panes))
			}
			button := m.Markup.Rows[r.IntN(len(m.Markup.Rows))][0]
			w.tap(m, button.Text)
			time.Sleep(5 * time.Second)
			wantText(t, w.message(m.ID), "🔎 claude in proj\n"+button.Text[:len("s00:0.0")]+" at ", "$ make test")
			chosen := panes[r.IntN(len(panes))]
			w.ann.Say("/screen " + chosen.Where[:[]int{3, 5, 7}[r.IntN(3)]])
			wantText(t, w.last(), "🔎 claude in proj\n"+chosen.Where+" at ")
			w.wantTyped()
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestPanesOfOneNameAreToldApart: by their sessions, or by their places where two are in one session.
func TestPanesOfOneNameAreToldApart(t *testing.T) {
	for _, c := range []struct{ one, other, want string }{
		{"main:1.0", "work:1.0", "⚠ claude in api·main: make"},
		{"main:1.0", "main:2.0", "⚠ claude in api·main:1.0: make"},
		{"main:1.0", "", "⚠ claude in api: make"},
	} {
		inWorld(t, func(w *world) {
			p := prompt("make")
			one, other := sighting(1, screen.Permission, &p), sighting(2, screen.Working, nil)
			one.Project, one.Where, other.Project, other.Where = "api", c.one, "api", c.other
			w.mu.Lock()
			if w.panes = []detect.Sighting{one}; c.other != "" {
				w.panes = append(w.panes, other)
			}
			w.mu.Unlock()
			w.see(one)
			time.Sleep(3 * time.Second)
			wantText(t, w.last(), c.want+"\n")
		})
	}
}

// TestASessionAndAProjectOfOneNameAreTwoPanes: what both could mean is asked, and nothing is told to either.
func TestASessionAndAProjectOfOneNameAreTwoPanes(t *testing.T) {
	inWorld(t, func(w *world) {
		one, two := sighting(1, screen.Idle, nil), sighting(2, screen.Idle, nil)
		one.Where, two.Project = "web:1.0", "web"
		w.mu.Lock()
		w.panes = []detect.Sighting{one, two}
		w.mu.Unlock()
		w.ann.Say("/tell web run the tests")
		wantText(t, w.last(), "More than one pane fits.")
		w.wantTold()
	})
}
