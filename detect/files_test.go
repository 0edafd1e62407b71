package detect

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

func TestProjectIsTheGitTopLevel(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "api", "src", "auth")
	tree := filepath.Join(root, "worktree")
	for _, dir := range []string{deep, filepath.Join(root, "api", ".git"), tree} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(tree, ".git"), []byte("gitdir: elsewhere"), 0o600); err != nil {
		t.Fatal(err)
	}
	var p project
	files := newFileQuestions()
	for path, want := range map[string]string{
		deep: "api", filepath.Join(root, "api"): "api", tree: "worktree", root: filepath.Base(root), "": "",
		filepath.Join(root, "not there"): "not there",
	} {
		if got := p.of(path, files); got != want {
			t.Errorf("%s is of project %q, want %q", path, got, want)
		}
	}
}

// onDeadMount is watch where whatever lies in /dead never answers.
func onDeadMount(t *testing.T, s *stage, test func(w *Watcher, a *audience)) {
	t.Helper()
	var gone chan struct{}
	hang := func(path string) {
		if strings.HasPrefix(path, "/dead/") {
			<-gone
		}
	}
	prepare := func(w *Watcher) {
		gone = make(chan struct{})
		w.files.lstat = func(path string) (fs.FileInfo, error) { hang(path); return os.Lstat(path) }
		w.files.stat = func(path string) (fs.FileInfo, error) { hang(path); return os.Stat(path) }
		w.files.tail = func(path string) []byte { hang(path); return tailOf(path) }
	}
	watchWith(t, []*stage{s}, prepare, func(w *Watcher, a *audience) {
		defer close(gone)
		test(w, a)
	})
}

func TestADiskThatNeverAnswersHoldsUpNoLook(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", ask(t, "ls"))
	s.add("%2", "claude", ask(t, "pwd"))
	s.do(func() {
		dead, well := s.panes["%1"], s.panes["%2"]
		dead.Path, well.Path = "/dead/mount/api", t.TempDir()+"/web"
		s.panes["%1"], s.panes["%2"] = dead, well
	})
	onDeadMount(t, s, func(w *Watcher, a *audience) {
		time.Sleep(answerWithin + moment)
		synctest.Wait()
		polls := s.looks()
		poll(10)
		if got := s.looks() - polls; got != 10 {
			t.Errorf("%d looks in 10 polls", got)
		}
		seen := w.Panes()
		if len(seen) != 2 || seen[0].Prompt == nil || seen[0].Project != "api" || seen[1].Project != "web" {
			t.Errorf("%+v", seen)
		}
	})
}

func TestATranscriptThatIsNeverReadHoldsUpNoLook(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"))
	onDeadMount(t, s, func(w *Watcher, a *audience) {
		stop := ofSession(Stopped)
		stop.Transcript = "/dead/mount/transcript"
		send(t, w, ofSession(Submitted), stop)
		poll(1)
		polls := s.looks()
		poll(10)
		if got := s.looks() - polls; got != 10 {
			t.Errorf("%d looks in 10 polls", got)
		}
		if got := last(t, a); !got.Worked || got.Words != "" {
			t.Errorf("worked %v, words %q", got.Worked, got.Words)
		}
	})
}

func TestAVersionThatIsNeverReadHoldsUpNoHook(t *testing.T) {
	onDeadMount(t, newStage(t), func(w *Watcher, _ *audience) {
		began := time.Now()
		for range 50 {
			if got := w.VersionOf(HookEvent{Agent: "claude", Transcript: "/dead/mount/transcript"}); got != "" {
				t.Errorf("the version is %q", got)
			}
		}
		if took := time.Since(began); took > answerWithin {
			t.Errorf("50 events took %v", took)
		}
	})
}

func TestAnEventWhoseSocketNeverAnswersIsNotTaken(t *testing.T) {
	s := newStage(t)
	s.add("%1", "claude", "busy")
	onDeadMount(t, s, func(w *Watcher, _ *audience) {
		e := event(Asks, "ls", "")
		e.Socket = "/dead/mount/tmux"
		began := time.Now()
		for range 50 {
			if w.Hook(e) {
				t.Error("it was taken")
			}
		}
		if took := time.Since(began); took > answerWithin {
			t.Errorf("50 events took %v", took)
		}
	})
}

func TestQuestionsWithoutAnAnswerAreFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files, gone := newFileQuestions(), make(chan struct{})
		began := time.Now()
		var put atomic.Int32
		hang := func() bool { put.Add(1); <-gone; return true }
		yes := func() bool { return true }
		a := question{"transcript", "a"}
		for i := range 100 {
			if _, ok := answerTo(files, question{"transcript", string(rune('a' + i))}, "one", hang); ok {
				t.Error("an answer came")
			}
		}
		if took := time.Since(began); put.Load() != openOfOne || took != openOfOne*answerWithin {
			t.Errorf("%d questions of one agent are open, and asking took %v", put.Load(), took)
		}
		if yes, ok := answerTo(files, question{"transcript", "well"}, "another", yes); !yes || !ok {
			t.Error("what one agent asks keeps another from asking")
		}
		for i := range 100 {
			answerTo(files, question{"transcript", fmt.Sprint(i)}, fmt.Sprint(i), hang)
		}
		if put.Load() != openQuestions {
			t.Errorf("%d questions of a kind are open", put.Load())
		}
		if yes, ok := answerTo(files, question{"project", "well"}, "another", yes); !yes || !ok {
			t.Error("one kind of question keeps another from being asked")
		}
		close(gone)
		synctest.Wait()
		if _, ok := answerTo(files, a, "one", yes); ok {
			t.Error("what is late is asked again at once")
		}
		if yes, ok := answerTo(files, question{"transcript", "another"}, "one", yes); !yes || !ok {
			t.Error("once there are answers, nothing else is asked")
		}
		time.Sleep(askAgainAfter)
		if yes, ok := answerTo(files, a, "one", yes); !yes || !ok || len(files.late) != 0 {
			t.Errorf("asked again later: %v, %v, %d are late", yes, ok, len(files.late))
		}
	})
}

// TestDeadPathsOfOneAgentLeaveAnotherItsWords: however many paths on a dead mount an agent's hooks name, the last words of another
// agent are read, and its project is known.
func TestDeadPathsOfOneAgentLeaveAnotherItsWords(t *testing.T) {
	transcript := filepath.Join(t.TempDir(), "transcript")
	if err := os.WriteFile(transcript, []byte(`{"message":{"role":"assistant","content":"All done."}}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	s.add("%1", "claude", screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"))
	s.add("%2", "claude", screenOf(t, "claude/2.1.329-idle-draft-80x24.txt"))
	onDeadMount(t, s, func(w *Watcher, a *audience) {
		for i := range 2 * openQuestions {
			dead := fmt.Sprintf("/dead/mount/%d", i)
			socket := event(Asks, "ls", "")
			socket.Socket = dead
			if w.Hook(socket) {
				t.Error("an event of a socket that never answers was taken")
			}
			stop := ofSession(Stopped)
			stop.Transcript = dead
			w.VersionOf(stop)
			send(t, w, ofSession(Submitted), stop)
			poll(1)
		}
		submitted, stop := ofSession(Submitted), ofSession(Stopped)
		submitted.Pane, stop.Pane, stop.Transcript = "%2", "%2", transcript
		submitted.Session, stop.Session = "other", "other"
		send(t, w, submitted, stop)
		poll(2)
		if got := last(t, a); got.Pane.ID != "%2" || got.Words != "All done." {
			t.Errorf("%s, words %q", got.Pane.ID, got.Words)
		}
	})
}

func TestWhoAsksTheSameGetsTheSameAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		files, put, yes := newFileQuestions(), 0, make(chan bool, 20)
		for range 20 {
			go func() {
				answer, ok := answerTo(files, question{"transcript", "a"}, "one", func() bool { put++; time.Sleep(answerWithin / 2); return true })
				yes <- answer && ok
			}()
		}
		for range 20 {
			if !<-yes {
				t.Error("no answer came")
			}
		}
		if put != 1 {
			t.Errorf("the question was put %d times", put)
		}
	})
}

func TestASocketIsKnownByItsOtherPath(t *testing.T) {
	dir := t.TempDir()
	socket, link := filepath.Join(dir, "s"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(socket, nil, 0o600), os.Symlink(socket, link)); err != nil {
		t.Fatal(err)
	}
	s := newStage(t)
	s.socket, s.life.Socket = socket, socket
	s.add("%1", "claude", "busy")
	watch(t, []*stage{s}, func(w *Watcher, _ *audience) {
		e := event(Asks, "ls", "")
		for _, path := range []string{socket, link} {
			e.Socket = path
			if !w.Hook(e) {
				t.Errorf("an event by %s was not taken", path)
			}
		}
		w.files.stat = func(string) (fs.FileInfo, error) { return nil, errors.New("nobody asks twice") }
		if !w.Hook(e) {
			t.Error("the second event by the link was not taken")
		}
		if e.Socket = filepath.Join(dir, "another"); w.Hook(e) {
			t.Error("an event of another server was taken")
		}
	})
}

func TestAReaderThatPanicsEndsNoWatcher(t *testing.T) {
	var log strings.Builder
	files := newFileQuestions()
	files.log = slog.New(slog.NewTextHandler(&log, nil))
	files.tail = func(string) []byte { panic("a file that nobody thought of") }
	about := question{"tail", "/x"}
	if _, ok := answerTo(files, about, "x", func() []byte { return files.tail("/x") }); ok {
		t.Error("a reader that panicked gave an answer")
	}
	if !strings.Contains(log.String(), "a file that nobody thought of") {
		t.Errorf("the log says nothing of it: %q", log.String())
	}
	asked := false
	answerTo(files, about, "x", func() []byte { asked = true; return nil })
	if asked || len(files.open) > 0 {
		t.Errorf("asked again at once: %v; still open: %d", asked, len(files.open))
	}
}

// TestAFolderIsNoMachine: what is before a colon in a message is another machine's name.
func TestAFolderIsNoMachine(t *testing.T) {
	if got := FolderName("/src/gpu1:api"); got != "gpu1_api" {
		t.Errorf("a folder is called %q", got)
	}
}
