package launch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nod/detect"
	"nod/detect/screen"
	"nod/internal/host/tmux"
	"nod/internal/host/tmux/tmuxtest"
	"nod/internal/testrun"
	"nod/nudge"
	"nod/store"
)

// TestMain puts an agent into the PATH that is what its folder says.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "nodlaunch")
	if err == nil {
		err = testrun.WriteProgram(filepath.Join(dir, "claude"), []byte("#!/bin/sh\nexec ./agent \"$@\"\n"))
	}
	if err == nil {
		err = os.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	}
	if err != nil {
		panic(err)
	}
	testrun.AtOnce(8)
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is Sessions on a real tmux server, with a real database. The agent is a script in its folder that prints
// its arguments.
type world struct {
	*Sessions
	real   *tmuxtest.Server
	server *tmux.Server
	dir    string
	panes  []detect.Sighting
	queued int
	owned  bool
	noted  []nudge.Event
}

func newWorld(t *testing.T) *world {
	t.Helper()
	dir := t.TempDir()
	agent := "#!/bin/sh\necho \"started $*\"\nexec cat\n"
	if err := testrun.WriteProgram(filepath.Join(dir, "agent"), []byte(agent)); err != nil {
		t.Fatal(err)
	}
	records, err := store.Open(filepath.Join(t.TempDir(), "nod.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = records.Close() })
	w := &world{real: tmuxtest.New(t), dir: dir, owned: true}
	w.server = tmux.New(w.real.Socket)
	w.Sessions = New(Config{
		Records: records, Sockets: func() []string { return []string{w.real.Socket} },
		Server: func(string) *tmux.Server {
			if w.owned {
				return w.server
			}
			return nil
		},
		Panes:  func() []detect.Sighting { return w.panes },
		Queued: func(detect.PaneRef) (int, error) { return w.queued, nil },
		Note:   func(e nudge.Event) error { w.noted = append(w.noted, e); return nil },
	})
	return w
}

func (w *world) sessions(t *testing.T) []string {
	t.Helper()
	l, err := w.server.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range l.Panes {
		names = append(names, p.Session)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestASessionIsStartedRestartedAndEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	before := w.sessions(t)
	s, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir, Args: []string{"--resume", "$HOME"}}, "Ann")
	if err != nil {
		t.Fatal(err)
	}
	w.real.UntilShows(s.Pane.ID, "started --resume $HOME")
	if look, err := w.server.Look(t.Context(), s.Pane.ID); err != nil || look.Pane.Name != "api" || look.Pane.Where() != "api:0.0" {
		t.Errorf("its pane is %+v, %v", look.Pane, err)
	}

	w.real.Run("split-window", "-t", "api:", "exec cat")
	w.panes, w.queued = []detect.Sighting{{Whereabouts: detect.Whereabouts{Pane: s.Pane}, State: screen.Working}}, 2
	_, lost, err := w.Find(t.Context(), "api")
	if want := "claude is at work. 2 queued instructions are dropped. 1 other pane of the session ends with it."; err != nil || strings.Join(lost, " ") != want {
		t.Errorf("lost: %q, %v", lost, err)
	}
	again, err := w.Restart(t.Context(), "api", "Ann")
	if err != nil || again.Pane == s.Pane || !slices.Equal(again.Args, s.Args) {
		t.Fatalf("%+v, %v", again, err)
	}
	w.real.UntilShows(again.Pane.ID, "started --resume $HOME")
	if _, err := w.End(t.Context(), "api", "Ann"); err != nil {
		t.Error(err)
	}
	if got := w.sessions(t); !slices.Equal(got, before) {
		t.Errorf("left are %q", got)
	}
	if _, _, err := w.Find(t.Context(), "api"); err == nil {
		t.Error("it is known still")
	}
	var kinds []string
	for _, e := range w.noted {
		kinds = append(kinds, strings.TrimPrefix(e.Kind, "session ")+" by "+e.By)
	}
	if got := strings.Join(kinds, ", "); got != "started by Ann, ended by Ann, started by Ann, ended by Ann" {
		t.Errorf("noted: %s", got)
	}
}

// TestOnlyWhatWasStartedHereIsEnded, and not a session that has its pane's id in a restarted server.
func TestOnlyWhatWasStartedHereIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	theirs := w.sessions(t)[0]
	if _, err := w.End(t.Context(), theirs, "Ann"); err == nil {
		t.Error("a session of somebody else's was ended")
	}
	if _, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann"); err != nil {
		t.Fatal(err)
	}
	w.real.Kill()
	w.real.Start()
	w.real.Pane("exec cat", 80, 24)
	w.real.Pane("exec cat", 80, 24)
	if _, err := w.End(t.Context(), "api", "Ann"); !errors.Is(err, errGone) {
		t.Errorf("after the server was restarted: %v", err)
	}
	if l, err := w.server.List(t.Context()); err != nil || len(l.Panes) != 2 {
		t.Errorf("left are %+v, %v", l.Panes, err)
	}
}

// TestNoServerIsEverStarted.
func TestNoServerIsEverStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Kill()
	if _, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann"); err == nil || !strings.Contains(err.Error(), "starts none") {
		t.Errorf("got %v", err)
	}
	if _, err := w.server.List(t.Context()); err == nil {
		t.Error("a server runs")
	}
	w.real.Start()
	w.real.Pane("exec cat", 80, 24)
	w.owned = false
	if _, err := w.Start(t.Context(), Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann"); err == nil {
		t.Error("a session was made on a server that another nod owns")
	}
}

// TestAServerThatDoesNotAnswerIsNotCalledNone: nobody is told to start a second one.
func TestAServerThatDoesNotAnswerIsNotCalledNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.real.Pane("exec cat", 80, 24)
	w.real.Freeze()
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := w.Start(ctx, Spec{Name: "api", Agent: "claude", Cwd: w.dir}, "Ann"); !errors.Is(err, tmux.ErrHung) {
		t.Errorf("got %v", err)
	}
}

// folders makes a root with a folder in it, one beside it, and links that lead out.
func folders(t *testing.T) (root, beside string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, beside = filepath.Join(base, "src"), filepath.Join(base, "srcs")
	for _, dir := range []string{filepath.Join(root, "api"), beside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(beside, filepath.Join(root, "out")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return root, beside
}

// TestNothingIsStartedFromTheChatUnlessItMay: off by default, and then only in the folders that are named, as they are at the tap.
func TestNothingIsStartedFromTheChatUnlessItMay(t *testing.T) {
	root, beside := folders(t)
	var roots []string
	l := New(Config{Roots: func() []string { return roots }, Sockets: func() []string { return nil }})
	try := func(folder string, sure bool) Done {
		return l.Do(t.Context(), Errand{Do: DoLaunch, Spec: Spec{Name: "api", Agent: "claude", Cwd: folder}, Sure: sure})
	}
	if o := try(root, false); !strings.Contains(o.Error, "NOD_LAUNCH") {
		t.Errorf("off: %+v", o)
	}
	roots = []string{root}
	for _, folder := range []string{beside, "../srcs", "out", "/", "~/", root + "/../srcs", "none", "file"} {
		for _, sure := range []bool{false, true} {
			if o := try(folder, sure); !strings.Contains(o.Error, "within "+root) {
				t.Errorf("%s: %+v", folder, o)
			}
		}
	}
	if o := try("api", false); len(o.Lost) != 1 || o.Lost[0] != root+"/api" || o.Error != "" {
		t.Errorf("the folder: %+v", o)
	}
	if o := try("api", true); !strings.Contains(o.Error, "no longer allowed") {
		t.Errorf("another folder than was shown: %+v", o)
	}
	if o := try(root+"/api", true); !strings.Contains(o.Error, "tmux") {
		t.Errorf("the very folder: %+v", o)
	}
}

// TestAWrongLaunchIsRefusedBeforeTheTap, which a button would only promise.
func TestAWrongLaunchIsRefusedBeforeTheTap(t *testing.T) {
	root, _ := folders(t)
	l := New(Config{Roots: func() []string { return []string{root} }})
	for want, s := range map[string]Spec{
		"no agent \"claud\"": {Name: "api", Agent: "claud"},
		"\"a/b\" is no name": {Name: "a/b", Agent: "claude"},
		"must be one line":   {Name: "api", Agent: "claude", Args: []string{"a\nb"}},
	} {
		s.Cwd = "api"
		if o := l.Do(t.Context(), Errand{Do: DoLaunch, Spec: s}); !strings.Contains(o.Error, want) || len(o.Lost) > 0 {
			t.Errorf("%+v: %+v", s, o)
		}
	}
}

// TestAProgramThatIsNotThereIsNamed, in words for the person in the chat alone.
func TestAProgramThatIsNotThereIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.Start(t.Context(), Spec{Name: "api", Agent: "codex", Cwd: w.dir}, "Ann")
	if err == nil || !strings.Contains(err.Error(), "codex has ended at once") || strings.Contains(err.Error(), "(") {
		t.Errorf("%v", err)
	}
}
