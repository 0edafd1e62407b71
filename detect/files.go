package detect

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"nod/internal/proc"
)

// How long a question to the file system holds up who asks, how many may be without an answer at a time, and when
// one that was not answered in time is asked again.
const (
	answerWithin  = 100 * time.Millisecond
	openQuestions = 4
	askAgainAfter = 10 * time.Second
)

// fileQuestions asks the file system about paths that other programs name. Where the disk behind a path is a network
// mount that is gone, a question is never answered, and nothing can end it: so each is asked on a goroutine of its own,
// which may stay behind, and nobody waits for it longer than answerWithin.
type fileQuestions struct {
	lstat, stat func(path string) (fs.FileInfo, error)
	tail        func(path string) []byte
	openProgram func(pid int) (*os.File, error)

	mu   sync.Mutex               // guards what follows
	open map[string]*openQuestion // that have no answer yet
	late map[string]time.Time     // questions that were not answered in time, and when
}

// openQuestion is one that was put.
type openQuestion struct {
	answered chan struct{} // closed when answer is set
	answer   any
}

func newFileQuestions() *fileQuestions {
	return &fileQuestions{
		lstat: os.Lstat, stat: os.Stat, tail: tailOf, openProgram: proc.OpenProgram,
		open: map[string]*openQuestion{}, late: map[string]time.Time{},
	}
}

// project is the base name of the git top level that path lies in, else of path itself.
func (f *fileQuestions) project(path string) (name string, ok bool) {
	return answerTo(f, "project "+path, func() string { return ProjectOf(path, f.lstat) })
}

// ProjectOf is the base name of the git top level that path lies in, as lstat tells it, else of path itself.
func ProjectOf(path string, lstat func(string) (fs.FileInfo, error)) string {
	for dir := path; ; dir = filepath.Dir(dir) {
		// A directory, or in worktrees and submodules a file.
		if _, err := lstat(filepath.Join(dir, ".git")); err == nil {
			return filepath.Base(dir)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Base(path)
		}
	}
}

// same reports whether two paths, which may go by different links, lead to one file.
func (f *fileQuestions) same(a, b string) bool {
	same, ok := answerTo(f, "same "+a+"\x00"+b, func() bool {
		x, err := f.stat(a)
		if err != nil {
			return false
		}
		y, err := f.stat(b)
		return err == nil && os.SameFile(x, y)
	})
	return ok && same
}

// lastWords is what the agent said last in the turn that a transcript ends with, where message is the field of a
// line that holds the message.
func (f *fileQuestions) lastWords(path, message string) (words string, ok bool) {
	return answerTo(f, "transcript "+path, func() string { return cutWords(lastAssistant(f.tail(path), message)) })
}

// version is the agent's, where field of a transcript's line names it.
func (f *fileQuestions) version(path, field string) string {
	version, _ := answerTo(f, "version "+path, func() string { return lastVersion(f.tail(path), field) })
	return version
}

// answerTo puts a question, or joins who has put it already, and waits a moment for the answer; ok is false where none
// came, or where the question was not put because it was late before, or because too many are open.
func answerTo[T any](f *fileQuestions, key string, question func() T) (answer T, ok bool) {
	q, mine := f.begin(key, time.Now())
	if q == nil {
		return answer, false
	}
	if mine {
		go func() {
			q.answer = question()
			f.end(key)
			close(q.answered)
		}()
	}
	timer := time.NewTimer(answerWithin)
	defer timer.Stop()
	select {
	case <-q.answered:
		return q.answer.(T), true
	case <-timer.C:
		f.mu.Lock()
		defer f.mu.Unlock()
		f.late[key] = time.Now()
		return answer, false
	}
}

// begin is the question of that key if it may be put or waited for now; mine says that nobody else has put it.
func (f *fileQuestions) begin(key string, now time.Time) (q *openQuestion, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for old, at := range f.late {
		if now.Sub(at) >= askAgainAfter {
			delete(f.late, old)
		}
	}
	if _, late := f.late[key]; late {
		return nil, false
	}
	if q := f.open[key]; q != nil {
		return q, false
	}
	if len(f.open) >= openQuestions {
		return nil, false
	}
	f.open[key] = &openQuestion{answered: make(chan struct{})}
	return f.open[key], true
}

func (f *fileQuestions) end(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.open, key)
}
