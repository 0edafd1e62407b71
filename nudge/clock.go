package nudge

import "time"

// Clocks is what the clocks said at one moment.
type Clocks struct {
	Wall time.Time
	Up   time.Duration // of a clock that nobody sets and that goes on while the machine sleeps
}

// tolerance is how far the two clocks may part between two ticks before it counts as a step; the
// slewing of NTP stays far below it.
const tolerance = 2 * time.Second

// Stepped is by how much somebody set the wall clock between two readings; zero when it only ran.
// A machine that slept moved both clocks alike.
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
