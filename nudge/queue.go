package nudge

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// Queue gives those nudges that wait for a human, the most urgent first: what blocks an agent before what does
// not, then the oldest; what was skipped comes behind the others, the first skipped first. An
// expired question that still is on screen waits too.
func Queue(nudges []*Nudge) []Nudge {
	var queue []Nudge
	for _, n := range nudges {
		if n.waits() {
			queue = append(queue, *n)
		}
	}
	slices.SortStableFunc(queue, func(a, b Nudge) int {
		return cmp.Or(a.Skipped.Compare(b.Skipped), cmp.Compare(a.urgency(), b.urgency()), a.Detected.Compare(b.Detected))
	})
	return queue
}

// waits reports whether n waits for a human.
func (n *Nudge) waits() bool { return n.State == Pending || n.Standing }

// urgency is 0 for what blocks an agent, 1 for what does not.
func (n *Nudge) urgency() int {
	if n.Asks() {
		return 0
	}
	return 1
}

// Skip puts n behind the others in the queue, until those have been skipped or answered too. The error is a sentence
// for the human where n does not wait.
func (n *Nudge) Skip(now time.Time) error {
	if n == nil || !n.waits() {
		return errors.New("it does not wait")
	}
	n.Skipped = now
	return nil
}
