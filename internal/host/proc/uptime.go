package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Uptime is how long the machine has been up, sleep included. Nobody sets this clock, so its
// difference to the wall clock changes only when that one is stepped. Zero where the system has
// no such clock.
func Uptime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(uptimeClock, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
