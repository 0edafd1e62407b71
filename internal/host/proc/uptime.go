package proc

import (
	"time"

	"golang.org/x/sys/unix"
)

// Uptime returns how long the machine has been up, including sleep. Nobody can set this clock, so its
// difference to the wall clock changes only if the wall clock is set. It returns zero if the system has no
// such clock.
func Uptime() time.Duration {
	var now unix.Timespec
	if err := unix.ClockGettime(uptimeClock, &now); err != nil {
		return 0
	}
	return time.Duration(now.Nano())
}
