package bot_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/botapi"
)

// idlePanes lets n agents be idle in panes of their own, and gives their looks.
func (w *world) idlePanes(n int) []detect.Sighting {
	w.t.Helper()
	var panes []detect.Sighting
	for i := 1; i <= n; i++ {
		s := sighting(i, screen.Idle, nil)
		panes = append(panes, s)
		w.see(s)
	}
	w.mu.Lock()
	w.panes = panes
	w.mu.Unlock()
	return panes
}

// replies gives the words that a reply to m has typed, and which pane got them.
func (w *world) replies(m botapi.Record, text string) (typed []string) {
	w.t.Helper()
	before := len(w.typed.all())
	w.ann.ReplyTo(m.ID, text)
	time.Sleep(5 * time.Second)
	for _, r := range w.typed.all()[before:] {
		typed = append(typed, fmt.Sprintf("%s: %v", r.Pane.ID, told(r)))
	}
	return typed
}

// TestWordsAreAskedForByAButton: /tell alone names the agents by buttons, and a reply to the question that a tap brings is what is
// typed, into that agent alone, also by a nod that has started again since.
func TestWordsAreAskedForByAButton(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, round))
		inWorld(t, func(w *world) {
			panes := w.idlePanes(2 + r.IntN(5))
			w.ann.Say("/tell")
			list := w.last()
			if n := len(list.Markup.Rows); n != len(panes) {
				t.Fatalf("%d buttons for %d agents", n, len(panes))
			}
			i := r.IntN(len(panes))
			w.tap(list, panes[i].Where+" ")
			asked := w.last()
			wantText(t, asked, "What is claude in api", "Nothing was typed yet")
			if asked.Markup == nil || !asked.Markup.ForceReply {
				t.Error("the app does not open its reply field")
			}
			if r.IntN(2) == 0 {
				w.restart()
			}
			words := []string{"run the tests", "/compact", "y please", "commit\nand push"}[r.IntN(4)]
			if got := w.replies(asked, words); len(got) != 1 || !strings.HasPrefix(got[0], panes[i].Pane.ID+": ") || !strings.Contains(got[0], words) {
				t.Errorf("%q for %s was typed as %q", words, panes[i].Pane.ID, got)
			}
			wantNoButtons(t, w.message(asked.ID))
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}

// TestWordsThatWereAskedForGoToNobodyElse: not to another agent that runs in the pane by now, not as a yes or no, and not once they
// were taken back.
func TestWordsThatWereAskedForGoToNobodyElse(t *testing.T) {
	for name, then := range map[string]struct {
		do   func(w *world, asked botapi.Record, panes []detect.Sighting)
		say  string
		says string
	}{
		"another process": {func(w *world, _ botapi.Record, panes []detect.Sighting) {
			w.mu.Lock()
			w.panes = slices.Clone(panes)
			w.panes[0].Process.PID = 999
			w.mu.Unlock()
			w.see(w.panes[0])
		}, "run the tests", "That agent is gone"},
		"the pane is gone": {func(w *world, _ botapi.Record, panes []detect.Sighting) {
			w.mu.Lock()
			w.panes = panes[1:]
			w.mu.Unlock()
		}, "run the tests", "That agent is gone"},
		"a yes":      {func(*world, botapi.Record, []detect.Sighting) {}, "y", "/tell main:1.0 y"},
		"a no":       {func(*world, botapi.Record, []detect.Sighting) {}, " No ", "Nothing was typed"},
		"taken back": {func(w *world, asked botapi.Record, _ []detect.Sighting) { w.tap(asked, "Never mind") }, "run the tests", "othing was typed"},
		"it asks": {func(w *world, _ botapi.Record, panes []detect.Sighting) {
			p := prompt("rm -rf build")
			s := panes[0]
			s.State, s.Prompt = screen.Permission, &p
			w.see(s)
			time.Sleep(5 * time.Second)
		}, "run the tests", "othing was typed"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				panes := w.idlePanes(2)
				w.ann.Say("/tell main:1.0")
				asked := w.last()
				wantText(t, asked, "What is claude in api1 to do next?")
				then.do(w, asked, panes)
				if got := w.replies(asked, then.say); len(got) > 0 {
					t.Errorf("typed: %q", got)
				}
				wantText(t, w.last(), then.says)
			})
		})
	}
}

// TestANameWithBlanksIsTheAgents: /tell takes it whole, and where the words may begin with one name or a longer one, nothing is typed.
func TestANameWithBlanksIsTheAgents(t *testing.T) {
	for text, want := range map[string]string{
		"/tell my proj run the tests":  "%1: run the tests",
		"/tell MY PROJ run the tests":  "%1: run the tests",
		"/tell web run the tests":      "%3: run the tests",
		"/tell web\nmy proj":           "%3: my proj",
		"/tell web server is down":     "",
		"/tell web server is\ndown":    "",
		"/tell my run the tests":       "",
		"/tell my project needs tests": "",
	} {
		inWorld(t, func(w *world) {
			panes := w.idlePanes(4)
			for i, project := range []string{"my proj", "web server", "web", "api"} {
				panes[i].Project = project
			}
			w.mu.Lock()
			if !strings.Contains(text, "server") { // the one whose name begins with another one's
				panes = slices.Delete(slices.Clone(panes), 1, 2)
			}
			w.panes = panes
			w.mu.Unlock()
			w.ann.Say(text)
			time.Sleep(5 * time.Second)
			var typed []string
			for _, r := range w.typed.all() {
				typed = append(typed, fmt.Sprintf("%s: %v", r.Pane.ID, told(r)))
			}
			if got := strings.Join(typed, ", "); got != want {
				t.Errorf("%q is typed as %q, want %q", text, got, want)
			}
			if want == "" {
				wantText(t, w.last(), "Nothing was typed yet.")
			}
		})
	}
}

// TestAnAgentTakesNoOthersWordsByItsName: it may give its pane, its session and its folder any name, so what fits several panes is asked.
// Only an id and a place are nobody's to choose.
func TestAnAgentTakesNoOthersWordsByItsName(t *testing.T) {
	for name, c := range map[string]struct {
		say   string
		takes func(s *detect.Sighting)
		asks  bool
	}{
		"a project":       {"web", func(s *detect.Sighting) { s.Name = "web" }, true},
		"a session":       {"main", func(s *detect.Sighting) { s.Name = "main" }, true},
		"another's name":  {"boss", func(s *detect.Sighting) { s.Project = "boss" }, true},
		"an agent":        {"codex", func(s *detect.Sighting) { s.Where = "codex:0.0" }, true},
		"nothing's":       {"web", func(s *detect.Sighting) { s.Name = "other" }, false},
		"its own project": {"web", func(s *detect.Sighting) { s.Name, s.Project = "x", "x" }, false},
		"an id":           {"%1", func(s *detect.Sighting) { s.Name = "%1" }, false},
		"a place":         {"main:1.0", func(s *detect.Sighting) { s.Name = "main:1.0" }, false},
	} {
		inWorld(t, func(w *world) {
			panes := w.idlePanes(2)
			panes[0].Agent, panes[0].Name, panes[0].Project = "codex", "boss", "web"
			panes[1].Where = "other:1.0"
			c.takes(&panes[1])
			w.ann.Say("/tell " + c.say + " run it")
			time.Sleep(5 * time.Second)
			got := w.typed.all()
			if asks := len(got) == 0; asks != c.asks || !asks && got[0].Pane.ID != "%1" {
				t.Errorf("%s: %d were typed", name, len(got))
			}
			if c.asks {
				wantText(t, w.last(), "More than one pane fits. Nothing was typed yet.")
			}
		})
	}
}

// TestQueuesAreNamedByButtons: /next alone lists the only queue at once, and has a button for each of several.
func TestQueuesAreNamedByButtons(t *testing.T) {
	seed := rand.Uint64()
	for round := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, round))
		inWorld(t, func(w *world) {
			panes := w.idlePanes(5)
			w.ann.Say("/next")
			wantText(t, w.last(), "Nothing is queued for any agent.")
			queued := r.Perm(len(panes))[:1+r.IntN(3)]
			for _, i := range queued {
				s := panes[i]
				s.State = screen.Working
				w.see(s)
				w.typed.then(atWork)
				w.ann.Say(fmt.Sprintf("/tell %s do thing %d", s.Where, i))
				time.Sleep(5 * time.Second)
				w.tap(w.last(), "Queue it")
			}
			w.ann.Say("/next")
			m := w.last()
			if len(queued) > 1 {
				if n := len(m.Markup.Rows); n != len(queued) {
					t.Fatalf("%d buttons for %d queues:\n%s", n, len(queued), m.Text)
				}
				w.tap(m, panes[queued[0]].Where+" ")
				m = w.message(m.ID)
			}
			wantText(t, m, fmt.Sprintf("Next for claude in api%d", queued[0]+1), fmt.Sprintf("do thing %d", queued[0]))
			w.tap(m, "Drop 1")
			wantText(t, w.message(m.ID), "Nothing is queued for claude")
		})
		if t.Failed() {
			t.Fatalf("round %d of seed %d", round, seed)
		}
	}
}
