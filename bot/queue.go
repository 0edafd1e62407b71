package bot

import (
	"context"
	"slices"
	"sync"
	"time"

	"nod/bot/message"
	"nod/internal/text/plural"
	"nod/nudge"
)

// leftOutAfter is how long after the first dropped message the dropped ones are reported, in one line.
const leftOutAfter = time.Minute

// How much may wait in a chat.
const (
	maxAnswers = 100
	maxOutside = 10
)

// queue holds messages to a chat that are in no record, oldest first. Its size is limited: dropped messages
// are counted and reported in one line.
type queue struct {
	most int
	lost func(n int) string // the line about n dropped messages

	mu      sync.Mutex
	jobs    []*job
	leftOut int
	since   time.Time // when the first of them was dropped
}

// put adds a job, or drops it if the queue is full.
func (q *queue) put(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) >= q.most {
		q.count()
		return
	}
	j.over = func(bool) { q.drop(j) }
	j.later = func() { q.postpone(j) }
	q.jobs = append(q.jobs, j)
}

// inOrder is how often a job may fail before others go first.
const inOrder = 3

// postpone puts the oldest job behind the others if it has failed several times: what Telegram can't take holds up nothing else.
func (q *queue) postpone(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if j.fails++; j.fails >= inOrder && len(q.jobs) > 1 && q.jobs[0] == j {
		q.jobs = append(slices.Clone(q.jobs[1:]), j)
	}
}

// leaveOut counts a message that is not sent.
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

// first returns the oldest job. If there is none, it returns the report about dropped messages if that is
// due, otherwise nil.
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
		what: "a line about dropped messages",
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

// quietFor returns how long the report about dropped messages has to wait.
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
