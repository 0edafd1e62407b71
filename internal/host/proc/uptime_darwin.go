package proc

import "golang.org/x/sys/unix"

// On macOS CLOCK_MONOTONIC goes on while the machine sleeps; what stops is CLOCK_UPTIME_RAW.
const uptimeClock = unix.CLOCK_MONOTONIC
