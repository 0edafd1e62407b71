package detect

import (
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"nod/detect/agents"
	"nod/internal/host/proc"
)

// How long an asker waits for an answer of the file system, how many questions of one kind may be open at a time, how many
// of them for one asker, and when a question that was not answered in time is asked again.
const (
	answerWithin  = 100 * time.Millisecond
	openQuestions = 16
	openOfOne     = 2
	askAgainAfter = 10 * time.Second
)

// fileQuestions asks the file system about paths that other programs name. A path on a network mount that is gone is never
// answered, and nothing can end the question: so each is asked on a goroutine of its own, which may stay behind, and nobody
// waits for it longer than answerWithin. An agent may name one such path after another: so each asker may have only a few
// open, and the open questions of one kind don't keep another kind from being asked.
type fileQuestions struct {
	lstat, stat func(path string) (fs.FileInfo, error)
	tail        func(path string) []byte
	openProgram func(pid int) (*os.File, error)
	root        agents.Administrator
	log         *slog.Logger

	mu   sync.Mutex                 // guards the fields below
	open map[question]*openQuestion // without an answer so far
	late map[question]time.Time     // questions that were not answered in time, and when

	settled map[question]settled // what was read of agents' settings within policyAge
}

// question is one question about a path. All who ask the same get the same answer.
type question struct {
	kind string
	path string
}

// openQuestion is a question that was asked.
type openQuestion struct {
	asker    string        // on whose behalf
	answered chan struct{} // closed when answer is set
	answer   any
}

func newFileQuestions() *fileQuestions {
	return &fileQuestions{
		lstat: os.Lstat, stat: os.Stat, tail: tailOf, openProgram: proc.OpenProgram, root: agents.Root,
		log: slog.New(slog.DiscardHandler), open: map[question]*openQuestion{}, late: map[question]time.Time{}, settled: map[question]settled{},
	}
}

// project is the base name of the git top level around path, else of path itself.
func (f *fileQuestions) project(path string) (name string, ok bool) {
	return answerTo(f, question{"project", path}, path, func() string { return ProjectOf(path, f.lstat) })
}

// ProjectOf is the base name of the git top level around path, found by lstat, else of path itself.
func ProjectOf(path string, lstat func(string) (fs.FileInfo, error)) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		// A directory, or in worktrees and submodules a file.
		if _, err := lstat(filepath.Join(dir, ".git")); err == nil {
			return FolderName(dir)
		}
		if dir == filepath.Dir(dir) {
			return FolderName(path)
		}
	}
}

// same reports whether two paths lead to one file, even by different links.
func (f *fileQuestions) same(a, b string) bool {
	same, ok := answerTo(f, question{"same", a + "\x00" + b}, b, func() bool {
		x, err := f.stat(a)
		if err != nil {
			return false
		}
		y, err := f.stat(b)
		return err == nil && os.SameFile(x, y)
	})
	return ok && same
}

// policy is what an agent's settings files say about the calls that it asks about: this user's own files, then the
// administrator's, which override them. All who ask about the same files within policyAge get the same answer.
func (f *fileQuestions) policy(asker, agent string, paths []string, now time.Time) settled {
	about := question{"policy", agent + "\x00" + strings.Join(paths, "\x00")}
	f.mu.Lock()
	maps.DeleteFunc(f.settled, func(_ question, s settled) bool { return now.Sub(s.read) >= policyAge })
	known, ok := f.settled[about]
	f.mu.Unlock()
	if ok {
		return known
	}
	found, ok := answerTo(f, about, asker, func() agents.Settled {
		var files []agents.SettingsFile
		for _, path := range paths {
			files = append(files, agents.SettingsFile{Path: path, Text: f.tail(path)})
		}
		return agents.SettledBy(agent, append(files, f.root.Files(agent)...)...)
	})
	fresh := settled{found, now}
	if ok {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.settled[about] = fresh
	}
	return fresh
}

// answerTo asks a question, or joins an asker of the same, and waits a moment for the answer; ok is false if none came, or
// if the question was not asked because it was late before, or because too many are open.
func answerTo[T any](f *fileQuestions, about question, asker string, ask func() T) (answer T, ok bool) {
	q, mine := f.begin(about, asker, time.Now())
	if q == nil {
		return answer, false
	}
	if mine {
		go func() {
			defer close(q.answered)
			defer f.end(about)
			q.answer = ask()
		}()
	}
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case <-q.answered:
		answer, ok = q.answer.(T)
		return answer, ok
	case <-timer.C:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.late[about] = time.Now()
		return answer, false
	}
}

// begin is the question if it may be asked or waited for now; mine says that nobody else has asked it.
func (f *fileQuestions) begin(about question, asker string, now time.Time) (q *openQuestion, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.late, func(_ question, at time.Time) bool { return now.Sub(at) >= askAgainAfter })
	if _, late := f.late[about]; late {
		return nil, false
	}
	if q := f.open[about]; q != nil {
		return q, false
	}
	if !f.mayAsk(about.kind, asker) {
		return nil, false
	}
	f.open[about] = &openQuestion{asker: asker, answered: make(chan struct{})}
	return f.open[about], true
}

// mayAsk reports whether one more question of a kind may be open on behalf of an asker.
func (f *fileQuestions) mayAsk(kind, asker string) bool {
	all, own := 0, 0
	for about, q := range f.open {
		if about.kind != kind {
			continue
		}
		all++
		if q.asker == asker {
			own++
		}
	}
	return all < openQuestions && own < openOfOne
}

// end takes in that a question is over, and keeps nod alive if the text of another program made its reader panic: then it got no answer,
// and is asked again like a late one. A nod that ended would meet the same file at each start.
func (f *fileQuestions) end(about question) {
	failed := recover()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, about)
	if failed != nil {
		f.late[about] = time.Now()
		f.log.Error("a file of another program can't be read; nod goes on without it. Please report this", "kind", about.kind, "path", about.path, "error", failed, "stack", string(debug.Stack()))
	}
}

// FolderName is the project that a folder is called by: its base name. It holds no colon, which is behind the name of another machine.
func FolderName(folder string) string { return strings.ReplaceAll(filepath.Base(folder), ":", "_") }

// project is the project of a pane's path, which seldom changes.
type project struct {
	path, name string
}

// of is the base name of the git top level that path lies in, else of path itself. While the disk does not answer
// it is the latter.
func (p *project) of(path string, files *fileQuestions) string {
	if path == "" {
		return ""
	}
	if p.path != path {
		name, ok := files.project(path)
		if !ok {
			return FolderName(path)
		}
		p.path, p.name = path, name
	}
	return p.name
}
