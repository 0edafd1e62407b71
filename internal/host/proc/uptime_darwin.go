package proc

import "golang.org/x/sys/unix"

// On macOS CLOCK_MONOTONIC includes sleep; CLOCK_UPTIME_RAW does not.
const uptimeClock = unix.CLOCK_MONOTONIC
