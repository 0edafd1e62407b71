package control

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"
	"time"

	"nod/deliver"
	"nod/detect"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
)

// TestNameMeansItsOnlyPane with random names and projects for two panes: a name finds a pane if only that
// pane has it, else none.
func TestNameMeansItsOnlyPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	words := []string{"", "api", "web", w.own.ID, "main:0.0"}
	word := func() string { return words[r.IntN(len(words))] }
	for range testrun.Rounds(15, 60) {
		panes := []detect.Sighting{
			{Whereabouts: detect.Whereabouts{Pane: w.own, Name: word(), Project: word(), Where: "main:0.0"}}, {Whereabouts: detect.Whereabouts{Pane: w.other, Name: word(), Project: word(), Where: "main:1.0"}},
		}
		w.set(func() { w.panes = panes })
		for _, name := range []string{"api", "web"} {
			want := []detect.PaneRef{}
			for _, s := range panes {
				if s.Name == name || s.Project == name {
					want = append(want, s.Pane)
				}
			}
			_, found, err := w.find(t.Context(), name)
			switch {
			case len(want) == 1 && (err != nil || found != want[0]):
				t.Fatalf("%q of %+v is %v, %v", name, panes, found, err)
			case len(want) != 1 && err == nil:
				t.Fatalf("%q of %+v is %v", name, panes, found)
			case len(want) > 1 && !strings.Contains(err.Error(), "may mean several panes"):
				t.Fatalf("%q of %+v: %v", name, panes, err)
			}
		}
		if _, found, err := w.find(t.Context(), w.own.ID); err != nil || found != w.own {
			t.Fatalf("a project called %s changes what that id means: %v, %v", w.own.ID, found, err)
		}
	}
}

// TestNothingNamesNoPane, as in a script that has lost a name: not even the only agent's that has none.
func TestNothingNamesNoPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Agent: "claude", Where: "main:0.0"}}}
	})
	for method, params := range map[string]any{
		"pane.send": SendParams{"", []string{"Enter"}}, "pane.tell": TellParams{"", "go on"}, "pane.capture": CaptureParams{}, "pane.unwatch": PaneParams{}, "instruction.submit": SubmitParams{Text: "go on"},
	} {
		if f := faultOf(t, w.person(t, method, params, nil)); f.Reason != string(deliver.NotFound) {
			t.Errorf("%s: %+v", method, f)
		}
	}
}

// TestKeysByHandGoToNoNameThatAnAgentCanTake: a session, a window and a project name a pane everywhere else. This test's typist
// has no keyboard, so what is not refused for its name is refused with another reason.
func TestKeysByHandGoToNoNameThatAnAgentCanTake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.set(func() {
		w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: w.own, Name: "builder", Project: "api", Where: "main:0.0"}}}
	})
	out, err := exec.Command("tmux", "-S", w.own.Server.Socket, "display-message", "-p", "-t", w.own.ID, "#S:#I").Output()
	if err != nil {
		t.Fatal(err)
	}
	window, at := strings.TrimSpace(string(out)), "@"+w.own.Server.Socket
	for name, want := range map[string]deliver.Reason{
		"api": deliver.Ambiguous, "builder": deliver.Ambiguous, window: deliver.Ambiguous, window + at: deliver.Ambiguous,
		w.own.ID: deliver.NotOwner, w.own.ID + at: deliver.NotOwner, window + ".0": deliver.NotOwner, window + ".0" + at: deliver.NotOwner,
	} {
		f := faultOf(t, w.person(t, "pane.send", SendParams{name, []string{"Enter"}}, nil))
		if f.Reason != string(want) || want == deliver.Ambiguous && !strings.Contains(f.Message, "as in "+w.own.ID) {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// TestASessionAndAProjectOfOneName mean a pane only where both mean the same one.
func TestASessionAndAProjectOfOneName(t *testing.T) {
	w := newWorld(t)
	id, err := exec.Command("tmux", "-S", w.own.Server.Socket, "new-session", "-d", "-P", "-F", "#{pane_id}", "-s", "api", "exec cat").Output()
	if err != nil {
		t.Fatal(err)
	}
	session := detect.PaneRef{Server: w.own.Server, ID: strings.TrimSpace(string(id))}
	for _, project := range []detect.PaneRef{session, w.own} {
		w.set(func() {
			w.panes = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: project, Project: "api"}}}
		})
		if _, found, err := w.find(t.Context(), "api"); (err == nil) != (project == session) || err == nil && found != session {
			t.Errorf("with the project in %s it is %v, %v", project.ID, found, err)
		}
	}
	other := tmuxtest.New(t)
	for other.Pane("exec cat", 80, 24) != session.ID {
	}
	listing, err := tmux.New(other.Socket).List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	w.set(func() { w.settings.TmuxSocket = append(w.settings.TmuxSocket, other.Socket) })
	elsewhere := detect.PaneRef{Server: listing.Life, ID: session.ID}
	for name, panes := range map[string][]detect.PaneRef{"of one id on another server": {elsewhere}, "itself, and another one": {session, w.own}} {
		w.set(func() {
			w.panes = nil
			for i, pane := range panes {
				w.panes = append(w.panes, detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane, Project: "api", Where: fmt.Sprint("place:", i)}})
			}
		})
		if _, found, err := w.find(t.Context(), "api"); err == nil || !strings.Contains(err.Error(), "place:0") || strings.Contains(err.Error(), "place:1") != (len(panes) > 1) {
			t.Errorf("%s: it is %v, %v", name, found, err)
		}
	}
}
