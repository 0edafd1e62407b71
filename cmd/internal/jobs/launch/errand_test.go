package launch

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/testrun"
	"nod/nudge"
)

// keep notes a pane of the server as a session that was started here.
func (w *world) keep(t *testing.T, name, pane string) Session {
	t.Helper()
	look, err := w.server.Look(t.Context(), pane)
	if err != nil {
		t.Fatal(err)
	}
	s := Session{Spec{Name: name, Agent: "claude", Cwd: w.dir, Args: []string{"--resume"}}, detect.PaneRef{Server: look.Life, ID: pane}}
	record, err := json.Marshal(s)
	if err == nil {
		err = w.cfg.Records.Put(key(name), record)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func sighting(pane detect.PaneRef, state screen.State) detect.Sighting {
	return detect.Sighting{Whereabouts: detect.Whereabouts{Pane: pane}, State: state}
}

// program replaces the agent's program.
func (w *world) program(t *testing.T, script string) {
	t.Helper()
	if err := testrun.WriteProgram(filepath.Join(w.dir, "agent"), []byte("#!/bin/sh\n"+script)); err != nil {
		t.Fatal(err)
	}
}

// TestWhatWouldBeLostIsSaid: what the agent does, without its neighbours, and who is looking.
func TestWhatWouldBeLostIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pane := w.real.Pane("exec cat", 80, 24)
	s := w.keep(t, "api", pane)
	other := sighting(detect.PaneRef{Server: s.Pane.Server, ID: "%99"}, screen.Working)
	for state, want := range map[screen.State]string{
		screen.Permission: "claude asks something there.",
		screen.Question:   "claude asks something there.",
		screen.Working:    "claude is at work.",
		screen.Idle:       "The conversation with claude ends.",
		screen.Gone:       "The conversation with claude ends.",
	} {
		w.panes = []detect.Sighting{other, sighting(s.Pane, state)}
		if _, lost, err := w.Find(t.Context(), "api"); err != nil || strings.Join(lost, " ") != want {
			t.Errorf("%s: %q, %v", state, lost, err)
		}
	}
	w.panes, w.queued = nil, 1
	w.real.Attach(w.real, w.real.Pane("exec cat", 80, 24), 80, 24)
	w.real.Attach(w.real, pane, 80, 24)
	if _, lost, err := w.Find(t.Context(), "api"); err != nil || strings.Join(lost, " ") != "1 queued instruction is dropped. 1 terminal shows it." {
		t.Errorf("lost: %q, %v", lost, err)
	}
}

// TestNothingThatWouldBeLostEndsWithoutConsent.
func TestNothingThatWouldBeLostEndsWithoutConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pane := w.real.Pane("exec cat", 80, 24)
	s := w.keep(t, "api", pane)
	w.panes = []detect.Sighting{sighting(s.Pane, screen.Working)}
	for _, do := range []string{DoEnd, DoRestart} {
		if o := w.Do(t.Context(), Errand{Do: do, Spec: Spec{Name: "api"}}); len(o.Lost) != 1 || o.Error != "" || len(o.Sessions) > 0 {
			t.Errorf("%s: %+v", do, o)
		}
		if got := w.sessions(t); len(got) != 1 {
			t.Errorf("%s: left are %q", do, got)
		}
	}
	if o := w.Do(t.Context(), Errand{Do: DoEnd, Spec: Spec{Name: "api"}, Sure: true}); o.Error != "" || len(o.Sessions) != 1 {
		t.Errorf("with consent: %+v", o)
	}
	if o := w.Do(t.Context(), Errand{Do: DoList}); o.Error != "" || len(o.Sessions) > 0 {
		t.Errorf("it is listed still: %+v", o)
	}
	if o := w.Do(t.Context(), Errand{Do: "juggle"}); !strings.Contains(o.Error, "update it") {
		t.Errorf("an errand of a newer nod: %+v", o)
	}
}

// TestASessionThatHasEndedIsStartedAgain, and ended without a word of a loss: its record goes.
func TestASessionThatHasEndedIsStartedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	for _, name := range []string{"api", "web"} {
		pane := w.real.Pane("exec cat", 80, 24)
		w.keep(t, name, pane)
		w.real.Run("kill-pane", "-t", pane)
	}
	if o := w.Do(t.Context(), Errand{Do: DoEnd, Spec: Spec{Name: "web"}}); !strings.Contains(o.Error, "ended already") {
		t.Errorf("ended: %+v", o)
	}
	o := w.Do(t.Context(), Errand{Do: DoRestart, Spec: Spec{Name: "api"}, By: "Ann"})
	if o.Error != "" || len(o.Sessions) != 1 {
		t.Fatalf("restarted: %+v", o)
	}
	w.real.UntilShows(o.Sessions[0].Pane.ID, "started --resume")
	o = w.Do(t.Context(), Errand{Do: DoList})
	if len(o.Sessions) != 1 || o.Sessions[0].Name != "api" || o.Sessions[0].Args != nil || o.Sessions[0].State != "unknown" {
		t.Errorf("listed: %+v", o)
	}
}

// TestASessionThatCannotBeSeenStays: a server that gives no answer may still run it, so it is neither ended nor started twice.
func TestASessionThatCannotBeSeenStays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	s := w.keep(t, "api", w.real.Pane("exec cat", 80, 24))
	if err := w.cfg.Records.Put(key("bad"), []byte("{")); err != nil {
		t.Fatal(err)
	}
	w.owned = false
	for _, do := range []string{DoEnd, DoRestart} {
		if o := w.Do(t.Context(), Errand{Do: do, Spec: Spec{Name: "api"}, Sure: true}); !strings.Contains(o.Error, "not watched any more") {
			t.Errorf("%s on a server that another nod owns: %+v", do, o)
		}
	}
	if _, err := w.Restart(t.Context(), "api", "Ann"); err == nil {
		t.Error("it was started twice")
	}
	w.owned = true
	silent, cancel := context.WithCancel(t.Context())
	cancel() // the server gives no answer in time
	if _, err := w.End(silent, "api", "Ann"); err == nil || errors.Is(err, errGone) {
		t.Errorf("it was ended unseen: %v", err)
	}
	w.panes = []detect.Sighting{sighting(s.Pane, screen.Idle)}
	if o := w.Do(silent, Errand{Do: DoList}); len(o.Sessions) != 1 || o.Sessions[0].State != "unknown" {
		t.Errorf("listed: %+v", o)
	}
}

// TestTheStateOfEachSessionIsThatOfItsPane, the first of the server's panes as well.
func TestTheStateOfEachSessionIsThatOfItsPane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var want []string
	for _, state := range []screen.State{screen.Idle, screen.Working} {
		s := w.keep(t, string(state), w.real.Pane("exec cat", 80, 24))
		w.panes = append(w.panes, sighting(s.Pane, state))
		want = append(want, string(state))
	}
	gone := w.real.Pane("exec cat", 80, 24)
	w.keep(t, "zone", gone)
	w.real.Run("kill-pane", "-t", gone)
	var got []string
	for _, s := range w.Do(t.Context(), Errand{Do: DoList}).Sessions {
		got = append(got, s.State)
	}
	if want = append(want, "ended"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	w.real.Kill()
	for _, s := range w.Do(t.Context(), Errand{Do: DoList}).Sessions {
		if s.State != "ended" {
			t.Errorf("%s is %s without its server", s.Name, s.State)
		}
	}
}

// TestAnAgentThatEndsSoonHasNotStarted, whether its pane stays or not.
func TestAnAgentThatEndsSoonHasNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	w.program(t, "exec sleep 0.1\n")
	for _, stays := range []string{"off", "on"} {
		w.real.Run("set-option", "-g", "remain-on-exit", stays)
		_, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann")
		if err == nil || !strings.Contains(err.Error(), "claude has ended at once") {
			t.Errorf("remain-on-exit %s: %v", stays, err)
		}
	}
	w.program(t, "exec cat\n")
	short, cancel := context.WithTimeout(t.Context(), startLimit/3)
	defer cancel()
	if _, err := w.Start(short, Spec{Name: "web", Agent: "claude", Cwd: w.dir}, "Ann"); err == nil || !strings.Contains(err.Error(), "nothing shows that claude has started") {
		t.Errorf("while nod shuts down: %v", err)
	}
	if o := w.Do(t.Context(), Errand{Do: DoNew, Spec: Spec{Name: "api", Agent: "claude", Cwd: w.dir + "/none"}}); !strings.Contains(o.Error, "there is no folder") {
		t.Errorf("in no folder: %+v", o)
	}
	if o := w.Do(t.Context(), Errand{Do: DoList}); len(o.Sessions)+len(w.noted) > 0 {
		t.Errorf("noted: %+v, %+v", o, w.noted)
	}
}

// TestASessionThatCannotBeNotedIsSaidToRun, and one whose end cannot be noted is not started again.
func TestASessionThatCannotBeNotedIsSaidToRun(t *testing.T) {
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	w.keep(t, "web", w.real.Pane("exec cat", 80, 24))
	w.cfg.Note = func(nudge.Event) error { return errors.New("the disk is full") }
	t.Chdir(w.dir)
	t.Setenv("HOME", w.dir)
	o := w.Do(t.Context(), Errand{Do: DoNew, Spec: Spec{Name: "api", Agent: "claude"}, By: "Ann"})
	if !strings.Contains(o.Error, "the session runs, but was not noted") || !strings.Contains(o.Error, "disk is full") {
		t.Errorf("started: %+v", o)
	}
	if path := w.real.Run("display-message", "-p", "-t", "api:", "#{pane_current_path}"); strings.TrimSpace(path) != w.dir {
		t.Errorf("without a folder it runs in %q", path)
	}
	if _, err := w.Restart(t.Context(), "web", "Ann"); err == nil || strings.Contains(err.Error(), "runs") {
		t.Errorf("an end that was not noted: %v", err)
	}
	if got := w.sessions(t); slices.Contains(got, "web") {
		t.Error("it was started again though its end was not noted")
	}
}

// TestOfSeveralServersNoneIsChosen.
func TestOfSeveralServersNoneIsChosen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	w.cfg.Sockets = func() []string { return []string{w.real.Socket, w.real.Socket} }
	if _, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann"); err == nil || !strings.Contains(err.Error(), "several tmux servers") {
		t.Errorf("got %v", err)
	}
	if got := w.sessions(t); len(got) != 1 {
		t.Errorf("left are %q", got)
	}
}

// TestASpecIsChecked: the arguments together, and the folder.
func TestASpecIsChecked(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	half := strings.Repeat("a", largestArgs/2)
	for _, c := range []struct{ cwd, more, want string }{
		{dir, "", ""}, {dir, "a", "16 are the most"}, {".", "", "no folder"}, {file, "", "no folder"}, {filepath.Join(dir, "none"), "", "no folder"},
	} {
		err := Spec{Name: "api", Agent: "claude", Cwd: c.cwd, Args: []string{half, half + c.more}}.Check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s, %d bytes: %v", c.cwd, 2*len(half)+len(c.more), err)
		}
	}
}

// TestAFolderOfTheHomeFolder is named with ~, and one that cannot be read is none.
func TestAFolderOfTheHomeFolder(t *testing.T) {
	root, _ := folders(t)
	t.Setenv("HOME", filepath.Dir(root))
	if got, err := folderIn([]string{filepath.Join(root, "none"), root}, "~/src/api"); err != nil || got != filepath.Join(root, "api") {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := folderIn([]string{filepath.Join(root, "none")}, root); err == nil {
		t.Errorf("below a folder that is not there: %q", got)
	}
	t.Chdir(root) // a name is relative to a root, never to nod's own folder
	if got, err := folderIn([]string{filepath.Join(root, "api")}, "api"); err == nil {
		t.Errorf("got %q", got)
	}
	t.Setenv("HOME", "")
	if got, err := folderIn([]string{root}, "~/src/api"); err == nil || !strings.Contains(err.Error(), "home folder") {
		t.Errorf("without a home folder: %q, %v", got, err)
	}
}
