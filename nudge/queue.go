package nudge

import (
	"cmp"
	"errors"
	"slices"
	"time"
)

// Queue returns the nudges that wait for a human, most urgent first: those that block an agent, then the
// others, oldest first. Skipped ones come last, in the order of skipping. An expired question that is still
// on screen waits too.
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

// urgency returns 0 if n blocks an agent, otherwise 1.
func (n *Nudge) urgency() int {
	if n.Asks() {
		return 0
	}
	return 1
}

// Skip moves n behind the others in the queue, until those are skipped or answered too. The error is a
// sentence for the human: n does not wait.
func (n *Nudge) Skip(now time.Time) error {
	if n == nil || !n.waits() {
		return errors.New("nothing waits under that id")
	}
	n.Skipped = now
	return nil
}
