package bot

import (
	"context"
	"sync"
	"time"

	"nod/bot/message"
	"nod/internal/text/plural"
	"nod/nudge"
)

// leftOutAfter is how long after the first thing that a queue had no room for it is told, in one line with those that
// followed it.
const leftOutAfter = time.Minute

// How much may wait in a chat.
const (
	maxAnswers = 100
	maxOutside = 10
)

// queue is what waits to be said to a chat and is in no record, oldest first. It is bounded: what it has no room
// for is counted and told in a line.
type queue struct {
	most int
	lost func(n int) string // the line that tells of n things that were left out

	mu      sync.Mutex
	jobs    []*job
	leftOut int
	since   time.Time // of what is left out
}

// put adds a job, or leaves it out.
func (q *queue) put(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) >= q.most {
		q.count()
		return
	}
	j.over = func(bool) { q.drop(j) }
	q.jobs = append(q.jobs, j)
}

// leaveOut counts something that is not to be said.
func (q *queue) leaveOut() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.count()
}

func (q *queue) count() {
	if q.leftOut == 0 {
		q.since = time.Now()
	}
	q.leftOut++
}

func (q *queue) drop(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > 0 && q.jobs[0] == j {
		q.jobs = q.jobs[1:]
	}
}

// first is the oldest job; when none is left, the line about what was left out, if it is time for that; else nil.
func (q *queue) first(now time.Time) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > 0 {
		return q.jobs[0]
	}
	if q.leftOut == 0 || now.Sub(q.since) < leftOutAfter {
		return nil
	}
	n := q.leftOut
	return &job{
		what: "what was left out",
		do: func(ctx context.Context, s *sender) (*nudge.Receipt, error) {
			_, err := s.send(ctx, message.Sentence(q.lost(n)))
			return nil, err
		},
		over: func(bool) { q.told(n) },
	}
}

func (q *queue) told(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.leftOut -= n
	q.since = time.Now()
}

// quietFor is how long there is nothing to tell of what was left out.
func (q *queue) quietFor(now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if wait := leftOutAfter - now.Sub(q.since); q.leftOut > 0 && wait > 0 {
		return wait
	}
	return lookAgain
}

func outsideLost(n int) string {
	return plural.Of(n, "more question of an agent outside tmux was", "more questions of agents outside tmux were") + " left out: too many came at once."
}

func answersLost(n int) string {
	return plural.Of(n, "message was", "messages were") + " left out: too many waited."
}
