package nudge

import "time"

// Clocks are two clock readings of one moment.
type Clocks struct {
	Wall time.Time
	Up   time.Duration // of the clock that nobody can set and that runs while the machine sleeps
}

// tolerance is how far the two clocks may drift apart between two ticks before it counts as a step. NTP
// slewing stays far below it.
const tolerance = 2 * time.Second

// Stepped returns by how much somebody set the wall clock between two readings; 0: it just ran. Sleep moves
// both clocks alike.
func Stepped(before, now Clocks) time.Duration {
	if before.Wall.IsZero() {
		return 0
	}
	by := now.Wall.Sub(before.Wall) - (now.Up - before.Up)
	if by.Abs() < tolerance {
		return 0
	}
	return by
}
